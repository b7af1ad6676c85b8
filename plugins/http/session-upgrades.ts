/** The WebSockets of a blind notary: provers join the sessions that they have opened. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BlindNotary } from '../../adapters/blind-notary/index.ts';
import { loadPackage } from '../../adapters/package-loader/index.ts';
import { MAX_FRAME_BYTES } from '../../adapters/session-channel/index.ts';
import { NOTARY_PATH } from '../../core/web-proof/notary-label.ts';
import { type Authenticate, bearerIn, callerKey } from './access.ts';

export interface SessionUpgradesOptions {
  readonly notary: BlindNotary;
  /** The same tokens as those of the routes. */
  readonly authenticate: Authenticate;
}

const SESSION_PATH = new RegExp(`^${NOTARY_PATH.replaceAll('.', '\\.')}/sessions/([0-9a-f]{32})$`);

const REFUSALS = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
} as const;

/**
 * Lets provers join sessions on this server. Call it once, before the server listens. Requests that ask for anything but
 * a WebSocket of a session are refused: a server that listens for upgrades cannot hand them back.
 * @throws MissingPackageError if the package ws is not installed
 */
export function acceptSessions(server: Server, { notary, authenticate }: SessionUpgradesOptions): void {
  const { WebSocketServer } = loadPackage('ws', 'A blind notary');
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });

  async function join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [, sessionId] = SESSION_PATH.exec(request.url ?? '') ?? [];
    if (sessionId === undefined) return refuse(socket, 404);
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') return refuse(socket, 400);
    const token = bearerIn(request.headers.authorization);
    const caller = token === undefined ? null : await authenticate(token);
    if (caller === null) return refuse(socket, 401);
    const session = notary.take(sessionId, callerKey(caller));
    if (session === null) return refuse(socket, 404);
    sockets.handleUpgrade(request, socket, head, (opened) => void session.run(opened));
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until the WebSocket takes over, a connection that breaks has nobody else to tell.
    const ignore = () => {};
    socket.on('error', ignore);
    join(request, socket, head).then(
      () => socket.off('error', ignore),
      () => socket.destroy(),
    );
  });
}

function refuse(socket: Duplex, status: keyof typeof REFUSALS): void {
  socket.end(`HTTP/1.1 ${status} ${REFUSALS[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
