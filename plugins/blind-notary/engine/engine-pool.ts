import { EngineHandle } from './engine-handle.ts';
import type { EngineProgram, EngineRole } from './messages.ts';

/** Starts engine processes, and some of them ahead, since loading the program takes a second. */
export class EnginePool {
  readonly #program: () => EngineProgram;
  readonly #size: number;
  readonly #ready: EngineHandle[] = [];
  readonly #running = new Set<EngineHandle>();
  #closed = false;

  /** @param size processes that are loaded ahead, from the first session on */
  constructor(program: () => EngineProgram, size: number) {
    this.#program = program;
    this.#size = size;
  }

  /** Processes that wait for a session. */
  get ready(): number {
    return this.#ready.length;
  }

  /** A process that serves one session. @throws EngineError if the program cannot be loaded, MissingPackageError */
  async take(role: EngineRole): Promise<EngineHandle> {
    if (this.#closed) throw new Error('The MPC engine is closed.');
    const handle = this.#next();
    this.#running.add(handle);
    try {
      await handle.loaded;
      await handle.call('begin', role);
    } catch (error) {
      await this.end(handle);
      throw error;
    }
    this.#fill();
    return handle;
  }

  async end(handle: EngineHandle): Promise<void> {
    this.#running.delete(handle);
    await handle.end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#ready.splice(0), ...this.#running].map((handle) => this.end(handle)));
  }

  #next(): EngineHandle {
    for (let handle = this.#ready.shift(); handle !== undefined; handle = this.#ready.shift()) {
      if (handle.isAlive) return handle;
    }
    return new EngineHandle(this.#program());
  }

  /** After a session has begun, so that loading does not slow its start. */
  #fill(): void {
    while (!this.#closed && this.#ready.length < this.#size) this.#ready.push(new EngineHandle(this.#program()));
  }
}
