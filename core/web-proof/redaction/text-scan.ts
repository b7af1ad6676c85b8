/** Passes over long texts in steps: a text may be one word, one match, or nothing of what is looked for. */
import type { Steps } from '../attested-values/steps.ts';
import { decodeLatin1 } from '../http/text.ts';
import { TextBuilder } from '../text-builder.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';

/** As many characters as are changed in a tenth of a millisecond. A multiple of four: no word of Base64 or hex is cut amiss. */
export const PIECE = 4_096;
/** As many characters as a pattern reads in a tenth of a millisecond. */
const WINDOW = 16_384;
/** As many matches as take a tenth of a millisecond. */
const MATCHES_PER_STEP = 64;

/**
 * One character in place of another. `replaceAll` leaves a tree of strings behind, and its first reader waits until all of it is one
 * text.
 */
export function exchanged(text: string, old: string, by: string): string {
  return text.includes(old) ? text.split(old).join(by) : text;
}

/** Changes a text piece by piece. `change` must not depend on the neighbours of a character; a piece has 4096. */
export function* changing(text: string, change: (piece: string) => string): Steps<string> {
  if (text.length <= PIECE) return change(text);
  const changed = new TextBuilder();
  for (let at = 0; at < text.length; at += PIECE) {
    changed.add(change(text.slice(at, at + PIECE)));
    yield;
  }
  return changed.toString();
}

/** `decodeLatin1` in steps. */
export function* latin1Steps(bytes: Uint8Array): Steps<string> {
  const text = new TextBuilder();
  for (let at = 0; at < bytes.length; at += WINDOW) {
    if (at > 0) yield;
    text.add(decodeLatin1(bytes.subarray(at, at + WINDOW)));
  }
  return text.toString();
}

/** A pattern whose matches are bounded, with how far it may look. */
export interface Pattern {
  /** With the flag `g`. */
  readonly pattern: RegExp;
  /** The longest match, with what is looked at behind it. */
  readonly reach: number;
  /** How far it looks back. */
  readonly back?: number;
}

export interface Found {
  readonly match: RegExpExecArray;
  /** Where the match is in the whole text; its own `index` is that in a part of it. */
  readonly start: number;
  readonly end: number;
}

/** The matches in a text; null where other work may come in. */
export function* matchesOf(
  text: string,
  { pattern, reach, back = 0 }: Pattern,
  from = 0,
): Generator<Found | null, void> {
  let read = 0;
  for (let at = from; at < text.length; ) {
    const base = Math.max(0, at - back);
    const window = text.slice(base, at + WINDOW + reach);
    const stop = at + WINDOW;
    let next = at - base;
    at = stop;
    for (;;) {
      // Others may have used the pattern in between.
      pattern.lastIndex = next;
      const match = pattern.exec(window);
      if (match === null || base + match.index >= stop) break;
      next = pattern.lastIndex;
      at = Math.max(stop, base + next);
      yield { match, start: base + match.index, end: base + next };
      read += 1;
      if (read % MATCHES_PER_STEP === 0) yield null;
    }
    yield null;
  }
}

/** `text.replace` in steps. */
export function* replacing(text: string, pattern: Pattern, by: (match: RegExpExecArray) => string): Steps<string> {
  const replaced = new TextBuilder();
  let from = 0;
  for (const found of matchesOf(text, pattern)) {
    if (found === null) {
      yield;
      continue;
    }
    replaced.add(text.slice(from, found.start));
    replaced.add(by(found.match));
    from = found.end;
  }
  if (from === 0) return text;
  replaced.add(text.slice(from));
  return replaced.toString();
}

/** The characters of Latin-1 that `pattern` takes. */
export function charactersIn(pattern: RegExp): readonly boolean[] {
  return Array.from({ length: 256 }, (_, code) => pattern.test(String.fromCharCode(code)));
}

/** Where a text has at least `least` of these characters in a row; null where other work may come in. */
export function* runsOf(
  text: string,
  characters: readonly boolean[],
  least: number,
): Generator<ByteRange | null, void> {
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at % WINDOW === 0) yield null;
    if (at < text.length && characters[text.charCodeAt(at)] === true) continue;
    if (at - start >= least) yield { start, end: at };
    start = at + 1;
  }
}
