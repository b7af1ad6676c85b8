/** Keeps one proving process: starts it when needed, one proof at a time, ends it on a timeout. */

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DomainError, FairQueue, scriptBeside } from 'credence/kit';
import type { CircuitPaths } from './artifacts.ts';
import type { ProvenStatement, ProvingOutcome, ProvingTask, ProvingWork } from './proving-messages.ts';
import type { Signals } from './witness-input.ts';

export interface ProvingWorkerOptions {
  /** One proof takes no longer; milliseconds. */
  readonly timeoutMs: number;
  /** More proofs than this waiting, of everybody: refused. */
  readonly maxQueued: number;
  /** More proofs than this waiting, of one caller: refused. */
  readonly maxQueuedPerCaller: number;
  /** A proof that waits longer is refused; milliseconds. */
  readonly maxWaitMs: number;
  /** Path of rapidsnark; snarkjs proves without it. */
  readonly rapidsnark?: string | undefined;
}

interface ProvingProcess {
  readonly child: ChildProcess;
  /** Of a native prover: removed with the process. */
  readonly directory: string | undefined;
}

/** What a native prover needs to be found and to load its libraries; nothing else of the environment goes to the process. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH'];

/** A function, since a CommonJS bundle has no `import.meta.url`: it must load, and proves nothing. */
const processScript = () => fileURLToPath(scriptBeside(import.meta.url, 'proving-process'));

export class ProvingWorker {
  readonly #options: ProvingWorkerOptions;
  readonly #queue: FairQueue;
  #process: ProvingProcess | undefined;
  #closed = false;
  #nextId = 1;

  constructor(options: ProvingWorkerOptions) {
    this.#options = options;
    const { maxQueued, maxQueuedPerCaller, maxWaitMs } = options;
    this.#queue = new FairQueue({ name: 'prover', concurrency: 1, maxQueued, maxQueuedPerCaller, maxWaitMs });
  }

  /** Starts the process and has it load what proofs with these circuits need. Rejects like `prove`. */
  async load(circuits: readonly CircuitPaths[]): Promise<void> {
    if (this.#closed) throw shutDown();
    refuseFailure(await this.#run({ load: circuits }));
  }

  /**
   * Proves a task in the caller's turn. Rejects with `PROOF_GENERATION_FAILED`, or with `SERVICE_UNAVAILABLE` if too many
   * wait or this one waited too long; an aborted signal ends the wait, and rapidsnark.
   */
  async prove(
    task: { readonly circuit: CircuitPaths; readonly input: Signals },
    signal?: AbortSignal,
    caller?: string,
  ): Promise<ProvenStatement> {
    if (this.#closed) throw shutDown();
    const outcome = refuseFailure(await this.#queue.run(() => this.#run(task, signal), caller, signal));
    if (!('proof' in outcome)) throw failed('The prover failed.');
    return outcome;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.refuseWaiting(shutDown());
    this.#end();
    await this.#queue.onIdle();
  }

  #run(task: ProvingWork, signal?: AbortSignal): Promise<ProvingOutcome> {
    if (this.#closed) return Promise.reject(shutDown());
    const { rapidsnark, timeoutMs } = this.#options;
    const proving = this.#started();
    const { child, directory } = proving;
    const id = this.#nextId++;
    const native =
      rapidsnark === undefined || directory === undefined ? {} : { native: { program: rapidsnark, directory } };
    return new Promise<ProvingOutcome>((resolve, reject) => {
      let settled = false;
      const settle = (finish: () => void) => {
        // A process that dies can tell so more than once.
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        child.off('message', onMessage);
        child.off('exit', onExit);
        child.off('error', onExit);
        this.#rest();
        finish();
      };
      const giveUp = (reason: unknown) => {
        settle(() => reject(reason));
        if (this.#process === proving) this.#end();
      };
      const onMessage = (outcome: ProvingOutcome) => {
        if (outcome.id === id) settle(() => resolve(outcome));
      };
      const onExit = () => {
        if (this.#process === proving) this.#end();
        settle(() => reject(failed('The proving process ended before the proof was done.')));
      };
      // A proof of snarkjs continues: a new process would keep the next caller waiting for longer.
      const onAbort = () => {
        if (rapidsnark !== undefined) giveUp(signal?.reason);
      };
      const timer = setTimeout(() => giveUp(failed(`The proof was not done after ${timeoutMs / 1000} s.`)), timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.once('error', onExit);
      child.send({ ...task, ...native, id } satisfies ProvingTask, (error) => {
        if (error !== null) onExit();
      });
    });
  }

  #started(): ProvingProcess {
    if (this.#process?.child.connected === true) return this.#process;
    this.#end();
    const isNative = this.#options.rapidsnark !== undefined;
    const directory = isNative ? mkdtempSync(join(tmpdir(), 'credence-prover-')) : undefined;
    // The secrets of the environment and the flags of the debugger are the parent's own business. A native prover ends with
    // the group that the process leads.
    const env = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    const child = fork(processScript(), [], {
      env: isNative ? env : {},
      // Sources of the repository find each other by this condition; nothing else is handed on.
      execArgv: process.execArgv.filter((argument) => argument.startsWith('--conditions=')),
      detached: isNative,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Between proofs nobody else listens, and an unheard error would end the parent.
    child.on('error', () => undefined);
    this.#process = { child, directory };
    return this.#process;
  }

  /** Between proofs the process does not keep its parent alive. */
  #rest(): void {
    if (this.#queue.waiting > 0) return;
    this.#process?.child.unref();
    this.#process?.child.channel?.unref?.();
  }

  #end(): void {
    const ended = this.#process;
    this.#process = undefined;
    if (ended === undefined) return;
    const { child, directory } = ended;
    if (directory === undefined) {
      child.kill('SIGKILL');
      return;
    }
    killGroup(child);
    const remove = () => rmSync(directory, { recursive: true, force: true });
    remove();
    // What it wrote in its last moment.
    child.once('exit', remove);
  }
}

/** Ends a process and everything that it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function failed(message: string): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message);
}

function shutDown(): DomainError {
  return failed('The prover is shut down.');
}

type Done = Exclude<ProvingOutcome, { readonly failure: unknown }>;

function refuseFailure(outcome: ProvingOutcome): Done {
  if (!('failure' in outcome)) return outcome;
  if (outcome.failure === 'unprovable') throw failed('The signed values do not support this proof.');
  throw new DomainError('PROOF_GENERATION_FAILED', 'The prover failed.', { cause: outcome.message });
}
