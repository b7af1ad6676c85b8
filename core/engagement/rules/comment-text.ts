/** What a comment says, as rules see it. The same in every language and spelling of letters. Every function takes time in proportion to the text. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { normalised } from '../../normalised.ts';
import { normaliseHandle } from '../../platforms/handle.ts';

/** What is not seen: joiners, marks of direction, soft hyphens, and which form of a pictograph is meant. */
const INVISIBLE = /\p{Cf}|[\uFE00-\uFE0F]/gu;
/** Accents of Latin, Greek and Cyrillic letters, and the vowel signs of Arabic and Hebrew that most people leave out. */
const ACCENTS = /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0640\u064B-\u065F\u0670]/g;
/** An address of mail is no mention. */
const MENTION = /(?<![\p{L}\p{M}\p{N}._])@([\p{L}\p{M}\p{N}._·-]{1,64})/gu;
const HASHTAG = /[#\uFF03]([\p{L}\p{M}\p{N}_]+)/gu;
/** Written without spaces: there every letter may begin a word. Pictographs are words of their own. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{RI}]/u;
const NO_WORD = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{RI}\p{EMod}]/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** The same on every host. */
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });
/** A digit in a box. */
const KEYCAP = /[0-9#*]\uFE0F?\u20E3/g;

/** Without what is not seen, in small letters and without accents. `Straße` and `STRASSE` are the same, and so are `ﬁ` and `fi`. */
function folded(text: string): string {
  const letters = normalised(normalised(text, 'NFKD').replace(INVISIBLE, '').replace(ACCENTS, ''), 'NFC');
  // By way of capitals: some letters have one small form, others two.
  return letters.toUpperCase().toLowerCase().normalize('NFC');
}

/** The words of a text, as they are compared: one space before each word and behind the last. */
export function wordsOf(text: string): string {
  return ` ${folded(text).replace(NO_WORD, ' ').split(' ').filter(Boolean).join(' ')} `;
}

/** Whether words contain a word or phrase, whole. Both as of `wordsOf`. */
export function containsPhrase(words: string, phrase: string): boolean {
  const sought = phrase.trim();
  if (sought === '') return false;
  for (let at = words.indexOf(sought); at >= 0; at = words.indexOf(sought, at + 1)) {
    const end = at + sought.length;
    if (isEdge(words, at) && isEdge(words, end)) return true;
  }
  return false;
}

/** Whether a word may begin or end at this place: beside a space, or beside a letter of a script without spaces. */
function isEdge(words: string, at: number): boolean {
  const [before, behind] = [characterBefore(words, at), String.fromCodePoint(words.codePointAt(at) ?? 32)];
  return before === ' ' || behind === ' ' || UNSPACED.test(before) || UNSPACED.test(behind);
}

function characterBefore(text: string, at: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(at - 1));
  return text.slice(at - (isPair ? 2 : 1), at);
}

/** The hashtags of a text, folded, without `#`. */
export function hashtagsOf(text: string): ReadonlySet<string> {
  return new Set(Array.from(folded(text).matchAll(HASHTAG), ([, tag = '']) => tag));
}

/** A hashtag of a rule, with or without `#`, as `hashtagsOf` has it; null for what can be none. */
export function toHashtag(text: string): string | null {
  const tag = folded(text.trim()).replace(/^#/, '');
  return /^[\p{L}\p{M}\p{N}_]+$/u.test(tag) ? tag : null;
}

/** The handles that a text mentions, normalised. */
export function mentionsOf(text: string): ReadonlySet<string> {
  const handles = Array.from(text.replace(INVISIBLE, '').matchAll(MENTION), ([, handle = '']) =>
    withoutEnd(normaliseHandle(handle)),
  );
  return new Set(handles.filter((handle) => handle !== ''));
}

/** The dots at the end of a sentence are none of a handle. */
const withoutEnd = (handle: string): string =>
  '.·-'.includes(handle.at(-1) ?? ' ') ? withoutEnd(handle.slice(0, -1)) : handle;

/** Whether a text has at least so many words, mentions and hashtags left out. */
export function hasWords(text: string, fewest: number): boolean {
  let words = 0;
  for (const { isWordLike } of SEGMENTER.segment(said(text).replace(HASHTAG, ' '))) {
    if (isWordLike) words += 1;
    if (words >= fewest) return true;
  }
  return words >= fewest;
}

/** Whether a text says something besides pictographs and mentions. */
export function hasLetters(text: string): boolean {
  return LETTER_OR_DIGIT.test(said(text).replace(KEYCAP, ''));
}

const said = (text: string) => text.replace(INVISIBLE, '').replace(MENTION, ' ');

/** Equal for texts with the same words, or, without any letter, with the same characters. Null for one that says nothing. */
export function textKeyOf(text: string): string | null {
  const key = wordsOf(text).trim() || folded(text).replace(/\s+/g, '');
  return key === '' ? null : bytesToHex(sha256(utf8ToBytes(key)).subarray(0, 16));
}
