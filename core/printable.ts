/** Text of strangers on its way to a terminal or a spreadsheet. */

/**
 * Control characters (C0, DEL and C1), and those that change the direction of what follows. Line ends and tabs are none; they are
 * excluded last, since log lines pass here too.
 */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069](?<![\n\t]|\r(?=\n))/gu;

/**
 * Escapes what a terminal would obey or what would hide text, as JSON escapes it: `\u001b`. So JSON stays the same JSON, and a
 * reader sees that something was there.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Leaves the same characters out, for cells of a spreadsheet. */
export function withoutUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, '');
}
