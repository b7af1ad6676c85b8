/** A browser's `WebSocket` for the engine, over a pipe to the parent: the engine opens no connection of its own. */
import { Socket } from 'node:net';

type Handler = ((event: Event) => void) | null;

/** @param pipes file descriptors by the URL that the engine is told */
export function createPipeWebSocket(pipes: Readonly<Record<string, number>>): new (url: string) => object {
  return class PipeWebSocket {
    protocol = '';
    extensions = '';
    binaryType = 'arraybuffer';
    readyState = 0;
    bufferedAmount = 0;
    onopen: Handler = null;
    onerror: Handler = null;
    onclose: Handler = null;
    readonly url: string;
    readonly #pipe: Socket;
    #onmessage: Handler = null;
    #early: Uint8Array[] = [];

    constructor(url: string) {
      this.url = url;
      const fd = pipes[url];
      if (fd === undefined) throw new Error(`no pipe for ${url}`);
      this.#pipe = new Socket({ fd, readable: true, writable: true, allowHalfOpen: true });
      this.#pipe.on('data', (bytes: Buffer) => this.#deliver(bytes));
      this.#pipe.on('end', () => this.#closed(true));
      this.#pipe.on('error', () => this.#closed(false));
      setImmediate(() => {
        this.readyState = 1;
        this.onopen?.(new Event('open'));
      });
    }

    get onmessage(): Handler {
      return this.#onmessage;
    }

    // The engine sets it some time after `open`. A message lost before that would leave both sides waiting forever.
    set onmessage(handler: Handler) {
      this.#onmessage = handler;
      if (handler !== null) for (const bytes of this.#early.splice(0)) this.#deliver(bytes);
    }

    send(data: ArrayBuffer | Uint8Array): void {
      // A copy: the bytes may lie in memory that the engine uses again.
      this.#pipe.write(Uint8Array.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data));
    }

    close(): void {
      if (this.readyState >= 2) return;
      this.readyState = 2;
      this.#pipe.end();
      setImmediate(() => this.#closed(true));
    }

    #deliver(bytes: Uint8Array): void {
      if (this.#onmessage === null) this.#early.push(bytes);
      else this.#onmessage(new MessageEvent('message', { data: Uint8Array.from(bytes).buffer }));
    }

    #closed(wasClean: boolean): void {
      if (this.readyState === 3) return;
      this.readyState = 3;
      const event = Object.assign(new Event('close'), { code: wasClean ? 1000 : 1006, reason: '', wasClean });
      this.onclose?.(event);
    }
  };
}
