/** The WebSockets of a blind notary: provers join the sessions that they have opened, those of Credence and stock ones of TLSNotary. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BlindNotary, JoinedSession } from '../../adapters/blind-notary/index.ts';
import { loadPackage } from '../../adapters/package-loader/index.ts';
import { MAX_FRAME_BYTES } from '../../adapters/session-channel/index.ts';
import { NOTARY_PATH } from '../../core/web-proof/notary-label.ts';
import { type Authenticate, bearerIn, callerKey } from './access.ts';

export interface SessionUpgradesOptions {
  readonly notary: BlindNotary;
  /** The same tokens as those of the routes. */
  readonly authenticate: Authenticate;
}

/** Where stock provers find a notary: below its address, or with the version behind it. */
export const STOCK_BASES = ['', NOTARY_PATH] as const;

const SESSION_PATH = new RegExp(`^${NOTARY_PATH.replaceAll('.', '\\.')}/sessions/([0-9a-f]{32})$`);
const STOCK_PATH = new RegExp(`^(?:${NOTARY_PATH.replaceAll('.', '\\.')})?/notarize\\?sessionId=([0-9a-f]{32})$`);

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

  /** The session that the request is for, or the status of the refusal. */
  async function sessionOf({ url = '', headers }: IncomingMessage): Promise<JoinedSession | keyof typeof REFUSALS> {
    const [, stockId] = STOCK_PATH.exec(url) ?? [];
    const [, sessionId] = SESSION_PATH.exec(url) ?? [];
    if (stockId === undefined && sessionId === undefined) return 404;
    if (headers.upgrade?.toLowerCase() !== 'websocket') return 400;
    // A browser sends no token with a WebSocket, so the id alone lets a stock prover in.
    if (stockId !== undefined) return notary.takeStock(stockId) ?? 404;
    const token = bearerIn(headers.authorization);
    const caller = token === undefined ? null : await authenticate(token);
    if (caller === null) return 401;
    return notary.take(sessionId ?? '', callerKey(caller)) ?? 404;
  }
  async function join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const session = await sessionOf(request);
    if (typeof session === 'number') return refuse(socket, session);
    let isOpen = false;
    sockets.handleUpgrade(request, socket, head, (opened) => {
      isOpen = true;
      void session.run(opened);
    });
    // Its headers were not those of a WebSocket after all; it has been answered.
    if (!isOpen) await session.abandon();
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
