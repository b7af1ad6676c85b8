import { once } from 'node:events';
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError, FORMAT_VERSION } from 'credence/kit';
import type { WebProof } from 'credence/ports';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import { MAX_FRAME_BYTES, notaryMessage, type ProverMessage } from '../channel/messages.ts';
import { createSessionChannel } from '../channel/session-channel.ts';
import type { BlindNotarySession } from './set-up-session.ts';

/** What a notary may say of a session in its own words. */
const PASSED_ON = ['INVALID_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Proxies end connections that are silent for a minute. */
const PING_MS = 20_000;

export interface SessionAddress {
  /** Of the notary, with the version. */
  readonly base: string;
  readonly sessionId: string;
  readonly token: string;
  readonly ca?: readonly string[] | undefined;
  /** How long the session may wait after its setup; 0 unless it was opened ahead. */
  readonly readyMs: number;
}

/** Joins a session. @throws DomainError `INTERNAL_SERVER_ERROR` if the notary does not take the WebSocket */
export async function joinSession(
  { base, sessionId, token, ca, readyMs }: SessionAddress,
  signal: AbortSignal,
): Promise<BlindNotarySession> {
  const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/sessions/${sessionId}`, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
  const opened = once(socket, 'open', { signal });
  const session = sessionOver(socket, base, readyMs);
  try {
    await opened;
  } catch (cause) {
    socket.terminate();
    signal.throwIfAborted();
    throw unusable('did not let the session be joined', cause);
  }
  return session;
}

function sessionOver(socket: WebSocket, base: string, readyMs: number): BlindNotarySession {
  const finished = Promise.withResolvers<WebProof>();
  const refused = Promise.withResolvers<never>();
  const confirmed = Promise.withResolvers<void>();
  // Told by whatever the prover waits for.
  finished.promise.catch(() => {});
  refused.promise.catch(() => {});
  const channel = createSessionChannel<ProverMessage, z.output<typeof notaryMessage>>({
    socket,
    messages: notaryMessage,
    onMessage(message) {
      if (message.type === 'presentation') {
        finished.resolve({ data: message.data, version: FORMAT_VERSION, meta: { notaryUrl: base } });
      } else if (message.type === 'error') refused.reject(refusalOf(message.error));
      else if (message.type === 'phase') confirmed.resolve();
    },
  });
  const broken = channel.broken.catch((cause: unknown) => {
    throw unusable('ended the session', cause);
  });
  const failed = Promise.race([refused.promise, broken]);
  failed.catch(() => {});
  let stopPings = () => {};
  return {
    channel,
    readyMs,
    async announce(phase) {
      stopPings();
      await channel.say({ type: 'phase', phase });
      if (phase === 'ready') stopPings = keepAlive(socket);
      if (phase === 'online' && readyMs > 0) await Promise.race([confirmed.promise, failed]);
    },
    async finish({ certificates, scheme, signature, clientRandom, serverRandom, serverEphemeralKey }) {
      await channel.say({
        type: 'handshake',
        handshake: {
          certificates: certificates.map((certificate) => bytesToHex(certificate)),
          scheme,
          signature: bytesToHex(signature),
          clientRandom: bytesToHex(clientRandom),
          serverRandom: bytesToHex(serverRandom),
          serverEphemeralKey: bytesToHex(serverEphemeralKey),
        },
      });
      return finished.promise;
    },
    failed,
    carried: channel.carried,
    close: () => channel.close(),
  };
}

/** Keeps a silent connection open, and ends it when the other side has gone without a word. @returns a function that stops it */
function keepAlive(socket: WebSocket): () => void {
  let isAnswered = true;
  const timer = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, PING_MS);
  const stop = () => clearInterval(timer);
  socket.on('pong', () => {
    isAnswered = true;
  });
  socket.once('close', stop);
  return stop;
}

function refusalOf({ code, message }: { readonly code: string; readonly message: string }): DomainError {
  const known = PASSED_ON.find((passed) => passed === code);
  return known === undefined ? unusable('refused the session') : new DomainError(known, message);
}

function unusable(reason: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The blind notary ${reason}.`, { cause });
}
