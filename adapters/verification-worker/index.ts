/**
 * Verifies web proofs in worker threads. A batch takes up to a second of computing, and everything else that the process
 * serves would wait for it. Callers take turns at the threads.
 */
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import type { Transcribe, Transcript, Transcripts, TranscriptWork } from '../../core/ports/transcripts.ts';
import { createTranscribe } from '../../core/web-proof/transcribe.ts';
import type { TrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import type { VerifyWebProof } from '../../core/web-proof/verify.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { scriptBeside } from '../package-loader/index.ts';
import { ThreadLimitError, ThreadPool } from '../thread-pool/index.ts';
import type { ThreadSettings, VerificationReply, VerificationTask } from './verification-thread.ts';

/** What proofs are verified against. */
export interface VerificationSettings extends ThreadSettings {
  /** Asked in this process, since the list may change. */
  readonly trustedNotaries: TrustedNotaries;
}

const LIMITS = {
  /** Threads that run at the same time; one fewer than there are processors, at most four. */
  threads: Math.min(4, Math.max(1, availableParallelism() - 1)),
  /** For one proof. */
  timeoutMs: 30_000,
};
/** Heap of a thread. */
const MEMORY_MB = 512;
/** Characters of hex up to which a single proof is verified in the process: handing it over would take longer. */
const SMALL_PROOF = 64 * 1024;
const MAX_WAITING = 256;
const MAX_WAITING_PER_CALLER = 32;
const MAX_WAIT_MS = 60_000;
/** Small proofs take milliseconds each, so far more of them may wait. */
const MAX_SMALL_WAITING = 4_096;

/**
 * Threads that verify by `settings`, started when they are needed; `verify` is for small proofs and has to verify by the same.
 */
export function createVerificationWorkers(
  settings: VerificationSettings,
  verify: VerifyWebProof,
  limits: Partial<typeof LIMITS> = {},
): Transcripts {
  const { threads: concurrency, timeoutMs } = { ...LIMITS, ...limits };
  const inProcess = createTranscribe(verify);
  const threads = new ThreadPool<VerificationTask, VerificationReply>({
    // A function, since a CommonJS bundle has no `import.meta.url`: it must load, and verifies nothing.
    script: () => scriptBeside(import.meta.url, 'verification-thread'),
    workerData: { extraRoots: settings.extraRoots } satisfies ThreadSettings,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    timeoutMs,
    closedError,
  });
  const queue = new FairQueue({
    name: 'verifier',
    concurrency,
    maxQueued: MAX_WAITING,
    maxQueuedPerCaller: MAX_WAITING_PER_CALLER,
    maxWaitMs: MAX_WAIT_MS,
  });
  const smallQueue = new FairQueue({
    name: 'verifier',
    concurrency: 1,
    maxQueued: MAX_SMALL_WAITING,
    maxWaitMs: MAX_WAIT_MS,
  });

  /** Verifies one small proof a turn of the event loop: many at once would hold up everything else for seconds. */
  async function inTurn<T>(task: (transcribe: Transcribe) => Promise<T>): Promise<T> {
    await nextTurn();
    threads.checkOpen();
    return await task(inProcess);
  }

  const inThread: Transcribe = async (proof, shape) => {
    const reply = await threads.ask({ proof, shape }).catch((error: unknown) => {
      if (!(error instanceof ThreadLimitError)) throw error;
      const limit =
        error.limit === 'time' ? `takes more than ${timeoutMs / 1_000} s` : `needs more than ${MEMORY_MB} MB`;
      throw new DomainError('INTERNAL_SERVER_ERROR', `Verification failed: it ${limit}.`);
    });
    if (reply.kind === 'failed') throw Object.assign(new Error(reply.message), { stack: reply.stack });
    if (reply.kind === 'refused') throw new DomainError(reply.code as ErrorCode, reply.message);
    const { transcript, tlsTimestamp } = reply.result;
    const notaryTrusted = settings.trustedNotaries.isTrusted(transcript.notaryKeyFingerprint, tlsTimestamp);
    // Sound: a thread answers in the shape that it was asked for.
    return { ...reply.result, transcript: { ...transcript, notaryTrusted } } as Transcript<typeof shape>;
  };

  const isSmall = ({ size, proofs }: TranscriptWork) => proofs === 1 && size <= SMALL_PROOF;

  return {
    async run(work, task) {
      threads.checkOpen();
      if (isSmall(work)) return await smallQueue.run(() => inTurn(task), work.caller, work.signal);
      return await queue.run(() => task(inThread), work.caller, work.signal);
    },
    async close() {
      const ended = threads.close();
      for (const waiting of [queue, smallQueue]) waiting.refuseWaiting(closedError());
      await ended;
    },
  };
}

function closedError(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'The verifier is shut down.');
}
