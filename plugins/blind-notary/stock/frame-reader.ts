/** Frames of yamux: a header of 12 bytes, and in data frames as many bytes as it says. */
import { joinBytes } from 'credence/kit/notaries';

export const HEADER_BYTES = 12;
export const FRAME = { data: 0, window: 1, ping: 2, goAway: 3 } as const;
export const FLAG = { begin: 1, acknowledge: 2, end: 4, reset: 8 } as const;

export interface Frame {
  readonly header: Uint8Array;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes that follow, or what the type has in this place. */
  readonly length: number;
}

/** Some of a frame: frames are passed on while they are read. */
export interface FramePart {
  readonly frame: Frame;
  /** True once for each frame, with its first part. */
  readonly isStart: boolean;
  readonly payload: Uint8Array;
}

/** Cuts the bytes of one direction into frames. Holds less than a header. */
export class FrameReader {
  #header: Uint8Array = new Uint8Array();
  #frame: Frame | undefined;
  #left = 0;

  /** The parts of frames in these bytes, as views of them. A header that is incomplete waits for the next bytes. */
  *read(chunk: Uint8Array): Generator<FramePart> {
    let rest = chunk;
    while (rest.length > 0) {
      let isStart = false;
      if (this.#frame === undefined) {
        const taken = rest.subarray(0, HEADER_BYTES - this.#header.length);
        rest = rest.subarray(taken.length);
        this.#header = joinBytes([this.#header, taken]);
        if (this.#header.length < HEADER_BYTES) return;
        this.#frame = readHeader(this.#header);
        this.#header = new Uint8Array();
        this.#left = this.#frame.type === FRAME.data ? this.#frame.length : 0;
        isStart = true;
      }
      const frame: Frame = this.#frame;
      const payload = rest.subarray(0, this.#left);
      rest = rest.subarray(payload.length);
      this.#left -= payload.length;
      if (this.#left === 0) this.#frame = undefined;
      yield { frame, isStart, payload };
    }
  }
}

function readHeader(header: Uint8Array): Frame {
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  return {
    header,
    type: view.getUint8(1),
    flags: view.getUint16(2),
    stream: view.getUint32(4),
    length: view.getUint32(8),
  };
}
