/** Subscribers in the host's own process, and the log of their deliveries. */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import { EVENT_NAMES } from '../../../core/engagement/webhooks/outbox.ts';
import { SUBSCRIBER_NAME } from '../../../core/engagement/webhooks/subscribers.ts';
import { DELIVERY_STATUSES, type Delivery } from '../../../core/engagement/webhooks/webhook.ts';
import { type PageRequest, pageOfItems } from '../../../core/ports/paging.ts';
import { ownRows } from '../brand-access.ts';
import { BY_ID, BY_NAME, readListPage, readListPart } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { listOf, pageOf, pageQuery, partQuery } from '../schemas.ts';
import { deliveryFields, logged } from './webhook-deliveries.ts';

const PATH = '/admin/subscribers';

const subscriberSchema = z
  .object({
    name: z.string(),
    events: z.array(z.enum([...EVENT_NAMES, '*'])).meta({ description: '`*`: every event.' }),
    brandId: z.int().optional().meta({ description: 'It gets the events of this brand; missing: of all brands.' }),
  })
  .meta({ id: 'Subscriber', example: { name: 'points-ledger', events: ['reward.issued'] } });

const deliverySchema = z
  .object({ ...deliveryFields, subscriber: z.string().meta({ description: 'Its name.' }) })
  .meta({ id: 'SubscriberDelivery' });

const common = { tag: 'Brands and webhooks', access: 'admin', brand: 'own-rows' } as const;

/** The rows; all for role `admin`. */
export function createSubscriberRoutes({ subscribers }: Pick<Engagement, 'subscribers'>) {
  return [
    defineRoute('listSubscribers', `GET ${PATH}`, {
      ...common,
      summary: 'List the subscribers in process',
      description:
        'Handlers that the host registered with `credence.on`. One that no process registers now keeps its events.',
      query: partQuery,
      responses: { 200: { description: 'By name.', schema: listOf(subscriberSchema) } },
      handle: async ({ caller, query }) => {
        const read = async (request?: PageRequest) =>
          pageOfItems(await subscribers.list(ownRows(caller).brandId), request);
        return reply(200, await readListPart(query, read, BY_NAME));
      },
    }),
    defineRoute('listSubscriberDeliveries', `GET ${PATH}/{name}/deliveries`, {
      ...common,
      summary: 'What was delivered to a subscriber, and what came of it',
      params: z.object({ name: z.string().regex(SUBSCRIBER_NAME).meta({ example: 'points-ledger' }) }),
      query: pageQuery.extend({
        status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Deliveries with this status only.' }),
        event: z.enum(EVENT_NAMES).optional().meta({ description: 'Deliveries of this event only.' }),
      }),
      responses: { 200: { description: 'Newest first.', schema: pageOf(deliverySchema) } },
      handle: async ({ params, query, caller }) => {
        const { status, event } = query;
        const filter = { status, event, ...ownRows(caller) };
        const read = (request: PageRequest) => subscribers.listDeliveries(params.name, request, filter);
        const toRow = (delivery: Delivery) => ({ ...logged(delivery), subscriber: params.name });
        return reply(200, await readListPage(query, read, BY_ID, toRow));
      },
    }),
  ];
}
