/** Finding records by a text, or by its beginning. Indexes compare letters as they are, so a few ways to write it are looked for. */

/** A text that begins with what is looked for is not before `from`, and before `to`. */
export interface TextRange {
  readonly from: string;
  readonly to: string;
}

/** The last character that there is: no text continues with a later one. */
const LAST = '\u{10FFFF}';

/** The text as it is typed, in small letters, in capitals, and with a capital at the beginning of each word. */
export function rangesOf(text: string): readonly TextRange[] {
  const small = text.toLowerCase();
  const titled = small.replace(
    /(^|[\s'-])(\p{L})/gu,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
  return [...new Set([text, small, text.toUpperCase(), titled])].map((from) => ({ from, to: from + LAST }));
}

/** As `rangesOf`, for texts at hand. */
export function beginsWith(value: string | null | undefined, text: string): boolean {
  return value != null && rangesOf(text).some(({ from }) => value.startsWith(from));
}

/** Returns a pattern for texts that contain this one. With the flags `iu`, it finds letters of every alphabet in any case. */
export function patternOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
