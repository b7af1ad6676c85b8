/**
 * Reads along between a stock prover and the notary's verifier, and says the notary's last word. The two speak through a multiplexer
 * (yamux), unencrypted: WebSocket over TLS keeps it from others.
 */
import { blake3, joinBytes, sameBytes } from 'credence/kit/notaries';
import { FLAG, FRAME, type FramePart, FrameReader, HEADER_BYTES } from './frame-reader.ts';
import { LENGTH_BYTES, MessageReader } from './message-reader.ts';
import type { SessionMessage } from './session-messages.ts';

/** The prover does not speak the protocol as stock provers do. */
export class SessionTapError extends Error {
  override readonly name = 'SessionTapError';
}

/** A stream begins with BLAKE3 of its name; the protocol's main stream is named by the number of its thread. */
const MAIN_STREAM = blake3(Uint8Array.of(1));
/** What a stream may carry before its reader allows more. */
const INITIAL_CREDIT = 256 * 1024;
/** A stock session has some fifty streams, and some ten messages for each record of TLS. */
const MAX_STREAMS = 1_024;
const MAX_MESSAGES = 16_384;

export class SessionTap {
  /** Of the main stream, in the order in which they were seen. */
  readonly messages: SessionMessage[] = [];
  readonly #onMessage: (message: SessionMessage, place: number) => void;
  readonly #frames = { prover: new FrameReader(), verifier: new FrameReader() };
  readonly #readers = { prover: new MessageReader(), verifier: new MessageReader() };
  readonly #counts = { prover: 0, verifier: 0 };
  /** The first bytes of the prover's streams. */
  readonly #beginnings = new Map<number, Uint8Array>();
  #main: number | undefined;
  #credit = INITIAL_CREDIT;
  #isOver = false;

  /** @param onMessage is told each message of the main stream, with its place among those of its sender */
  constructor(onMessage: (message: SessionMessage, place: number) => void) {
    this.#onMessage = onMessage;
  }

  /** Reads what the prover sends; all of it is for the verifier. @throws SessionTapError */
  fromProver(chunk: Uint8Array): void {
    for (const part of this.#frames.prover.read(chunk)) this.#readOfProver(part);
  }

  /**
   * Reads what the verifier sends, and returns what is for the prover. The goodbye is kept back, with all that comes after it:
   * the prover waits for its attestation.
   */
  fromVerifier(chunk: Uint8Array): Uint8Array {
    const passed: Uint8Array[] = [];
    for (const { frame, isStart, payload } of this.#frames.verifier.read(chunk)) {
      if (frame.type === FRAME.goAway) this.#isOver = true;
      if (this.#isOver) continue;
      if (isStart) passed.push(frame.header);
      passed.push(payload);
      if (frame.type !== FRAME.data || frame.stream !== this.#main) continue;
      this.#credit -= payload.length;
      this.#readMessages('verifier', payload);
    }
    return joinBytes(passed);
  }

  /**
   * One more message on the main stream, as from the verifier; when that has said goodbye.
   * @throws SessionTapError if the prover takes no message of this length
   */
  compose(message: Uint8Array): Uint8Array {
    const length = LENGTH_BYTES + message.length;
    if (!this.#isOver || this.#main === undefined || length > this.#credit) {
      throw new SessionTapError('The prover takes no message now.');
    }
    const frame = new Uint8Array(HEADER_BYTES + length);
    const view = new DataView(frame.buffer);
    view.setUint32(4, this.#main);
    view.setUint32(8, length);
    view.setUint32(HEADER_BYTES, message.length);
    frame.set(message, HEADER_BYTES + LENGTH_BYTES);
    return frame;
  }

  #readOfProver({ frame, isStart, payload }: FramePart): void {
    const { type, flags, stream, length } = frame;
    // Pings and goodbyes belong to no stream.
    if (type !== FRAME.data && type !== FRAME.window) return;
    const isMain = stream === this.#main;
    if (isStart) {
      // A stream that ends and begins again, or another of the same name, could show us what the verifier does not read.
      if (flags & FLAG.begin && this.#beginnings.has(stream)) throw new SessionTapError('A stream begins twice.');
      if (flags & (FLAG.end | FLAG.reset) && isMain && !this.#isOver) {
        throw new SessionTapError('The main stream ends too early.');
      }
      if (type === FRAME.window && isMain) this.#credit += length;
      if (flags & FLAG.begin) this.#beginnings.set(stream, new Uint8Array());
      if (this.#beginnings.size > MAX_STREAMS) throw new SessionTapError('There are too many streams.');
    }
    if (type === FRAME.window) return;
    const rest = this.#afterName(stream, payload);
    if (stream === this.#main) this.#readMessages('prover', rest);
  }

  /** What of these bytes comes after the name of their stream. */
  #afterName(stream: number, payload: Uint8Array): Uint8Array {
    const known = this.#beginnings.get(stream);
    if (known === undefined) throw new SessionTapError('Bytes of a stream that was not begun.');
    const missing = MAIN_STREAM.length - known.length;
    if (missing === 0 || payload.length === 0) return payload;
    const name = joinBytes([known, payload.subarray(0, missing)]);
    this.#beginnings.set(stream, name);
    if (sameBytes(name, MAIN_STREAM)) {
      if (this.#main !== undefined) throw new SessionTapError('There are two main streams.');
      this.#main = stream;
    }
    return payload.subarray(missing);
  }

  #readMessages(from: SessionMessage['from'], payload: Uint8Array): void {
    for (const read of this.#readers[from].read(payload)) {
      const message = { from, ...read };
      this.messages.push(message);
      if (this.messages.length > MAX_MESSAGES) throw new SessionTapError('There are too many messages.');
      this.#onMessage(message, this.#counts[from]++);
    }
  }
}
