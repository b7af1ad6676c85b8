/** Adapters as values of the configuration: each says how to make a part, and the instance makes it with what it shares. */
import type { VerifyWebProof } from '../web-proof/verify.ts';
import type { CertificateChecker } from './certificate-checker.ts';
import type { Clock } from './clock.ts';
import type { ContentDecoder } from './content-decoder.ts';
import type { EgressGuard } from './egress.ts';
import type { JobQueue } from './job-queue.ts';
import type { JobStore } from './job-store.ts';
import type { Logger } from './logger.ts';
import type { Notary } from './notary.ts';
import type { RandomSource } from './random-source.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ZkProver } from './zk-prover.ts';

/** What an instance lends to the adapters of its configuration. */
export interface AdapterContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
}

/** A job queue as a value. `create` is called once for each instance and opens nothing. */
export interface JobQueueAdapter {
  /** Makes the queue of an instance; opens nothing before `start`. */
  create(context: AdapterContext & { readonly store: JobStore; readonly leaseSeconds: number }): JobQueue;
}

/** A rate limiter as a value. `create` is called once for each instance and opens nothing. */
export interface RateLimiterAdapter {
  /** Makes the limiter of an instance, which closes it. */
  create(context: AdapterContext): RateLimiter;
}

/** What an instance lends to the notaries of its configuration. A blind one makes its requests from here, with the last four. */
export interface NotaryContext extends AdapterContext {
  /** Checks proofs that a notary returns. */
  readonly verify: VerifyWebProof;
  /** Decides which servers may be reached. */
  readonly guard: EgressGuard;
  /** Checks the certificates of servers. */
  readonly certificates: CertificateChecker;
  /** Unpacks compressed bodies. */
  readonly decoder: ContentDecoder;
  /** PEM roots that servers may chain to besides Node's. */
  readonly extraRoots: readonly string[];
}

/** A notary as a value. `create` is called once for each instance, when web proofs are first needed. */
export interface NotaryAdapter {
  /** Makes the notary of an instance, which closes it. */
  create(context: NotaryContext): Notary | Promise<Notary>;
}

/** A prover as a value. `create` is called once for each instance, when compression is first needed. */
export interface ZkProverAdapter {
  /** Makes the prover of an instance, which closes it. */
  create(context: AdapterContext): ZkProver | Promise<ZkProver>;
  /** What the operator should know when the instance starts; null if there is nothing to say. */
  warning?(): Promise<string | null>;
}
