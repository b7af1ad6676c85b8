/** When the daily quota of a key is given again: at midnight in California. */

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** The seconds until then, at least 1. Days of 23 and 25 hours are counted as they are. */
export function secondsToReset(now: Date): number {
  const left = DAY_SECONDS - secondOfDay(now);
  const overshoot = secondOfDay(new Date(now.getTime() + left * 1_000));
  if (overshoot === 0) return left;
  return overshoot < DAY_SECONDS / 2 ? left - overshoot : left + HOUR_SECONDS;
}

function secondOfDay(time: Date): number {
  const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return (parts.hour ?? 0) * HOUR_SECONDS + (parts.minute ?? 0) * 60 + (parts.second ?? 0);
}
