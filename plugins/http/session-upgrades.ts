/** The WebSockets of a blind notary: provers join the sessions that they have opened, those of Credence and stock ones of TLSNotary. */
import type { IncomingMessage, Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { BlindNotary, JoinedSession } from '../../adapters/blind-notary/index.ts';
import { loadPackage } from '../../adapters/package-loader/index.ts';
import { MAX_FRAME_BYTES } from '../../adapters/session-channel/index.ts';
import type { Caller } from '../../core/access/token.ts';
import { NOTARY_PATH } from '../../core/web-proof/notary-label.ts';
import { type Authenticate, bearerIn, callerKey, type Identify } from './access.ts';

export interface SessionUpgradesOptions {
  /** Asked for by each WebSocket of a session. */
  readonly notary: () => BlindNotary | Promise<BlindNotary>;
  /** The same tokens as those of the routes. */
  readonly authenticate: Authenticate;
  /** Asked before the token, with the `IncomingMessage`. */
  readonly identify?: Identify | undefined;
  /** The path of the mount. @default '' */
  readonly prefix?: string | undefined;
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

/** What an upgrade is for. */
interface Wanted {
  readonly sessionId: string;
  readonly isStock: boolean;
}

/**
 * Lets provers join sessions on this server. Call it once. Other upgrades are left to the server's other listeners. If there are
 * none, they are refused, since a server that listens for upgrades cannot treat them as requests.
 * @throws MissingPackageError if the package ws is not installed
 */
export function acceptSessions(
  server: Server | HttpsServer,
  { notary, authenticate, identify, prefix = '' }: SessionUpgradesOptions,
): void {
  const { WebSocketServer } = loadPackage('ws', 'A blind notary');
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const base = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;

  async function callerOf(request: IncomingMessage): Promise<Caller | null> {
    const identified = await identify?.(request);
    if (identified !== undefined) return identified;
    const token = bearerIn(request.headers.authorization);
    return token === undefined ? null : authenticate(token);
  }
  /** The session that the request is for, or the status of the refusal. */
  async function sessionOf(
    request: IncomingMessage,
    { sessionId, isStock }: Wanted,
  ): Promise<JoinedSession | keyof typeof REFUSALS> {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') return 400;
    // A browser sends no token with a WebSocket, so the id alone lets a stock prover in.
    if (isStock) return (await notary()).takeStock(sessionId) ?? 404;
    const caller = await callerOf(request);
    if (caller === null) return 401;
    return (await notary()).take(sessionId, callerKey(caller)) ?? 404;
  }
  async function join(request: IncomingMessage, socket: Duplex, head: Buffer, wanted: Wanted): Promise<void> {
    const session = await sessionOf(request, wanted);
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
    const wanted = wantedBy(request.url ?? '', base);
    const isForOthers = wanted === null && server.listenerCount('upgrade') > 1;
    if (isForOthers) return;
    // Until the WebSocket takes over, a connection that breaks has nobody else to tell.
    const ignore = () => {};
    socket.on('error', ignore);
    if (wanted === null) return refuse(socket, 404);
    join(request, socket, head, wanted).then(
      () => socket.off('error', ignore),
      () => socket.destroy(),
    );
  });
}

function wantedBy(url: string, base: string): Wanted | null {
  if (!url.startsWith(base)) return null;
  const path = url.slice(base.length);
  const [, stockId] = STOCK_PATH.exec(path) ?? [];
  if (stockId !== undefined) return { sessionId: stockId, isStock: true };
  const [, sessionId] = SESSION_PATH.exec(path) ?? [];
  return sessionId === undefined ? null : { sessionId, isStock: false };
}

function refuse(socket: Duplex, status: keyof typeof REFUSALS): void {
  socket.end(`HTTP/1.1 ${status} ${REFUSALS[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
