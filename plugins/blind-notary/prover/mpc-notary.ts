/** A blind notary that someone else runs: it never has what a proof hides, since the request is made from here, together with it. */

import { createHttpNotary, createNotaryCalls, MAX_CLOCK_DIFFERENCE_SECONDS } from 'credence/adapters/http-notary';
import { checkTarget, createTlsProbe, readHandshake, TappedStream } from 'credence/adapters/local-notary';
import { DomainError, FairQueue } from 'credence/kit';
import { connectChecked, notaryLabel } from 'credence/kit/notaries';
import type { CheckedAddress, Notary, NotaryContext } from 'credence/ports';
import { z } from 'zod';
import { PHASE_LIMITS, type PhaseLimits } from '../blind-phase.ts';
import { createMpcProver } from '../engine/engine.ts';
import type { MpcProver } from '../mpc-tls.ts';
import type { MpcNotarySettings } from '../options.ts';
import { joinSession } from './notary-session.ts';
import { type BlindProgress, createProveBlind, type ServerConnection } from './prove-blind.ts';

/** What `createMpcNotary` needs besides its settings. */
export interface MpcNotaryDeps extends Omit<NotaryContext, 'random' | 'logger'> {
  /** Is told what each proof goes through. */
  readonly onProgress: (progress: BlindProgress) => void;
  /** @default `PHASE_LIMITS` */
  readonly phases?: PhaseLimits | undefined;
  /** @default TLSNotary's, one process for each proof */
  readonly prover?: MpcProver | undefined;
}

const sessionSchema = z.object({
  data: z.object({ sessionId: z.string().regex(/^[0-9a-f]{32}$/) }),
});

/**
 * The notary sees the server's name, the lengths and the bytes that the proof shows. Every proof is verified and compared with
 * what was sent and received before it is returned.
 */
export function createMpcNotary(settings: MpcNotarySettings, deps: MpcNotaryDeps): Notary {
  const { guard, certificates, extraRoots, decoder, verify, clock, onProgress, phases = PHASE_LIMITS } = deps;
  const prover = deps.prover ?? createMpcProver(settings);
  const base = notaryLabel(settings.url);
  const calls = createNotaryCalls(settings);
  const remote = createHttpNotary({ ...settings, verify, clock });
  const probe = createTlsProbe({ certificates, extraRoots, clock });
  const queue = new FairQueue({ name: 'blind notary', ...settings });
  const closing = new AbortController();
  const limits = { maxSentData: settings.maxSentData, maxRecvData: settings.maxRecvData };
  const prove = createProveBlind({
    decoder,
    verify,
    limits,
    phases,
    fingerprint: settings.fingerprint,
    clockTolerance: MAX_CLOCK_DIFFERENCE_SECONDS,
    now: () => Math.floor(clock.now().getTime() / 1000),
    async connect({ serverName, port }, signal) {
      const addresses = await checkTarget(guard, { serverName, port }, signal);
      await probe({ serverName, port, addresses }, signal);
      return (online) => connectToServer({ serverName, port, addresses }, online);
    },
    prover,
    async openSession(wanted, signal) {
      const { data } = await calls.post('/sessions', wanted, sessionSchema, signal);
      const { token, ca } = settings;
      return joinSession({ base, sessionId: data.sessionId, token, ca }, signal);
    },
  });

  return {
    url: base,
    fingerprint: settings.fingerprint,
    notarize(request, signal, caller) {
      const either = AbortSignal.any([signal, closing.signal]);
      return queue.run(() => prove(request, either, onProgress), caller, either);
    },
    ...(remote.attestQueries === undefined ? {} : { attestQueries: remote.attestQueries }),
    async close() {
      closing.abort(new DomainError('SERVICE_UNAVAILABLE', 'The notary is shutting down.'));
      await queue.onIdle();
      await Promise.all([calls.close(), remote.close(), prover.close()]);
    },
  };
}

/**
 * A TCP connection to a checked address, for an engine that speaks TLS over it. Its handshake is recorded.
 * @throws DomainError `INTERNAL_SERVER_ERROR` if the server cannot be reached
 */
async function connectToServer(
  { serverName, port, addresses }: { serverName: string; port: number; addresses: readonly CheckedAddress[] },
  signal: AbortSignal,
): Promise<ServerConnection> {
  const socket = await connectChecked(addresses, port, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw cannotProve(serverName, 'the connection failed', cause);
  });
  const stream = new TappedStream(socket);
  // The engine notices a broken connection by its end.
  stream.on('error', () => {});
  return {
    channel: {
      incoming: incoming(stream),
      send: (bytes) => new Promise((resolve) => stream.write(bytes, () => resolve())),
      end: () => new Promise((resolve) => stream.end(() => resolve())),
    },
    handshake() {
      const { client, server } = stream.takeHandshake();
      try {
        return readHandshake(client, server);
      } catch (cause) {
        throw cannotProve(serverName, 'its handshake cannot be read back', cause);
      }
    },
    close: () => stream.destroy(),
  };
}

/** Ends where the connection breaks: only the engine knows whether the answer was complete. */
async function* incoming(stream: TappedStream): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk;
  } catch {
    return;
  }
}

function cannotProve(serverName: string, reason: string, cause: unknown): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `${serverName} cannot be proven: ${reason}.`, { cause });
}
