/** The handlers that the host's code has registered in this process, by subscriber. */
import { DomainError } from '../../errors.ts';
import { EVENT_NAMES, type EventName } from './outbox.ts';
import { type EventPattern, eventsOf, type SubscriberHandler, wants } from './subscriber.ts';

/** What a subscriber may be called: it is stored, logged and part of a path. */
export const SUBSCRIBER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$/;

export interface SubscriberHandlers {
  /**
   * @throws DomainError `INVALID_REQUEST` for an unknown event, a name that cannot be stored or no function; `CONFLICT` if the
   * subscriber has a handler for one of these events already, or one for another brand
   */
  add<E extends EventPattern>(event: E, handler: SubscriberHandler<E>, subscriber: string, brandId?: number): void;
  /** The brand whose events a subscriber wants; undefined for all. */
  brandOf(subscriber: string): number | undefined;
  /** Removes all handlers of a subscriber. */
  remove(subscriber: string): void;
  has(subscriber: string): boolean;
  /** Each subscriber with the events that it handles. */
  wanted(): readonly { readonly subscriber: string; readonly events: readonly EventName[] }[];
  find(subscriber: string, event: string): SubscriberHandler | undefined;
}

export function createSubscriberHandlers(): SubscriberHandlers {
  const bySubscriber = new Map<string, Map<EventPattern, SubscriberHandler>>();
  const brands = new Map<string, number | undefined>();

  return {
    add(event, handler, subscriber, brandId) {
      if (event !== '*' && !EVENT_NAMES.includes(event as EventName)) {
        throw new DomainError('INVALID_REQUEST', `There is no event "${event}". Use ${EVENT_NAMES.join(', ')} or *.`);
      }
      if (typeof handler !== 'function') throw new DomainError('INVALID_REQUEST', 'The handler must be a function.');
      if (typeof subscriber !== 'string' || !SUBSCRIBER_NAME.test(subscriber)) {
        throw new DomainError(
          'INVALID_REQUEST',
          'The option `name` must have 1 to 100 letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
        );
      }
      if (brandId !== undefined && !(Number.isSafeInteger(brandId) && brandId > 0)) {
        throw new DomainError('INVALID_REQUEST', 'The option `brandId` must be the id of a brand.');
      }
      if (bySubscriber.has(subscriber) && brands.get(subscriber) !== brandId) throw otherBrand(subscriber);
      const own = bySubscriber.get(subscriber) ?? new Map<EventPattern, SubscriberHandler>();
      const taken = [...own.keys()].find((other) => eventsOf(event).some((one) => wants(other, one)));
      if (taken !== undefined) {
        throw new DomainError(
          'CONFLICT',
          `The subscriber "${subscriber}" has a handler for "${taken}" already. Use another name for a second handler.`,
        );
      }
      // Sound because it is called with the events of its pattern only.
      own.set(event, handler as SubscriberHandler);
      bySubscriber.set(subscriber, own);
      brands.set(subscriber, brandId);
    },
    remove(subscriber) {
      bySubscriber.delete(subscriber);
      brands.delete(subscriber);
    },
    brandOf: (subscriber) => brands.get(subscriber),
    has: (subscriber) => bySubscriber.has(subscriber),
    wanted: () =>
      [...bySubscriber].map(([subscriber, own]) => ({ subscriber, events: [...own.keys()].flatMap(eventsOf) })),
    find(subscriber, event) {
      const own = bySubscriber.get(subscriber);
      return own?.get(event as EventName) ?? own?.get('*');
    },
  };
}

/** A subscriber keeps its brand, so that what waits for it is never another brand's. */
export function otherBrand(subscriber: string): DomainError {
  return new DomainError(
    'CONFLICT',
    `The subscriber "${subscriber}" is registered for another brand, or for all. Use another name, or forget this one with \`off\`.`,
  );
}
