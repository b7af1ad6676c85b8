/** Letters and digits that are written in groups or not: UUIDs, IBANs, addresses of network cards, licence keys. */
import type { Steps } from '../attested-values/steps.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { type HiddenValue, MIN_ECHO_LENGTH } from './hidden-value.ts';
import { type Needle, type Needles, needlesAt, needlesOf, PREFIX_LENGTH, pushByte } from './needles.ts';
import { utf8Characters } from './text-forms.ts';
import { charactersIn, runsOf } from './text-scan.ts';

/** What may stand between two groups; the last ones are spaces and hyphens beyond ASCII, in UTF-8. */
const SEPARATOR = /[ .:_-]|\xc2\xa0|\xe2\x80[\x80-\xaf]/y;
const WHOLE_VALUE = new RegExp(`^[A-Za-z\\d]+(?:(?:${SEPARATOR.source})[A-Za-z\\d]+)*$`);
/** Ids have the same separator throughout. */
const EVEN = new RegExp(`^[a-z\\d]+(?:(${SEPARATOR.source})[a-z\\d]+(?:\\1[a-z\\d]+)*)?`);
const CHARACTER = charactersIn(/[a-z\d]/);

/** Longer ones are texts. */
const MAX_WORD = 128;
const MAX_WRITTEN = 4 * MAX_WORD;

/** The letters and digits of a value. */
interface GroupedWord {
  /** In small letters, without separators. */
  readonly text: string;
  /** Whether to look for it in one piece too: the value has groups, those of an id rather than the words of a sentence. */
  readonly inOnePiece: boolean;
}

/** What to look for if the value is one word, maybe in groups; null for fewer than 8 letters and digits, and for numbers. */
export function groupedWord(value: string): GroupedWord | null {
  if (value.length > MAX_WRITTEN) return null;
  const written = utf8Characters(value);
  if (!WHOLE_VALUE.test(written)) return null;
  const groups = written.split(/[^A-Za-z\d]+/);
  const text = groups.join('').toLowerCase();
  if (text.length < MIN_ECHO_LENGTH || text.length > MAX_WORD || !/[a-z]/.test(text)) return null;
  return { text, inOnePiece: isId(groups) };
}

/** Words to look for in groups. */
export interface WantedWords {
  readonly needles: Needles;
  /** The length of the longest. */
  readonly longest: number;
}

/** Prepares the search for words in small letters, each of 8 bytes or more. */
export function* wantedWords(words: ReadonlyMap<string, HiddenValue[]>): Steps<WantedWords> {
  let longest = 0;
  for (const { length } of words.keys()) longest = Math.max(longest, length);
  return { needles: yield* needlesOf(words), longest };
}

/** As many groups as take half a millisecond if each begins like a long wanted word. */
const GROUPS_PER_STEP = 64;

/**
 * The wanted words that a text in small letters has in groups, with the same separator throughout. Null where other work may come in.
 * `onCompared` is told how many characters were compared.
 */
export function* wordsInGroups(
  text: string,
  { needles, longest }: WantedWords,
  onCompared: (characters: number) => void,
): Generator<Needle | null, void> {
  let read = 0;
  for (const range of runsOf(text, CHARACTER, 1)) {
    read += 1;
    if (range === null || read % GROUPS_PER_STEP === 0) yield null;
    const list = range === null ? undefined : needles.get(prefixAt(text, range.start));
    if (range === null || list === undefined) continue;
    const groups = groupsAt(text, range, longest);
    for (const needle of needlesAt(list, groups.join(''), 0, onCompared)) {
      if (isId(groupsOf(needle.text, groups))) yield needle;
    }
  }
}

/** The first four letters and digits from `start` on. Few groups begin like a wanted word: only those are cut out of the text. */
function prefixAt(text: string, start: number): number {
  let prefix = 0;
  let at = start;
  for (let count = 0; count < PREFIX_LENGTH; count++) {
    if (CHARACTER[text.charCodeAt(at)] !== true) at += separatorAt(text, at).length;
    prefix = pushByte(prefix, text.charCodeAt(at));
    at += 1;
  }
  return prefix;
}

/** The groups from the first one on that the same separator parts: as many as the longest word needs, and more. */
function groupsAt(text: string, { start, end }: ByteRange, longest: number): string[] {
  const separator = separatorAt(text, end);
  if (separator === '') return [];
  // Every letter of a word may be a group. One more shows where the last group ends.
  const [written = ''] = EVEN.exec(text.slice(start, start + (longest + 1) * (1 + separator.length))) ?? [];
  return written.split(separator);
}

function separatorAt(text: string, at: number): string {
  SEPARATOR.lastIndex = at;
  return SEPARATOR.exec(text)?.[0] ?? '';
}

/** The groups that make a word with which they begin; none if it ends within a group. */
function groupsOf({ length }: string, groups: readonly string[]): readonly string[] {
  let left = length;
  const ofWord: string[] = [];
  for (const group of groups) {
    if (left <= 0) break;
    ofWord.push(group);
    left -= group.length;
  }
  return left === 0 ? ofWord : [];
}

/** Two groups or more with a digit, or three or more of the same length, of which the last may be shorter. Others are words. */
function isId(groups: readonly string[]): boolean {
  const [first, second] = groups;
  if (first === undefined || second === undefined) return false;
  const last = groups.at(-1) ?? '';
  const isRegular =
    groups.length > 2 &&
    groups.slice(0, -1).every(({ length }) => length === first.length) &&
    last.length <= first.length;
  return isRegular || groups.some((group) => /\d/.test(group));
}
