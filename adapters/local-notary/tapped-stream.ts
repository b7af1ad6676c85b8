import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { NotaryFailure } from './failures.ts';
import { RecordTracker } from './handshake.ts';

/** Enough for certificate chains of any sense; a server that sends more before its handshake ends is cut off. */
const MAX_HANDSHAKE_BYTES = 256 * 1024;

/**
 * A TCP connection with the bytes of its TLS handshake recorded. Give it to `tls.connect({ socket })`; take the record
 * when the handshake is over.
 */
export class TappedStream extends Duplex {
  readonly #socket: Socket;
  readonly #records = new RecordTracker();
  #recording: { readonly client: Buffer[]; readonly server: Buffer[]; size: number } | null;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    this.#recording = { client: [], server: [], size: 0 };
    socket.on('data', (chunk: Buffer) => {
      this.#records.push(chunk);
      this.#record('server', chunk);
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Both directions so far. Recording stops. */
  takeHandshake(): { readonly client: Buffer; readonly server: Buffer } {
    const { client = [], server = [] } = this.#recording ?? {};
    this.#recording = null;
    return { client: Buffer.concat(client), server: Buffer.concat(server) };
  }

  /** True when the server said that it is done, rather than the connection being cut. */
  get endedOrderly(): boolean {
    return this.#records.endsWithAlert;
  }

  /** For `Duplex`. */
  override _read(): void {
    this.#socket.resume();
  }

  /** For `Duplex`. */
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#record('client', chunk);
    this.#socket.write(chunk, done);
  }

  /** For `Duplex`. */
  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  /** For `Duplex`. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #record(direction: 'client' | 'server', chunk: Buffer): void {
    if (this.#recording === null) return;
    this.#recording.size += chunk.length;
    if (this.#recording.size > MAX_HANDSHAKE_BYTES) {
      this.destroy(
        new NotaryFailure(`the server sends more than ${MAX_HANDSHAKE_BYTES} bytes before its handshake ends`),
      );
      return;
    }
    // The chunk's memory may be reused once it has been read.
    this.#recording[direction].push(Buffer.from(chunk));
  }
}
