const PARTS_AT_ONCE = 512;

/** A text that is put together from many parts. Joins few at a time: a long list takes milliseconds to be joined. */
export class TextBuilder {
  #joined: string[] = [];
  #parts: string[] = [];

  add(part: string): void {
    this.#parts.push(part);
    if (this.#parts.length >= PARTS_AT_ONCE) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined.join('');
  }

  #join(): void {
    this.#joined.push(this.#parts.join(''));
    this.#parts = [];
  }
}
