import { joinBytes } from 'credence/kit/notaries';
import { KEPT_BYTES, type SessionMessage } from './session-messages.ts';

/** Of a message's length, big-endian. */
export const LENGTH_BYTES = 4;

/** Cuts the bytes of one direction of a stream into messages: four bytes of length, then the message. Copies what it keeps. */
export class MessageReader {
  #parts: Uint8Array[] = [];
  #have = 0;
  /** Of the message that is being read; undefined while its length is. */
  #length: number | undefined;

  /** The messages that are complete with these bytes. */
  *read(bytes: Uint8Array): Generator<Omit<SessionMessage, 'from'>> {
    let rest = bytes;
    do {
      const wanted = this.#length ?? LENGTH_BYTES;
      const taken = rest.subarray(0, wanted - this.#have);
      rest = rest.subarray(taken.length);
      if (wanted <= KEPT_BYTES) this.#parts.push(Uint8Array.from(taken));
      this.#have += taken.length;
      if (this.#have < wanted) return;
      const whole = joinBytes(this.#parts);
      this.#parts = [];
      this.#have = 0;
      if (this.#length === undefined) {
        this.#length = new DataView(whole.buffer, whole.byteOffset).getUint32(0);
      } else {
        yield { length: this.#length, bytes: this.#length <= KEPT_BYTES ? whole : null };
        this.#length = undefined;
      }
    } while (rest.length > 0 || this.#length === 0);
  }
}
