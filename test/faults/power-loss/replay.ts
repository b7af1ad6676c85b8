/** Reads a recording of `record.c`, and makes the files that a power cut would have left. */
import { readFileSync } from 'node:fs';

export type Entry =
  | { readonly op: 'write'; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly op: 'truncate'; readonly path: string; readonly size: number }
  | { readonly op: 'flush-begins' | 'flush-ends'; readonly path: string; readonly flush: number }
  | { readonly op: 'answer'; readonly text: string };

/** The recording, oldest entry first. */
export function readRecording(path: string): Entry[] {
  const recording = readFileSync(path);
  const entries: Entry[] = [];
  for (let at = 0; at < recording.length; ) {
    const lineEnd = recording.indexOf('\n', at);
    const fields = recording.subarray(at, lineEnd).toString('utf8').split(' ');
    const [op = '', length, number] = [fields[0], Number(fields.at(-1)), Number(fields.at(-2))];
    const file = fields.slice(1, -2).join(' ');
    const bytes = recording.subarray(lineEnd + 1, lineEnd + 1 + length);
    at = lineEnd + 1 + length;
    entries.push(entryOf(op, file, number, bytes));
  }
  return entries;
}

function entryOf(op: string, path: string, number: number, bytes: Buffer): Entry {
  switch (op) {
    case 'W':
      return { op: 'write', path, offset: number, bytes };
    case 'T':
      return { op: 'truncate', path, size: number };
    case 'B':
      return { op: 'flush-begins', path, flush: number };
    case 'E':
      return { op: 'flush-ends', path, flush: number };
    case 'A':
      return { op: 'answer', text: bytes.toString('utf8') };
    default:
      throw new Error(`The recording has an unknown entry: ${op}`);
  }
}

/**
 * The content of each file after a power cut behind `entries`: everything that was written before the last flush began that
 * has ended. Of the rest what `survives` says.
 */
export function filesAfterPowerCut(entries: readonly Entry[], survives: () => boolean): Map<string, Buffer> {
  const flushed = lastFlushed(entries);
  const files = new Map<string, GrowingFile>();
  entries.forEach((entry, index) => {
    if (entry.op !== 'write' && entry.op !== 'truncate') return;
    if (index >= (flushed.get(entry.path) ?? 0) && !survives()) return;
    const file = files.get(entry.path) ?? new GrowingFile();
    files.set(entry.path, file);
    if (entry.op === 'write') file.write(entry.offset, entry.bytes);
    else file.resize(entry.size);
  });
  return new Map([...files].map(([path, file]) => [path, file.content()]));
}

/** By path, the index behind the last entry that is certainly on the disk. */
function lastFlushed(entries: readonly Entry[]): Map<string, number> {
  const begun = new Map<number, number>();
  const flushed = new Map<string, number>();
  entries.forEach((entry, index) => {
    if (entry.op === 'flush-begins') begun.set(entry.flush, index);
    if (entry.op === 'flush-ends') {
      const until = begun.get(entry.flush) ?? 0;
      flushed.set(entry.path, Math.max(until, flushed.get(entry.path) ?? 0));
    }
  });
  return flushed;
}

/** Has room for more than it holds: most writes make a file longer. */
class GrowingFile {
  #room = Buffer.alloc(1 << 20);
  #size = 0;

  content(): Buffer {
    return this.#room.subarray(0, this.#size);
  }

  write(offset: number, bytes: Buffer): void {
    this.resize(Math.max(this.#size, offset + bytes.length));
    bytes.copy(this.#room, offset);
  }

  resize(size: number): void {
    if (size > this.#room.length) {
      const larger = Buffer.alloc(2 * size);
      this.content().copy(larger);
      this.#room = larger;
    }
    if (size < this.#size) this.#room.fill(0, size, this.#size);
    this.#size = size;
  }
}
