/** A browser's `Worker` for the engine, on a thread of Node.js: as much of it as the engine uses. */
import { Worker as Thread } from 'node:worker_threads';
import { fileBeside, scriptBeside } from './beside.ts';

/** What a thread runs: the work of the script that the engine's package has for browsers. */
export const SPAWNER_SCRIPT = scriptBeside('spawner-thread');
export const WORKER_SCRIPT = fileBeside('worker-thread.js');

export class EngineThread extends EventTarget {
  readonly #thread: Thread;

  /** @param glue path of the engine's JavaScript */
  constructor(script: URL, glue: string) {
    super();
    this.#thread = new Thread(script, { workerData: glue });
    this.#thread.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
    // The others would wait forever for a thread that has died. It ends the thread that started it, and so on up to the process.
    this.#thread.on('error', () => {});
    this.#thread.on('exit', (code) => {
      if (code !== 0) process.exit(code);
    });
  }

  postMessage(data: unknown): void {
    this.#thread.postMessage(data);
  }
}
