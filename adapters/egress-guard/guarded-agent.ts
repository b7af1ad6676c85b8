import { isIP, type Socket } from 'node:net';
// Not 'undici': Bun has a smaller module of its own by that name.
import { Agent, buildConnector } from 'undici/index.js';
import type { EgressGuard } from '../../core/ports/egress.ts';
import { pinnedLookup } from './connect.ts';

/** What `createGuardedAgent` takes. */
export interface GuardedAgentOptions {
  /** Limit of connecting, the TLS handshake included. */
  readonly connectTimeoutMs: number;
  /** PEM roots to trust instead of Node's own; pass both to add some. */
  readonly ca?: readonly string[];
  /** Further undici options: timeouts, sizes, pipelining. */
  readonly agent?: Omit<Agent.Options, 'connect' | 'factory'>;
}

/** See `createGuardedAgent`. */
export function openGuardedAgent(guard: EgressGuard, options: GuardedAgentOptions): Agent {
  return new Agent({
    ...options.agent,
    connect: (target, callback) => {
      const port = target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port);
      guard.resolve(target.hostname, port).then(
        (addresses) => {
          const connect = buildConnector({
            timeout: options.connectTimeoutMs,
            allowH2: false,
            maxCachedSessions: 0,
            lookup: pinnedLookup(addresses),
            ...(options.ca === undefined ? {} : { ca: [...options.ca] }),
          });
          // A literal never reaches a lookup, so it is replaced by the address that was checked.
          const [first] = addresses;
          const literal = isIP(target.hostname.replace(/^\[|\]$/g, '')) !== 0;
          const checked = literal && first !== undefined ? { ...target, hostname: first.address } : target;
          connect(checked, (...result) => {
            const [error, socket] = result;
            if (error === null) readInPieces(socket);
            callback(...result);
          });
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

/** Of the shortest headers, 800 fields and values. */
const MOST_BYTES = 2 * 1024;

/**
 * Makes the socket hand out little at a time, and nothing once it is destroyed. After the limit of headers, undici makes an
 * error for each field in what it was handed. For 64 KiB of short headers that would hold the event loop for 0.4 s.
 */
export function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    if (socket.destroyed) return null;
    return size === undefined && socket.readableLength > MOST_BYTES ? read(MOST_BYTES) : read(size);
  };
}
