import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import type { Needs } from '../use-case-parts.ts';
import type { DispatchEvents } from '../webhooks/dispatch-event.ts';
import { redeliveryEntryId } from '../webhooks/message-id.ts';
import type { AttemptEvent, AttemptEventName } from '../webhooks/outbox.ts';
import { isFor } from '../webhooks/subscriber.ts';
import { attemptEvent, eligibleEvents } from './attempt-events.ts';
import { type AttemptRef, getAttempt } from './find-attempt.ts';
import { lastHandle, loadAttemptFacts } from './load-facts.ts';

export interface RedeliverDeps
  extends Needs<'attempts' | 'campaigns' | 'creators' | 'webhooks' | 'subscribers', 'random'> {
  readonly dispatch: DispatchEvents;
}

/**
 * Sends the events of an attempt's outcome again: those asked for that fit its state, or all that fit
 * (docs/specification/engagement.md#challenge-data). A webhook that is paused gets them when it is activated. `unwanted` are those that
 * no webhook of the brand, active or paused, and no subscriber wants.
 * @throws DomainError `NOT_FOUND`; `EVENT_NOT_ELIGIBLE` when none fits (`details.eligible`)
 */
export function redeliverWebhooks(deps: RedeliverDeps) {
  return async (input: AttemptRef & { readonly events?: readonly AttemptEventName[] | undefined }) => {
    const attempt = await getAttempt(deps, input);
    const eligible = eligibleEvents(attempt);
    const names = input.events ? eligible.filter((name) => input.events?.includes(name)) : eligible;
    if (names.length === 0) {
      const offer =
        eligible.length === 0 ? 'no event can be sent again' : `only ${eligible.join(', ')} can be sent again`;
      throw new DomainError('EVENT_NOT_ELIGIBLE', `In state "${attempt.state}" ${offer}.`, {
        details: { state: attempt.state, eligible },
      });
    }
    // The handle that the events named the first time, also when the creator has linked another one since.
    const facts = await loadAttemptFacts(deps.storage, attempt, lastHandle(attempt));
    const events = names.map((name) => attemptEvent(attempt, facts, name));
    // The same messages with the same ids, as new deliveries, which are stored when this returns.
    const entryIdOf = (event: AttemptEvent) => redeliveryEntryId(event, bytesToHex(deps.random.bytes(16)));
    await deps.dispatch(events.map((event) => ({ entryId: entryIdOf(event), event, toPaused: true })));
    const { brandId } = facts.campaign;
    const webhooks = await deps.storage.webhooks.list({ brandId });
    const subscriptions = await deps.storage.subscribers.list();
    const wanted = (name: AttemptEventName) =>
      webhooks.some((webhook) => webhook.events.includes(name)) ||
      subscriptions.some((one) => isFor(one, { event: name, brandId }));
    return { redelivered: names, unwanted: names.filter((name) => !wanted(name)) };
  };
}
