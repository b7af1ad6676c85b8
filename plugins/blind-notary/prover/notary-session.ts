import { once } from 'node:events';
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError, FORMAT_VERSION } from 'credence/kit';
import type { WebProof } from 'credence/ports';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import type { Carrier } from '../channel/byte-socket.ts';
import type { ServerHandshake } from '../channel/handshake.ts';
import { MAX_FRAME_BYTES, notaryMessage, type ProverMessage } from '../channel/messages.ts';
import { createSessionChannel } from '../channel/session-channel.ts';
import type { ByteChannel } from '../mpc-tls.ts';

/** What a notary may say of a session in its own words. */
const PASSED_ON = ['INVALID_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const;
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** A session with a notary that has been joined. */
export interface BlindNotarySession {
  /** To the notary's engine. */
  readonly channel: ByteChannel;
  /** Says that a phase begins. */
  announce(phase: 'online' | 'reveal'): Promise<void>;
  /** Hands the server's handshake in; resolves to the presentation as a web proof. */
  finish(handshake: ServerHandshake): Promise<WebProof>;
  /** Rejects when the session breaks or the notary refuses it; never resolves. */
  readonly failed: Promise<never>;
  readonly carried: Carrier['carried'];
  close(): void;
}

export interface SessionAddress {
  /** Of the notary, with the version. */
  readonly base: string;
  readonly sessionId: string;
  readonly token: string;
  readonly ca?: readonly string[] | undefined;
}

/** Joins a session. @throws DomainError `INTERNAL_SERVER_ERROR` if the notary does not take the WebSocket */
export async function joinSession(
  { base, sessionId, token, ca }: SessionAddress,
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
  const session = sessionOver(socket, base);
  try {
    await opened;
  } catch (cause) {
    socket.terminate();
    signal.throwIfAborted();
    throw unusable('did not let the session be joined', cause);
  }
  return session;
}

function sessionOver(socket: WebSocket, base: string): BlindNotarySession {
  const finished = Promise.withResolvers<WebProof>();
  const refused = Promise.withResolvers<never>();
  // Told by whatever the prover waits for.
  finished.promise.catch(() => {});
  refused.promise.catch(() => {});
  const channel = createSessionChannel<ProverMessage, z.output<typeof notaryMessage>>(
    socket,
    notaryMessage,
    (message) => {
      if (message.type === 'presentation') {
        finished.resolve({ data: message.data, version: FORMAT_VERSION, meta: { notaryUrl: base } });
      } else if (message.type === 'error') refused.reject(refusalOf(message.error));
    },
  );
  const broken = channel.broken.catch((cause: unknown) => {
    throw unusable('ended the session', cause);
  });
  const failed = Promise.race([refused.promise, broken]);
  failed.catch(() => {});
  return {
    channel,
    announce: (phase) => channel.say({ type: 'phase', phase }),
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

function refusalOf({ code, message }: { readonly code: string; readonly message: string }): DomainError {
  const known = PASSED_ON.find((passed) => passed === code);
  return known === undefined ? unusable('refused the session') : new DomainError(known, message);
}

function unusable(reason: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The blind notary ${reason}.`, { cause });
}
