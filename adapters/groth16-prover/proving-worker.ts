/** Keeps one proving process: starts it when needed, one proof at a time, ends it on a timeout and when it is idle. */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DomainError } from '../../core/errors.ts';
import { FairQueue } from '../fair-queue/index.ts';
import type { ProvingOutcome, ProvingTask } from './proving-messages.ts';
import type { Groth16Proof } from './seal.ts';

export interface ProvingWorkerOptions {
  /** One proof takes no longer; milliseconds. */
  readonly timeoutMs: number;
  /** More proofs than this waiting, of everybody: refused. */
  readonly maxWaiting: number;
  /** More proofs than this waiting, of one caller: refused. */
  readonly maxWaitingPerCaller: number;
  /** A proof that waits longer is refused; milliseconds. */
  readonly maxWaitMs: number;
  /** An idle process ends after this; milliseconds. */
  readonly idleMs: number;
}

export interface ProvenStatement {
  readonly proof: Groth16Proof;
  readonly publicSignals: readonly string[];
}

// The compiled package has JavaScript beside this file, a checkout has TypeScript.
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const PROCESS_SCRIPT = fileURLToPath(new URL(`./proving-process.${EXTENSION}`, import.meta.url));

function failed(message: string): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message);
}

export class ProvingWorker {
  readonly #options: ProvingWorkerOptions;
  readonly #queue: FairQueue;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #nextId = 1;

  constructor(options: ProvingWorkerOptions) {
    this.#options = options;
    const { maxWaiting, maxWaitingPerCaller, maxWaitMs } = options;
    this.#queue = new FairQueue({ name: 'prover', concurrency: 1, maxWaiting, maxWaitingPerCaller, maxWaitMs });
  }

  /**
   * Proves a task in the caller's turn. Rejects with `PROOF_GENERATION_FAILED`, or with `SERVICE_UNAVAILABLE` if too many
   * wait or this one waited too long; an aborted signal ends the wait.
   */
  async prove(task: Omit<ProvingTask, 'id'>, signal?: AbortSignal, caller?: string): Promise<ProvenStatement> {
    if (this.#closed) throw failed('The prover is shut down.');
    const outcome = await this.#queue.run(() => this.#run({ ...task, id: this.#nextId++ }), caller, signal);
    if (!('failure' in outcome)) return outcome;
    switch (outcome.failure) {
      case 'missing':
        throw failed('The prover needs the optional package snarkjs: npm install snarkjs');
      case 'broken':
        // The words of Node.js hold paths of this machine: they are for the log, not for callers.
        throw new DomainError(
          'PROOF_GENERATION_FAILED',
          'The package snarkjs is installed but cannot be loaded: install the dependencies anew. The log has the reason.',
          { cause: outcome.message },
        );
      case 'unprovable':
        throw failed('The signed values do not support this proof.');
      default:
        throw new DomainError('PROOF_GENERATION_FAILED', 'The prover failed.', { cause: outcome.message });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.refuseWaiting(failed('The prover is shut down.'));
    this.#end();
    await this.#queue.onIdle();
  }

  #run(task: ProvingTask): Promise<ProvingOutcome> {
    if (this.#closed) return Promise.reject(failed('The prover is shut down.'));
    clearTimeout(this.#idle);
    const child = this.#started();
    return new Promise<ProvingOutcome>((resolve, reject) => {
      let settled = false;
      const settle = (finish: () => void) => {
        // A process that dies can tell so more than once.
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        child.off('error', onExit);
        this.#rest();
        finish();
      };
      const onMessage = (outcome: ProvingOutcome) => {
        if (outcome.id === task.id) settle(() => resolve(outcome));
      };
      const onExit = () => {
        if (this.#child === child) this.#child = undefined;
        settle(() => reject(failed('The proving process ended before the proof was done.')));
      };
      const timer = setTimeout(() => {
        settle(() => reject(failed(`The proof was not done after ${this.#options.timeoutMs / 1000} s.`)));
        if (this.#child === child) this.#end();
      }, this.#options.timeoutMs);
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.once('error', onExit);
      child.send(task, (error) => {
        if (error !== null) onExit();
      });
    });
  }

  #started(): ChildProcess {
    if (this.#child?.connected === true) return this.#child;
    // The secrets of the environment and the flags of the debugger are the parent's own business.
    const child = fork(PROCESS_SCRIPT, [], { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    // Between proofs nobody else listens, and an unheard error would end the parent.
    child.on('error', () => undefined);
    this.#child = child;
    return child;
  }

  /** Between proofs the process may end, and does not keep its parent alive. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs);
    this.#idle.unref();
    if (this.#queue.waiting > 0) return;
    this.#child?.unref();
    this.#child?.channel?.unref?.();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
