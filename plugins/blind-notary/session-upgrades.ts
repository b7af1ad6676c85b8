/** The WebSockets of a blind notary: provers join the sessions that they have opened, those of Credence and stock ones of TLSNotary. */

import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import {
  type AttachOptions,
  type Authenticate,
  asDomainError,
  bearerIn,
  type Caller,
  callerKey,
  canAnswer,
  DomainError,
  type ErrorCode,
  endWith,
  errorReply,
  type HandedOver,
  identifiedBy,
  logRequest,
  mountPath,
  NOTARY_PATH,
  type Reply,
  requestIdOf,
  takeRequest,
} from 'credence/kit';
import type { Logger, RateLimiter } from 'credence/ports';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from './channel/messages.ts';
import type { BlindNotary, JoinedSession } from './notary/blind-notary.ts';

export interface SessionUpgradesOptions extends AttachOptions {
  /** Asked for by each WebSocket of a session. */
  readonly notary: () => BlindNotary | Promise<BlindNotary>;
  /** The same tokens as those of the routes. */
  readonly authenticate: Authenticate;
  /** Counts requests against the quotas of callers, as for the routes. */
  readonly limiter: RateLimiter;
  /** Gets a line for each request, and failures that are nobody's refusal. */
  readonly logger: Logger;
}

/** Where stock provers find a notary: below its address, or with the version behind it. */
export const STOCK_BASES = ['', NOTARY_PATH] as const;

const SESSION_PATH = new RegExp(`^${NOTARY_PATH.replaceAll('.', '\\.')}/sessions/([0-9a-f]{32})$`);
const STOCK_PATH = new RegExp(`^(?:${NOTARY_PATH.replaceAll('.', '\\.')})?/notarize\\?sessionId=([0-9a-f]{32})$`);

/** What an upgrade is for. */
interface Wanted {
  readonly sessionId: string;
  readonly isStock: boolean;
}

/** An upgrade while it is answered. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Of who has joined or is known; for the log. */
  caller: Pick<Caller, 'key'> | null;
}

/** Node.js 24.9 asks it for each request that offers an upgrade; undefined in earlier versions. */
interface UpgradingServer {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
}

/**
 * Lets provers join sessions on this server. Call it once. Other upgrades are left to the server's other listeners. If there are
 * none, they are answered as requests without an upgrade. Node.js before 24.9 cannot do that, so they get a 404 there.
 * @throws ConfigurationError if `prefix` does not begin with a slash
 */
export function acceptSessions(
  server: Server | HttpsServer,
  { notary, authenticate, identify, prefix = '', limiter, logger }: SessionUpgradesOptions,
): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const base = mountPath(prefix, 'prefix');

  async function callerOf(request: IncomingMessage): Promise<Caller | null> {
    const identified = await identifiedBy(identify, request);
    if (identified !== undefined) return identified;
    const token = bearerIn(request.headers.authorization);
    return token === undefined ? null : authenticate(token);
  }
  /** The session that the request is for. @throws DomainError */
  async function sessionOf(upgrade: Upgrade, { sessionId, isStock }: Wanted): Promise<JoinedSession> {
    const { request } = upgrade;
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      throw new DomainError('INVALID_REQUEST', 'A session is joined with a WebSocket.');
    }
    // A browser sends no token with a WebSocket, so the id alone lets a stock prover in.
    const caller = isStock ? null : await callerOf(request);
    if (caller === null && !isStock) throw new DomainError('UNAUTHORIZED', 'Send the token that opened the session.');
    upgrade.caller = caller;
    await takeRequest(caller, limiter);
    const place = await notary();
    const session = isStock ? place.take('tlsnotary', sessionId) : place.take('credence', sessionId, callerKey(caller));
    if (session === null) throw new DomainError('NOT_FOUND', 'There is no such session for this caller.');
    if (session.caller !== null) upgrade.caller = { key: session.caller };
    return session;
  }
  async function join(upgrade: Upgrade, head: Buffer, wanted: Wanted): Promise<void> {
    const session = await sessionOf(upgrade, wanted);
    let isOpen = false;
    sockets.handleUpgrade(upgrade.request, upgrade.socket, head, (opened) => {
      isOpen = true;
      void session.run(opened);
    });
    logUpgrade(upgrade, isOpen ? 101 : 400, undefined);
    // Its headers were not those of a WebSocket after all; it has been answered.
    if (!isOpen) await session.abandon();
  }
  function logUpgrade({ request, caller, startedAt }: Upgrade, status: number, code: ErrorCode | undefined): void {
    const requestId = requestIdOf(request.headers);
    logRequest(logger, { requestId, method: 'GET', route: { id: 'joinSession' }, status, code, caller, startedAt });
  }
  ignoreOtherUpgrades(server, (request) => wantedBy(request.url ?? '', base) !== null);
  server.on('upgrade', (request: IncomingMessage, socket: HandedOver, head: Buffer) => {
    const wanted = wantedBy(request.url ?? '', base);
    const isForOthers = wanted === null && server.listenerCount('upgrade') > 1;
    if (isForOthers) return;
    // Until a WebSocket takes over, nobody else listens to what happens to this connection: an error would end the process.
    socket.on('error', () => {});
    if (!canAnswer(socket)) return void socket.destroy();
    if (wanted === null) return refuse(socket, 404);
    const upgrade: Upgrade = { request, socket, startedAt: performance.now(), caller: null };
    join(upgrade, head, wanted).catch((thrown: unknown) => {
      const error = asDomainError(thrown, 'engagement');
      if (error.status >= 500) logger.error({ err: thrown }, 'a WebSocket of a blind session failed');
      const { status, headers } = errorReply(error, 'engagement', '');
      refuse(socket, status, headers);
      logUpgrade(upgrade, status, error.code);
    });
  });
}

/** A server may ignore an upgrade (RFC 9110, section 7.8). Ours would otherwise take every one from its routes. */
function ignoreOtherUpgrades(server: UpgradingServer & Server, isOurs: (request: IncomingMessage) => boolean): void {
  const decide = server.shouldUpgradeCallback;
  if (decide === undefined) return;
  server.shouldUpgradeCallback = (request) =>
    isOurs(request) || (server.listenerCount('upgrade') > 1 && decide.call(server, request));
}

function wantedBy(url: string, base: string): Wanted | null {
  if (!url.startsWith(base)) return null;
  const path = url.slice(base.length);
  const [, stockId] = STOCK_PATH.exec(path) ?? [];
  if (stockId !== undefined) return { sessionId: stockId, isStock: true };
  const [, sessionId] = SESSION_PATH.exec(path) ?? [];
  return sessionId === undefined ? null : { sessionId, isStock: false };
}

function refuse(socket: Duplex, status: number, headers: Reply['headers'] = {}): void {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': '0' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  endWith(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n`);
}
