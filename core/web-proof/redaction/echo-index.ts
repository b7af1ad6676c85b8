import { decodeLatin1, decodeUtf8 } from '../http/text.ts';
import { numbersOf } from './grouped-digits.ts';
import { type HiddenValue, MIN_ECHO_LENGTH } from './hidden-value.ts';
import { base64Forms, encodings, latin1Bytes, unescapings, withoutCase, withSpaces } from './text-forms.ts';

/** A text to look for; one of fewer than 8 bytes counts only as a whole word or number. */
export interface Needle {
  readonly text: string;
  readonly values: HiddenValue[];
  /** The longest other needle that this one begins with. */
  parent: Needle | undefined;
}

export interface EchoIndex {
  /** Needles of 4 bytes or more by their first four, each list in the order of its texts. */
  readonly byPrefix: ReadonlyMap<number, readonly Needle[]>;
  /** Texts of 1 to 3 bytes. */
  readonly tiny: ReadonlyMap<string, readonly HiddenValue[]>;
  /** Numbers to look for in groups of digits. */
  readonly numbers: ReadonlyMap<string, readonly HiddenValue[]>;
}

export const PREFIX_LENGTH = 4;

/** Everything to look for, by the texts that give values away, so that one pass over a text looks for all of it. */
export function indexValues(tellTales: ReadonlyMap<string, readonly HiddenValue[]>): EchoIndex {
  const texts = new Map<string, HiddenValue[]>();
  const numbers = new Map<string, HiddenValue[]>();
  for (const [tellTale, values] of tellTales) {
    const found = numbersOf(tellTale);
    const forms = new Set([...formsOf(tellTale), ...found]);
    for (const value of values) {
      for (const form of forms) put(texts, form, value);
      for (const number of found) put(numbers, number, value);
    }
  }
  const byPrefix = new Map<number, Needle[]>();
  const tiny = new Map<string, readonly HiddenValue[]>();
  // In the order of code units, so that what begins with a text follows it.
  for (const [text, meant] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (text.length < PREFIX_LENGTH) {
      tiny.set(text, meant);
      continue;
    }
    let prefix = 0;
    for (let i = 0; i < PREFIX_LENGTH; i++) prefix = pushByte(prefix, text.charCodeAt(i));
    const list = byPrefix.get(prefix) ?? [];
    let parent = list.at(-1);
    while (parent !== undefined && !text.startsWith(parent.text)) parent = parent.parent;
    list.push({ text, values: meant, parent });
    byPrefix.set(prefix, list);
  }
  return { byPrefix, tiny, numbers };
}

export function pushByte(prefix: number, byte: number): number {
  return ((prefix << 8) | byte) >>> 0;
}

/** The texts that give a value away: as it is and unescaped; if it is long also in Base64 and in hex. In small letters. */
function formsOf(tellTale: string): Set<string> {
  const forms = new Set<string>();
  for (const bytes of encodings(tellTale)) {
    const text = decodeLatin1(bytes);
    forms.add(withoutCase(text));
    for (const unescaped of unescapings(text)) forms.add(withoutCase(withSpaces(unescaped)));
    if (bytes.length < MIN_ECHO_LENGTH) continue;
    for (const form of base64Forms(bytes)) forms.add(withoutCase(form));
    forms.add(bytes.reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), ''));
  }
  forms.delete('');
  return forms;
}

/** Adds a value to those of a text. */
export function put(map: Map<string, HiddenValue[]>, text: string, value: HiddenValue): void {
  const list = map.get(text);
  if (list === undefined) map.set(text, [value]);
  // Bodies repeat values: one of each sort is enough.
  else if (!list.some(({ named, aboutTalking }) => named === value.named && aboutTalking === value.aboutTalking)) {
    list.push(value);
  }
}

/** The needles that are in `view` at `at`, longest first. `onCompared` is told how many characters that took. */
export function* needlesAt(
  list: readonly Needle[],
  view: string,
  at: number,
  onCompared: (characters: number) => void,
): Generator<Needle, void> {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const text = list[middle]?.text ?? '';
    const same = commonLength(view, at, text);
    onCompared(same + 1);
    // Behind the end of the view there is nothing: NaN, which is not greater.
    const isAfter = same === text.length || view.charCodeAt(at + same) > text.charCodeAt(same);
    if (isAfter) low = middle + 1;
    else high = middle;
  }
  // Whatever is here is the last text that is not after the view, or what that begins with.
  for (let needle = list[low - 1]; needle !== undefined; needle = needle.parent) {
    const same = commonLength(view, at, needle.text);
    onCompared(same + 1);
    if (same === needle.text.length) yield needle;
  }
}

/** How many characters of `text` are in `view` at `at`, up to the first that differs. */
function commonLength(view: string, at: number, text: string): number {
  let length = 0;
  while (length < text.length && view.charCodeAt(at + length) === text.charCodeAt(length)) length++;
  return length;
}

/** True when `[start, end)` of a view in small letters is a word or number of its own. */
export function standsAlone(view: string, start: number, end: number): boolean {
  const text = view.slice(start, end);
  const before = characterBefore(view, start);
  const after = characterAfter(view, end);
  if (!/^\d+$/.test(text)) {
    const joins = (edge: string, neighbour: string) => isWordCharacter(edge) && isWordCharacter(neighbour);
    return !joins(characterAfter(view, start), before) && !joins(characterBefore(view, end), after);
  }
  if (/\d/.test(before) || /\d/.test(after)) return false;
  // The number of a character in an escape is none of the text.
  if (before === '%' || /(?:\\u|&#)$/.test(view.slice(Math.max(0, start - 2), start))) return false;
  // 4711 is neither 3.4711 nor 4711.3.
  if (before === '.' && /\d/.test(view.charAt(start - 2))) return false;
  if (after === '.' && /\d/.test(view.charAt(end + 1))) return false;
  // A unit or a label may be joined to it (`pin4711`); hex digits may not, for ids are full of chance numbers.
  let from = start;
  while (from > start - MAX_LABEL && isSmallLetter(view.charAt(from - 1))) from--;
  let to = end;
  while (to < end + MAX_LABEL && isSmallLetter(view.charAt(to))) to++;
  const joined = view.slice(from, start) + view.slice(end, to);
  return joined === '' || /[g-z]/.test(joined);
}

const MAX_LABEL = 40;

function isSmallLetter(character: string): boolean {
  return character >= 'a' && character <= 'z';
}

function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(character);
}

/** The character that ends before `at`: more than one byte in UTF-8. */
function characterBefore(view: string, at: number): string {
  const last = view.charAt(at - 1);
  if (last < '\x80') return last;
  for (let length = 2; length <= 4; length++) {
    const character = decodeUtf8(latin1Bytes(view.slice(Math.max(0, at - length), at)));
    if (character !== null && [...character].length === 1) return character;
  }
  return last;
}

function characterAfter(view: string, at: number): string {
  const first = view.charAt(at);
  if (first < '\x80') return first;
  for (let length = 2; length <= 4; length++) {
    const character = decodeUtf8(latin1Bytes(view.slice(at, at + length)));
    if (character !== null && [...character].length === 1) return character;
  }
  return first;
}
