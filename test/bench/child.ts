/** Processes of a benchmark's own, so that the load and what is measured do not share an event loop. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface Child<T> extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly ready: T;
}

const READY_MS = 60_000;

/**
 * Starts a module of this folder and waits for its first message, which says that it is ready. It ends when it is disposed
 * of, and by itself when this process is gone.
 */
export async function startChild<T>(
  module: URL,
  setup: unknown,
  execArgv: readonly string[] = [],
  readyMs = READY_MS,
): Promise<Child<T>> {
  const child = fork(module, [JSON.stringify(setup)], {
    execArgv: ['--conditions=credence-source', ...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (child.connected) child.disconnect();
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(late);
  };
  try {
    const [ready] = await Promise.race([
      once(child, 'message', { signal: AbortSignal.timeout(readyMs) }),
      once(child, 'exit').then(([code]) => {
        throw new Error(`${module.pathname} ended with code ${code} before it was ready.`);
      }),
    ]);
    return { process: child, ready: ready as T, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
