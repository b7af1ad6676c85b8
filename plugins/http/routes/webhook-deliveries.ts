/** The log of a brand's deliveries, and test events (docs/specification/engagement.md#brands-and-webhooks). */
import { z } from 'zod';
import type { Caller } from '../../../core/access/token.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import { challengeIdOf } from '../../../core/engagement/webhooks/event-body.ts';
import { sentMessageId } from '../../../core/engagement/webhooks/message-id.ts';
import { EVENT_NAMES, TEST_EVENT } from '../../../core/engagement/webhooks/outbox.ts';
import { DELIVERY_STATUSES } from '../../../core/engagement/webhooks/webhook.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import type { LimitRule } from '../../../core/ports/rate-limiter.ts';
import { callerKey } from '../access.ts';
import { isBrand, ofBrand, ownRows } from '../brand-access.ts';
import { TIME } from '../examples/samples.ts';
import { BY_ID, readListPage } from '../list-cursor.ts';
import { defineRoute, type LimitUse, reply } from '../route.ts';
import { dataOf, instant, pageOf, pageQuery, timestamp } from '../schemas.ts';
import { sampleOf } from '../webhook-events.ts';

export const TAG = 'Brands and webhooks';
export const PATH = '/admin/brands/{brandId}/webhooks';

/** What is sent on demand, so that nobody holds up the events of others. A brand's tokens share it; other tokens have their own. */
const ON_DEMAND: LimitRule = { name: 'webhooks-on-demand', units: 50, windowSeconds: 10 };

/** What a redelivery or a test takes from its caller's limit. */
export function onDemandLimits({ caller }: { readonly caller: Caller | null }): readonly LimitUse[] {
  const { brandId } = ownRows(caller);
  return [{ rule: ON_DEMAND, key: brandId === undefined ? callerKey(caller) : `brand:${brandId}`, units: 1 }];
}

const tryFields = {
  at: timestamp,
  durationMs: z.int(),
  status: z.int().nullable().meta({ description: 'What the receiver answered; null when it did not.' }),
  error: z.string().nullable(),
};
const triesOf = <T extends z.ZodType>(one: T) => z.array(one).meta({ description: 'The last 20, oldest first.' });

/** What the log tells of a delivery, to a webhook or to a subscriber in process. */
export const deliveryFields = {
  id: z.int(),
  messageId: z
    .string()
    .meta({ description: '`webhook-id`: the same on every try, and in every redelivery of the event.' }),
  event: z.string(),
  attemptId: z.int().nullable(),
  challengeId: z.int().nullable().meta({ description: 'With attemptId, what the redeliver route takes.' }),
  status: z.enum(DELIVERY_STATUSES),
  tries: triesOf(z.object(tryFields)),
  nextTryAt: timestamp
    .nullable()
    .meta({ description: 'The earliest time; while the webhook is paused nothing is tried.' }),
  createdAt: timestamp,
  finishedAt: timestamp.nullable(),
};

/** What one delivery tells beyond the lists. */
export const deliveryDetails = {
  ...deliveryFields,
  tries: triesOf(
    z.object({
      ...tryFields,
      response: z.string().optional().meta({
        description: 'The first 1,024 characters of the body of the answer, control characters escaped; only of text.',
      }),
    }),
  ),
  body: z.string().meta({ description: 'The JSON text as it is signed and sent, the same on every try.' }),
};

/** A delivery as the log shows it. */
export function logged<D extends { readonly body: string; readonly messageId: string }>(
  delivery: D,
): D & { readonly challengeId: number | null } {
  return { ...delivery, messageId: sentMessageId(delivery.messageId), challengeId: challengeIdOf(delivery) };
}

const deliverySchema = z.object(deliveryFields).meta({ id: 'WebhookDelivery' });
const deliveryWithBody = z.object(deliveryDetails).meta({ id: 'WebhookDeliveryWithBody' });

const deliveryQuery = pageQuery.extend({
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Deliveries with this status only.' }),
  event: z
    .enum([...EVENT_NAMES, TEST_EVENT])
    .optional()
    .meta({ description: 'Deliveries of this event only.' }),
  failedSince: instant.optional().meta({ description: 'Deliveries that were given up from this time on.' }),
});

const replayBody = z
  .strictObject({ since: instant.meta({ description: 'Takes deliveries that were given up from this time on.' }) })
  .meta({ example: { since: TIME } });
const replayed = z
  .object({
    replayed: z.int().meta({ description: 'Deliveries that this call made pending again.' }),
    left: z.int().meta({ description: 'Deliveries that are left: repeat the call.' }),
  })
  .meta({ id: 'Replayed' });

const testBody = z
  .strictObject({
    event: z
      .enum([...EVENT_NAMES, TEST_EVENT])
      .optional()
      .meta({
        description:
          'Sends a sample of this event, `webhook.test` by default. Its `webhook-id` begins with `msg_test_`; the creator and the attempt in it do not exist.',
      }),
  })
  .meta({ example: { event: 'reward.issued' } });

const common = { tag: TAG, access: 'admin', brand: ofBrand, audit: 'webhook' } as const;

/** The rows; all for role `admin`. */
export function createDeliveryRoutes({ webhooks }: Pick<Engagement, 'webhooks'>) {
  return [
    defineRoute('listWebhookDeliveries', `GET ${PATH}/{webhookId}/deliveries`, {
      ...common,
      summary: 'What was sent to a webhook, and what came of it',
      description: 'A brand does not see deliveries about creators, from a time when the webhook was for admins.',
      query: deliveryQuery,
      responses: { 200: { description: 'Newest first.', schema: pageOf(deliverySchema) } },
      handle: async ({ params: { brandId, webhookId }, query, caller }) => {
        const { status, event, failedSince } = query;
        const read = (request: PageRequest) =>
          webhooks.listDeliveries(brandId, webhookId, request, { status, event, failedSince }, isBrand(caller));
        return reply(200, await readListPage(query, read, BY_ID, logged));
      },
    }),
    defineRoute('getWebhookDelivery', `GET ${PATH}/{webhookId}/deliveries/{deliveryId}`, {
      ...common,
      summary: 'A delivery with the body that was sent, and what the receiver answered',
      description: 'A brand does not get deliveries about creators, from a time when the webhook was for admins.',
      responses: { 200: { description: 'The delivery.', schema: dataOf(deliveryWithBody) } },
      handle: async ({ params: { brandId, webhookId, deliveryId }, caller }) => {
        const delivery = await webhooks.getDelivery(brandId, webhookId, deliveryId, isBrand(caller));
        return reply(200, { data: logged(delivery) });
      },
    }),
    defineRoute('replayWebhookDeliveries', `POST ${PATH}/{webhookId}/deliveries/replay`, {
      ...common,
      summary: 'Send the deliveries that failed since a time again',
      description:
        'Makes them pending, the oldest first, some 1,000 a call. They are the same messages, and get all their retries. A repeated call sends nothing twice. While the webhook is paused they wait. `GET …/deliveries?failedSince=` lists them before.',
      body: replayBody,
      responses: { 200: { description: 'How many there were.', schema: dataOf(replayed) } },
      limits: onDemandLimits,
      handle: async ({ params: { brandId, webhookId }, body, caller }) =>
        reply(200, { data: await webhooks.replay(brandId, webhookId, body.since, isBrand(caller)) }),
    }),
    defineRoute('testWebhook', `POST ${PATH}/{webhookId}/test`, {
      ...common,
      summary: 'Send a test event',
      description:
        'Queues one test event, signed like any other and tried once; the log of deliveries shows the outcome. Tests and redeliveries share a limit of 50 in 10 seconds.',
      body: testBody,
      bodyOptional: true,
      responses: { 202: { description: 'Queued.', schema: dataOf(deliverySchema) } },
      errors: ['CONFLICT'],
      limits: onDemandLimits,
      handle: async ({ params: { brandId, webhookId }, body, caller }) => {
        // Without a body there is nothing that the schema could have parsed.
        const event = (body as z.output<typeof testBody> | undefined)?.event ?? TEST_EVENT;
        const sample = event === TEST_EVENT ? undefined : sampleOf(event);
        return reply(202, { data: logged(await webhooks.test(brandId, webhookId, isBrand(caller), sample)) });
      },
    }),
  ];
}
