import { describe, expect, it } from 'vitest';
import { atOnce, type Steps } from '../../../../core/web-proof/attested-values/steps.ts';
import { digestsOf, digestWords } from '../../../../core/web-proof/redaction/digests.ts';
import { blankingSteps, echoSteps } from '../../../../core/web-proof/redaction/echo.ts';
import { indexingSteps } from '../../../../core/web-proof/redaction/echo-index.ts';
import { decodingSteps } from '../../../../core/web-proof/redaction/encoded-words.ts';
import { chanceNumbers } from '../../../../core/web-proof/redaction/grouped-digits.ts';
import { hiddenValue } from '../../../../core/web-proof/redaction/hidden-value.ts';
import { matchPaths } from '../../../../core/web-proof/redaction/json-path.ts';
import { findScalars, scalarSteps } from '../../../../core/web-proof/redaction/json-values.ts';
import { caseSteps, spacingSteps, undoWide, unescapingSteps } from '../../../../core/web-proof/redaction/text-forms.ts';
import { latin1Steps } from '../../../../core/web-proof/redaction/text-scan.ts';
import { bodyTextSteps } from '../../../../core/web-proof/redaction/visible-texts.ts';

const value = (text: string) => {
  const bytes = Buffer.from(text);
  return hiddenValue('the value', 'sent', bytes, [{ start: 0, end: bytes.length }]);
};
const countOf = (steps: Iterable<unknown>) => Array.from(steps).length;
const scalars = (text: string) => scalarSteps(Buffer.from(text), matchPaths([], 'wide'), () => true);
const bodyTexts = (text: string) => bodyTextSteps('x', Buffer.from(text), Buffer.from(text));
/** A sixteenth of the text: each letter of a value takes many steps. */
const indexing = (text: string) => {
  const part = text.slice(0, text.length / 16);
  return indexingSteps(new Map([[part, [value(part)]]]));
};

/** A step reads at most so many characters, however the text is made. */
const PER_STEP = 16_384;

const LONG: readonly [what: string, read: (text: string) => Iterable<unknown>, unit: string][] = [
  ['bytes', (text) => latin1Steps(Buffer.from(text)), 'a'],
  ['plus signs', spacingSteps, '+'],
  ['capitals', caseSteps, 'A'],
  ['letters beyond ASCII', caseSteps, '\xc3\x89'],
  ['accents', caseSteps, '\xcc\x81'],
  ['letters with accents', caseSteps, 'e\xcc\x81'],
  ['text without anything to undo', caseSteps, '1'],
  ['UTF-16', undoWide, 'a\0'],
  ['escapes in 16 bits', unescapingSteps, '%u0041'],
  ['escapes of JSON', unescapingSteps, '\\u0041'],
  ['ampersands', unescapingSteps, '&'],
  ['zeros of an entity', unescapingSteps, '&#0000'],
  ['one word of Base64', decodingSteps, 'QUJD'],
  ['one word of hex', decodingSteps, '61'],
  ['words between slashes', decodingSteps, 'QUJDREVG/'],
  ['hyphens', decodingSteps, '-'],
  ['one list of hex', decodingSteps, '61:'],
  ['one list of bytes', decodingSteps, '97,'],
  ['digits', decodingSteps, '1'],
  ['lines of Base64', decodingSteps, `${'QUJD'.repeat(19)}\r\n`],
  ['one word of hex that is no hash', digestWords, '61'],
  ['fingerprints', digestWords, '61:'],
  ['one word of Base64 that is no hash', digestWords, 'QUJD'],
  ['letters and hyphens', digestWords, 'a-'],
  ['a value to be hashed', (text) => digestsOf(text, 64), 'a'],
  ['timestamps', chanceNumbers, '2026-11-22t08:46:40.471z '],
  ['text without timestamps', chanceNumbers, 'a'],
  ['a value to look for', indexing, 'é1'],
  ['a value with escapes to look for', indexing, '%41'],
  ['one string of JSON', (text) => scalars(`"${text}"`), 'a'],
  ['one number of JSON', scalars, '1'],
  ['numbers in JSON', (text) => scalars(`[${text}1]`), '1,'],
  ['names in JSON', (text) => scalars(`{${text}"b":1}`), '"a":1,'],
  ['arrays in JSON', (text) => scalars(`[${text}1]`), '[],'],
  ['names of a body', (text) => bodyTexts(`{${text}"b":1}`), '"a":1,'],
  ['one name of a body', (text) => bodyTexts(`{"${text}":1}`), ' '],
];

const LENGTH = 131_072;

describe('a long text', () => {
  it.each(LONG)('of %s is read in many steps', (_what, read, unit) => {
    const textOf = (length: number) => unit.repeat(Math.ceil(length / unit.length));
    const [short, long] = [LENGTH / 4, LENGTH].map((length) => countOf(read(textOf(length))));
    expect(long).toBeGreaterThanOrEqual(LENGTH / PER_STEP - 1);
    expect(long).toBeGreaterThanOrEqual(3.5 * (short ?? 0) - 50);
  });

  it('that is hidden in many places is blanked in many steps', () => {
    const ranges = Array.from({ length: 100_000 }, (_, at) => ({ start: 2 * at, end: 2 * at + 1 }));
    expect(countOf(blankingSteps(new Uint8Array(200_000), ranges))).toBeGreaterThan(50);
  });

  it('is compared with many values that are sorted in many steps', () => {
    const values = Array.from({ length: 2_000 }, (_, n) => `value ${(n * 7919) % 2_000}`);
    const texts = new Map(values.map((text) => [text, [value(text)]]));
    const one = new Map(values.slice(0, 1).map((text) => [text, [value(text)]]));
    // Eight values a step are prepared, and each has several forms to sort.
    expect(countOf(indexingSteps(texts))).toBeGreaterThan(2 * (2_000 / 8));
    expect(countOf(indexingSteps(one))).toBeLessThan(30);
  });

  it('of many groups of digits finds a number wherever it is', () => {
    for (const groups of [950, 959, 960, 961, 1_000, 1_023, 1_024, 1_025, 5_000]) {
      const text = `${'1 '.repeat(groups)}48 600 700 800${' 2'.repeat(groups)}`;
      const searched = [{ where: 'x', bytes: Buffer.from(text) }];
      expect(atOnce(echoSteps([value('48600700800')], searched)).kind, `${groups}`).toBe('found');
    }
  });
});

describe('what is read in parts', () => {
  const secret = 's3cret-żółć';
  const LENGTHS = [1, 2, 3, 4, 5, 1_020, 1_021, 1_022, 1_023, 1_024, 3_060, 3_071, 3_072, 4_090, 4_095, 4_096, 16_380];
  const list = (separator: string, base: number) => (text: string) =>
    Array.from(Buffer.from(text), (byte) => byte.toString(base).padStart(base === 16 ? 2 : 1, '0')).join(separator);
  const escaped = (before: string) => (text: string) =>
    Array.from({ length: text.length }, (_, at) => before + text.charCodeAt(at).toString(16).padStart(4, '0')).join('');

  it.each<[string, (text: string) => string | Buffer]>([
    ['as it is', (text) => text],
    ['in capitals', (text) => text.toUpperCase()],
    ['Base64', (text) => Buffer.from(text).toString('base64')],
    ['Base64 in URLs', (text) => Buffer.from(text).toString('base64url')],
    ['hex', (text) => Buffer.from(text).toString('hex')],
    ['pairs of hex', list(':', 16)],
    ['pairs of hex with spaces', list(' ', 16)],
    ['a list of bytes', list(',', 10)],
    ['a list of bytes with spaces', list(', ', 10)],
    ['escapes in URLs', escaped('%u')],
    ['escapes of JSON', escaped('\\u')],
  ])('is found at every place of a long text: %s', (_what, write) => {
    for (const [turn, length] of LENGTHS.entries()) {
      // Two fillers by turns for each length.
      for (const filler of turn % 2 === 0 ? ['a', '🚀'.repeat(2)] : ['é', 'ab ']) {
        const written = write(filler.repeat(Math.ceil(length / filler.length)) + secret);
        const searched = [{ where: 'x', bytes: Buffer.from(written) }];
        expect(atOnce(echoSteps([value(secret)], searched)).kind, `${length} of ${filler}`).toBe('found');
      }
    }
  });

  it.each(['utf16le', 'utf16be'])('is found at every place of a long text in %s', (encoding) => {
    for (const length of LENGTHS) {
      const bytes = Buffer.from(`${'a'.repeat(length)}s3cret-token`, 'utf16le');
      const searched = [{ where: 'x', bytes: encoding === 'utf16be' ? bytes.swap16() : bytes }];
      expect(atOnce(echoSteps([value('s3cret-token')], searched)).kind, `${length}`).toBe('found');
    }
  });
});

it('shows at most 120 characters of a path', () => {
  const json = JSON.stringify({ ['n'.repeat(500)]: [1, { a: 2 }] });
  const paths = findScalars(Buffer.from(json), matchPaths([], 'wide'), () => true).map(({ path }) => path);
  expect(paths).toEqual(['n'.repeat(120), 'n'.repeat(120)]);
});

it('keeps one matcher for all names that no path says', () => {
  const root = matchPaths([[{ kind: 'name', name: 'a' }]], 'wide');
  expect(root.member('x')).toBe(root.member('y'));
  expect(root.member('a')).not.toBe(root.member('y'));
  const steps: Steps<unknown> = scalars('{"x":1}');
  expect(atOnce(steps)).toHaveLength(1);
});
