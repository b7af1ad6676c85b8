/** A blind notary that someone else runs: it never has what a proof hides, since the request is made from here, together with it. */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import { type Clock, systemClock } from '../../core/ports/clock.ts';
import type { ContentDecoder } from '../../core/ports/content-decoder.ts';
import type { EgressGuard } from '../../core/ports/egress.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import type { MpcProver } from '../../core/ports/mpc-tls.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { type BlindProgress, createProveBlind } from '../../core/web-proof/blind/prove-blind.ts';
import { createSetUp } from '../../core/web-proof/blind/set-up-session.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import type { VerifyWebProof } from '../../core/web-proof/verify.ts';
import { createFairQueue } from '../fair-queue/index.ts';
import { createHttpNotary, createNotaryCalls, MAX_CLOCK_DIFFERENCE_SECONDS } from '../http-notary/index.ts';
import { checkTarget, createTlsProbe } from '../local-notary/index.ts';
import { createMpcProver } from '../mpc-engine/index.ts';
import { joinSession } from './notary-session.ts';
import { mpcNotaryOptions } from './options.ts';
import { createReadySessions } from './ready-sessions.ts';
import { connectToServer } from './server-connection.ts';

export { mpcNotaryOptions } from './options.ts';

/** What `createMpcNotary` takes. */
export interface MpcNotaryOptions extends z.input<typeof mpcNotaryOptions> {
  /** Decides which servers may be reached: the request is made from here. */
  readonly guard: EgressGuard;
  /** Checks the certificates of servers before work is spent on them. */
  readonly certificates: CertificateChecker;
  /** PEM roots that servers may chain to besides Node's; the engine trusts Mozilla's and no others. @default [] */
  readonly extraRoots?: readonly string[];
  /** Unpacks compressed bodies. */
  readonly decoder: ContentDecoder;
  /** Checks the proofs that the notary returns. */
  readonly verify: VerifyWebProof;
  /** Is told what each proof goes through. */
  readonly onProgress?: (progress: BlindProgress) => void;
  /** @default TLSNotary's, one process for each proof */
  readonly prover?: MpcProver;
  /** @default the system clock */
  readonly clock?: Clock;
  /** Is told of the sessions that are set up ahead. @default nobody */
  readonly logger?: Logger;
}

const sessionSchema = z.object({
  data: z.object({
    sessionId: z.string().regex(/^[0-9a-f]{32}$/),
    maxSentData: z.int(),
    maxRecvData: z.int(),
    readySeconds: z.number().positive().optional(),
  }),
});

/**
 * The notary sees the server's name, the lengths and the bytes that the proof shows. Every proof is verified and compared with
 * what was sent and received before it is returned.
 * @throws ZodError for options out of range.
 */
export function createMpcNotary(options: MpcNotaryOptions): Notary {
  const settings = mpcNotaryOptions.parse(options);
  const { guard, certificates, extraRoots = [], decoder, verify, onProgress } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  const prover = options.prover ?? createMpcProver({ memoryMiB: settings.memoryMiB });
  const base = notaryLabel(settings.url);
  const calls = createNotaryCalls(settings);
  const remote = createHttpNotary({ ...settings, verify, clock });
  const probe = createTlsProbe({ certificates, extraRoots, clock });
  const queue = createFairQueue('blind notary', settings);
  const closing = new AbortController();
  const { phases } = settings;
  const limits = { maxSentData: settings.maxSentData, maxRecvData: settings.maxRecvData };
  const setUp = createSetUp({
    prover,
    phases,
    async openSession(wanted, openedFor, signal) {
      const body = openedFor === 'ahead' ? { ...wanted, ahead: true } : wanted;
      const { data } = await calls.post('/sessions', body, sessionSchema, signal);
      const { sessionId, readySeconds = 0 } = data;
      const { token, ca } = settings;
      return joinSession({ base, sessionId, token, ca, readyMs: readySeconds * 1_000 }, signal);
    },
  });
  const ready = createReadySessions({
    size: settings.readySessions,
    // Of the full size, so that every request fits.
    setUp: (serverName, signal) => setUp(serverName, limits, 'ahead', signal),
    maxAgeMs: phases.ready,
    logger,
  });
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
    beginSession: async (serverName, wanted, signal) =>
      (await ready.take(serverName, signal)) ?? setUp(serverName, wanted, 'now', signal),
  });

  return {
    url: base,
    fingerprint: settings.fingerprint,
    notarize(request, signal, caller) {
      const either = AbortSignal.any([signal, closing.signal]);
      return queue.run(() => ready.during(() => prove(request, either, onProgress)), caller, either);
    },
    ...(remote.attestQueries === undefined ? {} : { attestQueries: remote.attestQueries }),
    async close() {
      closing.abort(new DomainError('SERVICE_UNAVAILABLE', 'The notary is shutting down.'));
      await Promise.all([queue.onIdle(), ready.close()]);
      await Promise.all([calls.close(), remote.close(), prover.close()]);
    },
  };
}
