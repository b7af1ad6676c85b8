/** A browser's `Worker` for the engine, on a thread of Node.js: as much of it as the engine uses. */
import { Worker as Thread } from 'node:worker_threads';

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const SCRIPT = new URL(`./thread-script.${EXTENSION}`, import.meta.url);

/** Runs `thread-script`, which does the work of the script that the engine's package has for browsers. */
export class EngineThread extends EventTarget {
  readonly #thread: Thread;

  /** @param glue path of the engine's JavaScript */
  constructor(glue: string) {
    super();
    this.#thread = new Thread(SCRIPT, { workerData: glue });
    this.#thread.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
    // The others would wait forever for a thread that has died: the process ends, and with it the session.
    this.#thread.on('error', () => process.exit(1));
  }

  postMessage(data: unknown): void {
    this.#thread.postMessage(data);
  }
}
