/** A brand's webhooks, the log of their deliveries, and test events (docs/specification/engagement.md#brands-and-webhooks). */
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
import { BY_ID, readListPage, readListPart } from '../list-cursor.ts';
import { defineRoute, type LimitUse, reply } from '../route.ts';
import { dataOf, httpUrl, idParam, listOf, optionalText, pageOf, pageQuery, partQuery, timestamp } from '../schemas.ts';

const TAG = 'Brands and webhooks';
const PATH = '/admin/brands/{brandId}/webhooks';
const EXAMPLE = {
  id: 3,
  url: 'https://hooks.example.com/credence',
  events: ['creator.verified', 'reward.issued'],
  active: true,
  description: 'Production',
  lastTriggeredAt: null,
  createdAt: '2026-11-01T09:30:00.000Z',
};

/** What is sent on demand, so that nobody holds up the events of others. A brand's tokens share it; other tokens have their own. */
const ON_DEMAND: LimitRule = { name: 'webhooks-on-demand', units: 50, windowSeconds: 10 };

/** What a redelivery or a test takes from its caller's limit. */
export function onDemandLimits({ caller }: { readonly caller: Caller | null }): readonly LimitUse[] {
  const { brandId } = ownRows(caller);
  return [{ rule: ON_DEMAND, key: brandId === undefined ? callerKey(caller) : `brand:${brandId}`, units: 1 }];
}

const brandParams = z.object({ brandId: idParam });
const webhookParams = z.object({ brandId: idParam, webhookId: idParam });
const deliveryParams = webhookParams.extend({ deliveryId: idParam });

const eventNames = z
  .array(z.enum(EVENT_NAMES))
  .min(1)
  .max(50)
  .meta({
    description:
      'At least one; a name given twice counts once. `account.connected` is for admins: for tokens of one brand a webhook that has it does not exist.',
    example: ['creator.verified'],
  });

const createBody = z
  .object({
    url: httpUrl,
    events: eventNames,
    active: z.boolean().optional().meta({
      description: 'false registers a webhook that is paused. It is active if this is left out.',
    }),
    description: optionalText(500),
  })
  .meta({ example: { url: EXAMPLE.url, events: EXAMPLE.events, description: EXAMPLE.description } });

const updateBody = z
  .object({
    url: httpUrl.optional(),
    events: eventNames.optional(),
    active: z.boolean().optional().meta({
      description:
        'false pauses: nothing is sent, what is pending waits; true sends it. Events that arise meanwhile are not recorded for this webhook.',
    }),
    description: optionalText(500).meta({ description: 'null and empty text remove it.' }),
  })
  .meta({ example: { active: false } });

const webhookFields = {
  id: z.int(),
  url: z.string().meta({ format: 'uri' }),
  events: z.array(z.enum(EVENT_NAMES)),
  active: z.boolean(),
  description: z.string().nullable(),
  lastTriggeredAt: timestamp.nullable().meta({ description: 'When something was last sent, whatever came of it.' }),
  createdAt: timestamp,
};

const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook', example: EXAMPLE });
const webhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z.string().meta({ description: '`whsec_` and base64. Shown here and never again.' }),
  })
  .meta({
    id: 'WebhookWithSecret',
    example: { ...EXAMPLE, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' },
  });

const rotatedWebhook = z
  .object({
    ...webhookFields,
    secret: z.string().meta({ description: 'The new secret: `whsec_` and base64. Shown here and never again.' }),
    previousSecretExpiresAt: timestamp.meta({ description: 'Until then the secret before signs too.' }),
  })
  .meta({ id: 'RotatedWebhook' });

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
  tries: z
    .array(
      z.object({
        at: timestamp,
        durationMs: z.int(),
        status: z.int().nullable().meta({ description: 'What the receiver answered; null when it did not.' }),
        error: z.string().nullable(),
      }),
    )
    .meta({ description: 'The last 20, oldest first.' }),
  nextTryAt: timestamp
    .nullable()
    .meta({ description: 'The earliest time; while the webhook is paused nothing is tried.' }),
  createdAt: timestamp,
  finishedAt: timestamp.nullable(),
};

/** A delivery as the log shows it. */
export function logged<D extends { readonly body: string; readonly messageId: string }>(
  delivery: D,
): D & { readonly challengeId: number | null } {
  return { ...delivery, messageId: sentMessageId(delivery.messageId), challengeId: challengeIdOf(delivery) };
}

const deliverySchema = z.object(deliveryFields).meta({ id: 'WebhookDelivery' });
const deliveryWithBody = z
  .object({
    ...deliveryFields,
    body: z.string().meta({ description: 'The JSON text as it is signed and sent, the same on every try.' }),
  })
  .meta({ id: 'WebhookDeliveryWithBody' });

const deliveryQuery = pageQuery.extend({
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Deliveries with this status only.' }),
  event: z
    .enum([...EVENT_NAMES, TEST_EVENT])
    .optional()
    .meta({ description: 'Deliveries of this event only.' }),
});

/** The rows; all for role `admin`. */
export function createWebhookRoutes({ webhooks }: Pick<Engagement, 'webhooks'>) {
  return [
    defineRoute({
      id: 'listWebhooks',
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'List the webhooks of a brand',
      access: 'admin',
      brand: ofBrand,
      params: brandParams,
      query: partQuery,
      responses: { 200: { description: 'By id, without secrets.', schema: listOf(webhookSchema) } },
      handle: async ({ params, query, caller }) => {
        const all = () => webhooks.list(params.brandId, isBrand(caller));
        return reply(200, await readListPart(query, { all }, BY_ID));
      },
    }),
    defineRoute({
      id: 'createWebhook',
      method: 'POST',
      path: PATH,
      tag: TAG,
      summary: 'Register a webhook',
      description:
        'Events are sent as signed POST requests. The URL must be http or https, on port 80, 443 or one from 1024 up, and must not name a private address.',
      access: 'admin',
      brand: ofBrand,
      audit: 'webhook',
      params: brandParams,
      body: createBody,
      responses: { 201: { description: 'Registered; keep the secret.', schema: dataOf(webhookWithSecret) } },
      errors: ['CONFLICT'],
      handle: async ({ params, body, caller }) => {
        const { url, events, active, description } = body;
        const input = { brandId: params.brandId, url, events, active, description: description ?? null };
        const made = await webhooks.create({ ...input, asBrand: isBrand(caller) });
        return reply(201, { data: { ...made.webhook, secret: made.secret } });
      },
    }),
    defineRoute({
      id: 'updateWebhook',
      method: 'PATCH',
      path: `${PATH}/{webhookId}`,
      tag: TAG,
      summary: 'Change or pause a webhook',
      access: 'admin',
      brand: ofBrand,
      audit: 'webhook',
      params: webhookParams,
      body: updateBody,
      responses: { 200: { description: 'The webhook as it is now.', schema: dataOf(webhookSchema) } },
      handle: async ({ params, body, caller }) => {
        const { url, events, active, description } = body;
        const changes = { url, events, active, description };
        return reply(200, { data: await webhooks.update({ ...params, changes, asBrand: isBrand(caller) }) });
      },
    }),
    defineRoute({
      id: 'deleteWebhook',
      method: 'DELETE',
      path: `${PATH}/{webhookId}`,
      tag: TAG,
      summary: 'Delete a webhook and the log of its deliveries',
      access: 'admin',
      brand: ofBrand,
      audit: 'webhook',
      params: webhookParams,
      responses: { 200: { description: 'Deleted.', schema: z.object({ ok: z.literal(true) }) } },
      handle: async ({ params, caller }) => {
        await webhooks.delete(params.brandId, params.webhookId, isBrand(caller));
        return reply(200, { ok: true as const });
      },
    }),
    defineRoute({
      id: 'rotateWebhookSecret',
      method: 'POST',
      path: `${PATH}/{webhookId}/rotate-secret`,
      tag: TAG,
      summary: 'Make a new secret for a webhook',
      description:
        'For a day, `webhook-signature` has two signatures: one with the new secret and one with the old secret. `X-Service-Signature` has room for one, made with the old secret. Give the receiver both secrets, and remove the old one after that day. To end a leaked secret at once, rotate twice.',
      access: 'admin',
      brand: ofBrand,
      audit: 'webhook',
      params: webhookParams,
      responses: { 200: { description: 'The webhook with its new secret.', schema: dataOf(rotatedWebhook) } },
      handle: async ({ params, caller }) => {
        const { brandId, webhookId } = params;
        const { webhook, ...rotated } = await webhooks.rotateSecret(brandId, webhookId, isBrand(caller));
        return reply(200, { data: { ...webhook, ...rotated } });
      },
    }),
    defineRoute({
      id: 'listWebhookDeliveries',
      method: 'GET',
      path: `${PATH}/{webhookId}/deliveries`,
      tag: TAG,
      summary: 'What was sent to a webhook, and what came of it',
      description: 'A brand does not see deliveries about creators, from a time when the webhook was for admins.',
      access: 'admin',
      brand: ofBrand,
      params: webhookParams,
      query: deliveryQuery,
      responses: { 200: { description: 'Newest first.', schema: pageOf(deliverySchema) } },
      handle: async ({ params: { brandId, webhookId }, query, caller }) => {
        const { status, event } = query;
        const read = (request: PageRequest) =>
          webhooks.listDeliveries(brandId, webhookId, request, { status, event }, isBrand(caller));
        const { found, pagination } = await readListPage(query, read, BY_ID);
        return reply(200, { data: found.items.map(logged), pagination });
      },
    }),
    defineRoute({
      id: 'getWebhookDelivery',
      method: 'GET',
      path: `${PATH}/{webhookId}/deliveries/{deliveryId}`,
      tag: TAG,
      summary: 'A delivery with the body that was sent',
      description: 'A brand does not get deliveries about creators, from a time when the webhook was for admins.',
      access: 'admin',
      brand: ofBrand,
      params: deliveryParams,
      responses: { 200: { description: 'The delivery.', schema: dataOf(deliveryWithBody) } },
      handle: async ({ params: { brandId, webhookId, deliveryId }, caller }) => {
        const delivery = await webhooks.getDelivery(brandId, webhookId, deliveryId, isBrand(caller));
        return reply(200, { data: logged(delivery) });
      },
    }),
    defineRoute({
      id: 'testWebhook',
      method: 'POST',
      path: `${PATH}/{webhookId}/test`,
      tag: TAG,
      summary: 'Send a test event',
      description:
        'Queues one `webhook.test` event, signed like any other and tried once; the log of deliveries shows the outcome. Tests and redeliveries share a limit of 50 in 10 seconds.',
      access: 'admin',
      brand: ofBrand,
      audit: 'webhook',
      params: webhookParams,
      responses: { 202: { description: 'Queued.', schema: dataOf(deliverySchema) } },
      errors: ['CONFLICT'],
      limits: onDemandLimits,
      handle: async ({ params: { brandId, webhookId }, caller }) =>
        reply(202, { data: logged(await webhooks.test(brandId, webhookId, isBrand(caller))) }),
    }),
  ];
}
