/** Times, numbers and names in the reader's own language. */

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const NUMBER = new Intl.NumberFormat();

/** A time of the API; a dash for none. */
export function Time({ at }: { readonly at: string | number | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  const time = new Date(at);
  // No calendar has it: foreign proofs say any number. Formatting would end the page.
  if (Number.isNaN(time.getTime())) return <>{at}</>;
  return <time dateTime={time.toISOString()}>{TIME.format(time)}</time>;
}

export const number = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : NUMBER.format(value);

/** `failed_retryable` becomes `Failed retryable`. */
export function words(name: string): string {
  const text = name.replaceAll(/[_.-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
