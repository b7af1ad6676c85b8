/** Which subscribers there are, and the log of their deliveries. */
import { DomainError } from '../../errors.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Stores } from '../../ports/storage.ts';
import type { DeliveryFilter } from '../../ports/webhook-store.ts';
import type { EventPattern } from './subscriber.ts';
import type { Delivery } from './webhook.ts';

export interface Subscriber {
  readonly name: string;
  readonly events: readonly EventPattern[];
  /** Absent: of all brands. */
  readonly brandId?: number;
}

/** All subscribers that are stored, or those of one brand, by name, whether a process registers them now or not. */
export function listSubscribers(deps: Stores<'subscribers'>) {
  return async (only?: number): Promise<readonly Subscriber[]> => {
    const bySubscriber = Map.groupBy(await deps.storage.subscribers.list(), ({ subscriber }) => subscriber);
    return [...bySubscriber]
      .map(([name, own]) => {
        const brandId = own[0]?.brandId;
        return { name, events: own.map(({ event }) => event), ...(brandId === undefined ? {} : { brandId }) };
      })
      .filter(({ brandId }) => only === undefined || brandId === only);
  };
}

/**
 * Newest first; for a caller of one brand, what was delivered of this brand to a subscriber of its own.
 * @throws DomainError `NOT_FOUND` for a name that neither is subscribed nor has a log
 */
export function listSubscriberDeliveries(deps: Stores<'subscribers' | 'deliveries'>) {
  const isListed = async (name: string, only?: number) =>
    (await listSubscribers(deps)(only)).some((subscriber) => subscriber.name === name);
  const hasLog = async (name: string) => (await deps.storage.deliveries.list(name, { page: 1, limit: 1 })).total > 0;
  return async (name: string, page: PageRequest, filter: DeliveryFilter = {}): Promise<Page<Delivery>> => {
    const { brandId } = filter;
    if (brandId !== undefined && !(await isListed(name, brandId))) throw noSubscriber(name);
    const deliveries = await deps.storage.deliveries.list(name, page, filter);
    if (deliveries.total === 0 && !(await isListed(name)) && !(await hasLog(name))) throw noSubscriber(name);
    return deliveries;
  };
}

function noSubscriber(name: string): DomainError {
  return new DomainError('NOT_FOUND', `There is no subscriber "${name}".`);
}
