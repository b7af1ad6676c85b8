import { expect, it } from 'vitest';
import { wordsOf } from '../../core/engagement/rules/comment-text.ts';
import { inOneCase } from '../../core/web-proof/redaction/decoded-texts.ts';

// Normalised as they are, each text takes minutes.
const ROWS = [
  ['marks', '\u0300\u0316'],
  ['marks of half width', '\uff9e\u0316'],
  ['marks beside joiners', '\u1dc4\u200d\u1dca\u1dc2'],
  ['marks beside stretched letters', '\u1dc4\u0640\u1dca'],
] as const;

it.each(ROWS)('a megabyte of %s is read in the time of a test', (_what, marks) => {
  const text = `Zalgo${marks.repeat(250_000)} says`;
  expect(inOneCase(text).startsWith('zalg')).toBe(true);
  expect(wordsOf(text).startsWith(' zalg')).toBe(true);
  expect(wordsOf(text).endsWith(' says ')).toBe(true);
});
