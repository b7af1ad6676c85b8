/** Which subscribers there are, and the log of their deliveries. */
import { DomainError } from '../../errors.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Storage } from '../../ports/storage.ts';
import type { EventPattern, SubscriberDelivery } from './subscriber.ts';

export interface ReadSubscribersDeps {
  readonly storage: Pick<Storage, 'subscribers'>;
}

export interface Subscriber {
  readonly name: string;
  readonly events: readonly EventPattern[];
}

/** All subscribers that are stored, by name, whether a process registers them now or not. */
export function listSubscribers(deps: ReadSubscribersDeps) {
  return async (): Promise<readonly Subscriber[]> => {
    const bySubscriber = Map.groupBy(await deps.storage.subscribers.list(), ({ subscriber }) => subscriber);
    return [...bySubscriber].map(([name, own]) => ({ name, events: own.map(({ event }) => event) }));
  };
}

/** Newest first. @throws DomainError `NOT_FOUND` for a name that neither is subscribed nor has a log */
export function listSubscriberDeliveries(deps: ReadSubscribersDeps) {
  return async (name: string, page: PageRequest): Promise<Page<SubscriberDelivery>> => {
    const deliveries = await deps.storage.subscribers.listBySubscriber(name, page);
    if (
      deliveries.total === 0 &&
      !(await deps.storage.subscribers.list()).some(({ subscriber }) => subscriber === name)
    ) {
      throw new DomainError('NOT_FOUND', `There is no subscriber "${name}".`);
    }
    return deliveries;
  };
}
