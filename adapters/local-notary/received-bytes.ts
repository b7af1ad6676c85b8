/** Bytes as they come in, always at hand in one piece; doubling keeps the copying linear. */
export class ReceivedBytes {
  #buffer = new Uint8Array(16 * 1024);
  #length = 0;

  append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }

  get length(): number {
    return this.#length;
  }

  /** A view that holds good until the next `append`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}
