/** Values of 4 to 7 characters appear by chance, so they count as whole words and numbers only. */

const WORD_AT_END = /[\p{L}\p{N}]$/u;
const WORD_AT_START = /^[\p{L}\p{N}]/u;

const MAX_LABEL = 40;

/** True when `[start, end)` of a text in small letters is a word or number of its own. */
export function standsAlone(text: string, start: number, end: number): boolean {
  const form = text.slice(start, end);
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(end, end + 2);
  if (!/^\d+$/.test(form)) {
    const joinsBefore = WORD_AT_START.test(form) && WORD_AT_END.test(before);
    return !joinsBefore && !(WORD_AT_END.test(form) && WORD_AT_START.test(after));
  }
  // 4711 is neither 3.4711 nor 4711.3, and the number of a character in an escape is none of the text.
  if (/(?:\d|\d\.|%|\\u|&#)$/.test(before) || /^(?:\d|\.\d)/.test(after)) return false;
  // A unit or a label may be joined to it (`pin4711`); hex digits may not, for ids are full of chance numbers.
  const label =
    text
      .slice(Math.max(0, start - MAX_LABEL), start)
      .split(/[^a-z]/)
      .at(-1) ?? '';
  const [unit = ''] = text.slice(end, end + MAX_LABEL).split(/[^a-z]/, 1);
  return label + unit === '' || /[g-z]/.test(label + unit);
}

const UUID = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/;
/** A plus sign may have been read as a space. */
const OFFSET = /[ +-](?:0\d|1[0-4]):?(?:00|15|30|45)/;
const ZONE = new RegExp(` ?(?:z|gmt|utc|${OFFSET.source})`);
/** `2026-11-22T08:46:40.471Z`; midnight may well be a birthday. */
const TIMESTAMP = /(?<!\d)\d{4}-\d\d-\d\d[t ](?!00:00)\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?!\d)/;
/** `22 nov 2026 08:46:40`, `nov 22 08:46:40 +0000 2026`. */
const DATED = new RegExp(
  `(?<!\\d)\\d\\d? [a-z]{3} \\d{4} \\d\\d:\\d\\d:\\d\\d|[a-z]{3} \\d\\d? \\d\\d:\\d\\d:\\d\\d ${OFFSET.source} \\d{4}(?!\\d)`,
);
const CHANCE = new RegExp(`${UUID.source}|(?:${TIMESTAMP.source}|${DATED.source})(?:${ZONE.source})?`, 'g');

/**
 * Tells whether a number is a part of a timestamp or a UUID of `text`, where it has no meaning of its own. `text` is in small letters.
 * Ask in ascending order of `start`.
 */
export function chanceNumbersIn(text: string): (start: number, end: number) => boolean {
  let ranges: IterableIterator<RegExpExecArray> | undefined;
  let current = { start: 0, end: 0 };
  return (start, end) => {
    if (!/^\d+$/.test(text.slice(start, end))) return false;
    ranges ??= text.matchAll(CHANCE);
    while (current.end <= start) {
      const next = ranges.next();
      if (next.done === true) current = { start: text.length, end: Number.POSITIVE_INFINITY };
      else current = { start: next.value.index, end: next.value.index + next.value[0].length };
    }
    return current.start <= start && end <= current.end;
  };
}
