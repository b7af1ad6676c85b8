import { RETRY_DELAYS_MS } from '../../core/engagement/webhooks/retry-schedule.ts';

/** The schedule of webhooks and subscribers, in milliseconds. */
export function retryDelays(scale: number): readonly number[] {
  return RETRY_DELAYS_MS.map((delay) => delay * scale);
}
