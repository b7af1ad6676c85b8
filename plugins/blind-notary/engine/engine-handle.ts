import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { scriptBeside } from './beside.ts';
import { type EngineAnswer, type EngineCall, type EngineCalls, type EngineMethod, PIPE } from './messages.ts';

/** The engine refused, failed or ended. The text is its own or ours: never show it to a caller of the API as it is. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/** A function, since a CommonJS bundle has no `import.meta.url`: it must load, and starts nothing. */
const processScript = () => fileURLToPath(scriptBeside('engine-process'));

/** JavaScript's own heap in an engine process holds only buffers and messages; MiB. */
const HEAP_MIB = 192;

/**
 * A session has more than 30 threads, so what a thread holds makes up half of its memory. Node.js's snapshot of a started thread
 * takes 3 MiB more than starting it, and a collection before a thread blocks gives back another 3. The heaps are small: to collect
 * them on several threads takes more processor time.
 */
const NODE_OPTIONS = [`--max-old-space-size=${HEAP_MIB}`, '--no-node-snapshot', '--expose-gc', '--single-threaded-gc'];

/** No secret of this process is in it. The C library keeps memory for each thread unless it is told to share. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };

/** One engine process, from this side. It is started at once, and ended by `end`, or with this process. */
export class EngineHandle {
  readonly #child: ChildProcess;
  readonly #failure = Promise.withResolvers<never>();

  constructor() {
    this.#child = fork(processScript(), [], {
      env: ENVIRONMENT,
      execArgv: NODE_OPTIONS,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe', 'pipe'],
    });
    this.#child.once('error', (error) =>
      this.#failure.reject(new EngineError('The MPC engine cannot be started.', { cause: error })),
    );
    this.#child.once('exit', (code, signal) =>
      this.#failure.reject(new EngineError(`The MPC engine ended unexpectedly (${signal ?? `code ${code}`}).`)),
    );
    for (const fd of [PIPE.peer, PIPE.server]) {
      const pipe = this.#pipe(fd);
      pipe.allowHalfOpen = true;
      // A broken pipe means that the process is gone, which its exit says.
      pipe.on('error', () => {});
    }
    // A failure is told by the call that waits for it.
    this.failed.catch(() => {});
  }

  /** Rejects with an EngineError when the process has ended; never resolves. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Bytes to and from the other party. */
  get peer(): Socket {
    return this.#pipe(PIPE.peer);
  }

  /** Bytes to and from the server; of a prover only. */
  get server(): Socket {
    return this.#pipe(PIPE.server);
  }

  /** One call after the other. @throws EngineError if the call fails or the process ends before it answers */
  async call<M extends EngineMethod>(
    method: M,
    ...[argument]: Parameters<EngineCalls[M]>
  ): Promise<ReturnType<EngineCalls[M]>> {
    const answered = Promise.withResolvers<EngineAnswer>();
    this.#child.once('message', answered.resolve);
    this.#child.send({ method, argument } satisfies EngineCall, (cause) => {
      if (cause === null) return;
      const message = 'The MPC engine cannot be called: its process has ended or its channel is closed.';
      answered.reject(new EngineError(message, { cause }));
    });
    const answer = await Promise.race([this.failed, answered.promise]);
    if ('error' in answer) throw new EngineError(answer.error);
    return answer.result as ReturnType<EngineCalls[M]>;
  }

  /** Ends the process at once; resolves when it is gone. */
  async end(): Promise<void> {
    this.#failure.reject(new EngineError('The MPC session was ended.'));
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  #pipe(fd: number): Socket {
    return this.#child.stdio[fd] as Socket;
  }
}
