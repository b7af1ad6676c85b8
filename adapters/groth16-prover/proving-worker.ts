/** Keeps one proving process: starts it when needed, one proof at a time, ends it on a timeout. */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DomainError, FairQueue, scriptBeside } from 'credence/kit';
import type { CircuitPaths } from './artifacts.ts';
import type { ProvenStatement, ProvingOutcome, ProvingWork } from './proving-process.ts';
import type { Signals } from './witness-input.ts';

export interface ProvingWorkerOptions {
  /** One proof takes no longer; milliseconds. */
  readonly timeoutMs: number;
  /** More proofs than this waiting, or a quarter of one caller: refused. */
  readonly maxQueued: number;
  /** A proof that waits longer is refused; milliseconds. */
  readonly maxWaitMs: number;
}

/** A function, since a CommonJS bundle has no `import.meta.url`: it must load, and proves nothing. */
const processScript = () => fileURLToPath(scriptBeside(import.meta.url, 'proving-process'));

export class ProvingWorker {
  readonly #options: ProvingWorkerOptions;
  readonly #queue: FairQueue;
  #process: ChildProcess | undefined;
  #closed = false;

  constructor(options: ProvingWorkerOptions) {
    this.#options = options;
    const { maxQueued, maxWaitMs } = options;
    this.#queue = new FairQueue({ name: 'prover', concurrency: 1, maxQueued, maxWaitMs });
  }

  /** Starts the process and has it load what proofs with these circuits need. Rejects like `prove`. */
  async load(circuits: readonly CircuitPaths[]): Promise<void> {
    await this.#perform({ load: circuits });
  }

  /**
   * Proves a task in the caller's turn. Rejects with `PROOF_GENERATION_FAILED`, or with `SERVICE_UNAVAILABLE` if too many
   * wait or this one waited too long; an aborted signal ends the wait, not the proof.
   */
  async prove(
    task: { readonly circuit: CircuitPaths; readonly input: Signals },
    signal?: AbortSignal,
    caller?: string,
  ): Promise<ProvenStatement> {
    return (await this.#perform(task, caller, signal)) as ProvenStatement;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.refuseWaiting(shutDown());
    this.#end(this.#process);
    await this.#queue.onIdle();
  }

  async #perform(work: ProvingWork, caller?: string, signal?: AbortSignal): Promise<ProvingOutcome> {
    if (this.#closed) throw shutDown();
    const outcome = await this.#queue.run(() => this.#ask(work), caller, signal);
    if (!('failure' in outcome)) return outcome;
    if (outcome.failure === 'unprovable') throw failed('The signed values do not support this proof.');
    throw new DomainError('PROOF_GENERATION_FAILED', 'The prover failed.', { cause: outcome.message });
  }

  /** What the process says to this; it says one thing to each. */
  async #ask(work: ProvingWork): Promise<ProvingOutcome> {
    if (this.#closed) throw shutDown();
    const { timeoutMs } = this.#options;
    const child = this.#started();
    const { promise, resolve, reject } = Promise.withResolvers<ProvingOutcome>();
    const onEnd = () => reject(failed('The proving process ended before the proof was done.'));
    const onLate = () => reject(failed(`The proof was not done after ${timeoutMs / 1000} s.`));
    const timer = setTimeout(onLate, timeoutMs);
    child.on('message', resolve).on('exit', onEnd).on('error', onEnd);
    child.send(work, (error) => {
      if (error !== null) onEnd();
    });
    try {
      return await promise;
    } catch (error) {
      this.#end(child);
      throw error;
    } finally {
      clearTimeout(timer);
      child.off('message', resolve).off('exit', onEnd).off('error', onEnd);
      this.#rest();
    }
  }

  #started(): ChildProcess {
    if (this.#process?.connected === true) return this.#process;
    this.#end(this.#process);
    // The secrets of the environment and the flags of the debugger are the parent's own business.
    const child = fork(processScript(), [], {
      env: {},
      // Sources of the repository find each other by this condition; nothing else is handed on.
      execArgv: process.execArgv.filter((argument) => argument.startsWith('--conditions=')),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Between proofs nobody else listens, and an unheard error would end the parent.
    child.on('error', () => undefined);
    this.#process = child;
    return child;
  }

  /** Between proofs the process does not keep its parent alive. */
  #rest(): void {
    if (this.#queue.waiting > 0) return;
    this.#process?.unref();
    this.#process?.channel?.unref?.();
  }

  #end(child: ChildProcess | undefined): void {
    child?.kill('SIGKILL');
    if (this.#process === child) this.#process = undefined;
  }
}

function failed(message: string): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message);
}

function shutDown(): DomainError {
  return failed('The prover is shut down.');
}
