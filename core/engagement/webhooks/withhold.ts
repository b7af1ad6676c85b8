import type { Storage } from '../../ports/storage.ts';
import type { Delivery } from './webhook.ts';

/** Cancels a pending delivery that its webhook may not get any more (`isWithheld`, or erased), and says so in its log. */
export async function withhold(
  { deliveries }: Pick<Storage, 'deliveries'>,
  { id }: Pick<Delivery, 'id'>,
  now: Date,
): Promise<void> {
  const error = 'Cancelled: the webhook does not ask for this event any more, or what it tells was erased.';
  const outcome = { status: 'cancelled', nextTryAt: null, finishedAt: now } as const;
  await deliveries.recordTry(id, { at: now, durationMs: 0, status: null, error }, outcome);
}
