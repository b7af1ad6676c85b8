/** Marks in a row, more than any letter has. The last two are signs of half width that become marks. */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** `text.normalize(form)` without the marks beyond 30 in a row: to put them in order takes quadratic time, minutes for a megabyte. */
export function normalised(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(MARKS, '$1').normalize(form);
}
