/** One call of a handler in the host's code. */
import { untilAborted } from '../../until-aborted.ts';
import { eventOfBody } from './event-body.ts';
import { type SubscriberHandler, subscriberEvent } from './subscriber.ts';
import type { Delivery } from './webhook.ts';

/** A minute, six times what a webhook's receiver has: the handler may do all of its work, not only accept it. */
export const HANDLER_TIMEOUT_MS = 60_000;

/** @throws what the handler throws, and `HandlerTimeout` */
export async function callSubscriber(
  handler: SubscriberHandler,
  { body, brandId, messageId, tries }: Pick<Delivery, 'body' | 'brandId' | 'messageId' | 'tries'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  const tooLong = new AbortController();
  const timer = setTimeout(() => {
    const error = new Error(`The handler did not finish within ${timeoutMs / 1_000} s.`);
    error.name = 'HandlerTimeout';
    tooLong.abort(error);
  }, timeoutMs);
  const event = subscriberEvent(eventOfBody(body, brandId), messageId, tries.length + 1);
  const work = async () => await handler(event, { signal: AbortSignal.any([signal, tooLong.signal]) });
  await untilAborted(work(), tooLong.signal).finally(() => clearTimeout(timer));
}
