import { bytesToHex } from '@noble/hashes/utils.js';
import type { Steps } from '../attested-values/steps.ts';
import { decodeLatin1, decodeUtf8 } from '../http/text.ts';
import { numbersOf, type WantedNumbers, wantedNumbers } from './grouped-digits.ts';
import { groupedWord, type WantedWords, wantedWords } from './grouped-words.ts';
import { type HiddenValue, MIN_ECHO_LENGTH } from './hidden-value.ts';
import { type Needles, needlesOf, PREFIX_LENGTH } from './needles.ts';
import { base64Steps, caseSteps, encodings, latin1Bytes, spacingSteps, unescapingSteps } from './text-forms.ts';
import { changing } from './text-scan.ts';

export interface EchoIndex {
  readonly needles: Needles;
  /** Texts of 1 to 3 bytes. */
  readonly tiny: ReadonlyMap<string, readonly HiddenValue[]>;
  readonly numbers: WantedNumbers;
  readonly words: WantedWords;
}

/** As many values as take a tenth of a millisecond, unless they are long. */
const VALUES_PER_STEP = 8;

/** Everything to look for, by the texts that give values away, so that one pass over a text looks for all of it. */
export function* indexingSteps(tellTales: ReadonlyMap<string, readonly HiddenValue[]>): Steps<EchoIndex> {
  const texts = new Map<string, HiddenValue[]>();
  const tiny = new Map<string, HiddenValue[]>();
  const numbers = new Map<string, HiddenValue[]>();
  const words = new Map<string, HiddenValue[]>();
  let read = 0;
  for (const [tellTale, values] of tellTales) {
    read += 1;
    if (read % VALUES_PER_STEP === 0) yield;
    const found = numbersOf(tellTale);
    const word = groupedWord(tellTale);
    const forms = new Set([...(yield* formsOf(tellTale)), ...found]);
    if (word?.inOnePiece === true) forms.add(word.text);
    for (const value of values) {
      for (const form of forms) put(form.length < PREFIX_LENGTH ? tiny : texts, form, value);
      for (const number of found) put(numbers, number, value);
      if (word !== null) put(words, word.text, value);
    }
  }
  return {
    needles: yield* needlesOf(texts),
    tiny,
    numbers: yield* wantedNumbers(numbers),
    words: yield* wantedWords(words),
  };
}

/** The texts that give a value away: as it is and unescaped; if it is long also in Base64 and in hex. In small letters. */
function* formsOf(tellTale: string): Steps<Set<string>> {
  const forms = new Set<string>();
  for (const bytes of encodings(tellTale)) {
    const text = decodeLatin1(bytes);
    forms.add(yield* caseSteps(text));
    for (const unescaped of yield* unescapingSteps(text)) {
      forms.add(yield* caseSteps(yield* spacingSteps(unescaped)));
    }
    if (bytes.length < MIN_ECHO_LENGTH) continue;
    for (const form of yield* base64Steps(bytes)) forms.add(yield* caseSteps(form));
    forms.add(yield* changing(text, (piece) => bytesToHex(latin1Bytes(piece))));
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
