/** Times, numbers and names in the reader's own language. */
import { useSyncExternalStore } from 'react';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const NUMBER = new Intl.NumberFormat();
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const STEP_MS = 10_000;

/** A time of the API with seconds and zone, and how long ago it was; a dash for none. */
export function Time({ at }: { readonly at: string | number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <>–</>;
  const time = new Date(at);
  // No calendar has it: foreign proofs say any number. Formatting would end the page.
  if (Number.isNaN(time.getTime())) return <>{at}</>;
  return (
    <time dateTime={time.toISOString()} className="time">
      {TIME.format(time)} <span className="ago">{ago(time.getTime() - now)}</span>
    </time>
  );
}

function ago(difference: number): string {
  // The clock of the page stands still for a step: what has just happened is not to come.
  const ms = difference > 0 && difference < STEP_MS ? 0 : difference;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? UNITS[3];
  return AGO.format(Math.trunc(ms / size), unit);
}

/** The time of now, new every ten seconds: one clock for all that is shown. */
function useNow(): number {
  return useSyncExternalStore(
    (tell) => {
      const timer = setInterval(tell, STEP_MS);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / STEP_MS) * STEP_MS,
  );
}

export const number = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : NUMBER.format(value);

/** `failed_retryable` becomes `Failed retryable`. */
export function words(name: string): string {
  const text = name.replaceAll(/[_.-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
