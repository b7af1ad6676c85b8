/**
 * Verifies web proofs in worker threads. A batch takes up to a second of computing, and everything else that the process
 * serves would wait for it. Callers take turns at the threads.
 */
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { LONGEST_TIMER_MS } from '../../core/long-timer.ts';
import type {
  Transcribe,
  Transcript,
  TranscriptShapes,
  Transcripts,
  TranscriptWork,
} from '../../core/ports/transcripts.ts';
import { createTranscribe } from '../../core/web-proof/transcribe.ts';
import type { TrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import type { VerifyWebProof } from '../../core/web-proof/verify.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { scriptBeside } from '../package-loader/index.ts';
import type { ThreadSettings, VerificationReply, VerificationTask } from './messages.ts';

/** What proofs are verified against. */
export interface VerificationSettings extends ThreadSettings {
  /** Asked in this process, since the list may change. */
  readonly trustedNotaries: TrustedNotaries;
}

/** Checks `VerificationWorkerOptions` and fills in the defaults. */
export const verificationWorkerOptionsSchema = z.strictObject({
  /** Threads that run at the same time; one fewer than there are processors by default, at most four. */
  threads: z
    .int()
    .min(1)
    .max(16)
    .default(() => Math.min(4, Math.max(1, availableParallelism() - 1))),
  /** For one proof. @default 30_000 */
  timeoutMs: z.int().positive().max(LONGEST_TIMER_MS).default(30_000),
  /** Heap of a thread. @default 512 */
  memoryMb: z.int().min(32).default(512),
  /** Characters of hex up to which a single proof is verified in the process: handing it over would take longer. */
  smallProof: z
    .int()
    .nonnegative()
    .default(64 * 1024),
});

/** The bounds of `createVerificationWorkers`. Times are in milliseconds. */
export type VerificationWorkerOptions = z.input<typeof verificationWorkerOptionsSchema>;

const MAX_WAITING = 256;
const MAX_WAITING_PER_CALLER = 32;
const MAX_WAIT_MS = 60_000;
/** Small proofs take milliseconds each, so far more of them may wait. */
const MAX_SMALL_WAITING = 4_096;
const MAX_SMALL_WAITING_PER_CALLER = 1_024;

/** A function, since a CommonJS bundle has no `import.meta.url`: it must load, and verifies nothing. */
const threadScript = () => scriptBeside(import.meta.url, 'verification-thread');

/**
 * Threads that verify by `settings`, started when they are needed; `verify` is for small proofs and has to verify by the same.
 * @throws ZodError for unusable options
 */
export function createVerificationWorkers(
  settings: VerificationSettings,
  verify: VerifyWebProof,
  options: VerificationWorkerOptions = {},
): Transcripts {
  const limits = verificationWorkerOptionsSchema.parse(options);
  const inProcess = createTranscribe(verify);
  const threads = new VerificationThreads(settings, limits);
  const queue = new FairQueue({
    name: 'verifier',
    concurrency: limits.threads,
    maxWaiting: MAX_WAITING,
    maxWaitingPerCaller: MAX_WAITING_PER_CALLER,
    maxWaitMs: MAX_WAIT_MS,
  });
  const smallQueue = new FairQueue({
    name: 'verifier',
    concurrency: 1,
    maxWaiting: MAX_SMALL_WAITING,
    maxWaitingPerCaller: MAX_SMALL_WAITING_PER_CALLER,
    maxWaitMs: MAX_WAIT_MS,
  });

  /** Verifies one small proof a turn of the event loop: many at once would hold up everything else for seconds. */
  async function inTurn<T>(task: (transcribe: Transcribe) => Promise<T>): Promise<T> {
    await nextTurn();
    threads.checkOpen();
    return await task(inProcess);
  }

  const isSmall = ({ size, proofs }: TranscriptWork) => proofs === 1 && size <= limits.smallProof;

  return {
    async run(work, task) {
      threads.checkOpen();
      if (isSmall(work)) return await smallQueue.run(() => inTurn(task), work.caller, work.signal);
      return await queue.run(() => threads.run(task), work.caller, work.signal);
    },
    async close() {
      const ended = threads.close();
      for (const waiting of [queue, smallQueue]) waiting.refuseWaiting(closedError());
      await ended;
    },
  };
}

type ThreadLimits = Pick<z.output<typeof verificationWorkerOptionsSchema>, 'timeoutMs' | 'memoryMb'>;

class VerificationThreads {
  readonly #settings: VerificationSettings;
  readonly #limits: ThreadLimits;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  #isClosed = false;

  constructor(settings: VerificationSettings, limits: ThreadLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  /** Asks one thread for the whole of a task, and another once it had to be given up. */
  async run<T>(task: (transcribe: Transcribe) => Promise<T>): Promise<T> {
    let worker = this.#idle.pop();
    const transcribe: Transcribe = async (proof, shape) => {
      this.checkOpen();
      worker ??= this.#start();
      worker.ref();
      const reply = await this.#ask(worker, { proof, shape }).catch((error: unknown) => {
        void worker?.terminate();
        worker = undefined;
        throw error;
      });
      if (reply.kind === 'failed') throw Object.assign(new Error(reply.message), { stack: reply.stack });
      if (reply.kind === 'refused') throw new DomainError(reply.code as ErrorCode, reply.message);
      // Sound: a thread answers in the shape that it was asked for.
      return this.#judged(reply.result) as Awaited<ReturnType<typeof transcribe<typeof shape>>>;
    };
    try {
      return await task(transcribe);
    } finally {
      if (worker !== undefined && !this.#isClosed) {
        worker.unref();
        this.#idle.push(worker);
      }
    }
  }

  checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const worker = new Worker(threadScript(), {
      workerData: { extraRoots: this.#settings.extraRoots } satisfies ThreadSettings,
      // Strangers' data is read here: nothing of the process's environment or flags.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb },
    });
    this.#all.add(worker);
    worker.once('exit', () => this.#all.delete(worker));
    // One that fails while it is idle or being ended; a task has a listener of its own.
    worker.on('error', () => undefined);
    return worker;
  }

  /** Runs one task; the thread cannot be used again if this rejects. */
  #ask(worker: Worker, task: VerificationTask): Promise<VerificationReply> {
    const { timeoutMs, memoryMb } = this.#limits;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        finish();
      };
      const fail = (error: unknown) => settle(() => reject(error));
      const timer = setTimeout(() => fail(overLimit(`it takes more than ${timeoutMs / 1_000} s`)), timeoutMs);
      const onMessage = (reply: VerificationReply) => settle(() => resolve(reply));
      const onError = (error: NodeJS.ErrnoException) =>
        fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? overLimit(`it needs more than ${memoryMb} MB`) : error);
      const onExit = () => fail(closedError());
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(task);
    });
  }

  #judged<S extends keyof TranscriptShapes>(result: Transcript<S>): Transcript<S> {
    const { transcript, tlsTimestamp } = result;
    const { trustedNotaries } = this.#settings;
    const notaryTrusted = trustedNotaries.isTrusted(transcript.notaryKeyFingerprint, tlsTimestamp);
    return { ...result, transcript: { ...transcript, notaryTrusted } };
  }
}

function overLimit(reason: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `Verification failed: ${reason}.`);
}

function closedError(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'The verifier is shut down.');
}
