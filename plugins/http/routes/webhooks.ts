/** A brand's webhooks (docs/specification/engagement.md#brands-and-webhooks). */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import { EVENT_NAMES } from '../../../core/engagement/webhooks/outbox.ts';
import { type PageRequest, pageOfItems } from '../../../core/ports/paging.ts';
import { HEALTH_OF } from '../../../core/ports/webhook-store.ts';
import { isBrand, ofBrand } from '../brand-access.ts';
import * as example from '../examples/samples.ts';
import { BY_ID, readListPart } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, httpUrl, listOf, optionalText, partQuery, timestamp } from '../schemas.ts';
import { createDeliveryRoutes, PATH, TAG } from './webhook-deliveries.ts';

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
  .strictObject({
    url: httpUrl,
    events: eventNames,
    active: z.boolean().optional().meta({
      description: 'false registers a webhook that is paused. It is active if this is left out.',
    }),
    description: optionalText(500),
  })
  .meta({
    example: { url: example.WEBHOOK.url, events: example.WEBHOOK.events, description: example.WEBHOOK.description },
  });

const updateBody = z
  .strictObject({
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

const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook', example: example.WEBHOOK });
const listedWebhook = z
  .object({
    ...webhookFields,
    health: z
      .object({
        successRate: z.number().nullable().meta({
          description: 'The share that succeeded, from 0 to 1; null if nothing was tried.',
        }),
        succeeded: z.int(),
        failed: z.int().meta({ description: 'Given up.' }),
        retrying: z.int().meta({ description: 'They have failed, and will be tried again.' }),
        lastFailure: z
          .object({ at: timestamp, status: z.int().nullable(), error: z.string().nullable() })
          .nullable()
          .meta({ description: 'The last try that failed, also of deliveries that succeeded later.' }),
      })
      .meta({ description: `Of the last ${HEALTH_OF} deliveries, those that were tried.` }),
  })
  .meta({ id: 'ListedWebhook', example: { ...example.WEBHOOK, health: example.HEALTH } });
const webhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z.string().meta({ description: '`whsec_` and base64. Shown here and never again.' }),
  })
  .meta({
    id: 'WebhookWithSecret',
    example: { ...example.WEBHOOK, secret: example.SECRET },
  });

const rotatedWebhook = z
  .object({
    ...webhookFields,
    secret: z.string().meta({ description: 'The new secret: `whsec_` and base64. Shown here and never again.' }),
    previousSecretExpiresAt: timestamp.meta({ description: 'Until then the secret before signs too.' }),
  })
  .meta({
    id: 'RotatedWebhook',
    example: { ...example.WEBHOOK, secret: example.SECRET, previousSecretExpiresAt: '2026-11-02T09:30:00.000Z' },
  });

const common = { tag: TAG, access: 'admin', brand: ofBrand, audit: 'webhook' } as const;

/** The rows; all for role `admin`. */
export function createWebhookRoutes(deps: Pick<Engagement, 'webhooks'>) {
  return [...endpointRoutes(deps), ...createDeliveryRoutes(deps)];
}

function endpointRoutes({ webhooks }: Pick<Engagement, 'webhooks'>) {
  return [
    defineRoute('listWebhooks', `GET ${PATH}`, {
      ...common,
      summary: 'List the webhooks of a brand, with how deliveries go',
      query: partQuery,
      responses: { 200: { description: 'By id, without secrets.', schema: listOf(listedWebhook) } },
      handle: async ({ params, query, caller }) => {
        const read = async (request?: PageRequest) =>
          pageOfItems(await webhooks.list(params.brandId, isBrand(caller)), request);
        const { data, ...rest } = await readListPart(query, read, BY_ID);
        return reply(200, { ...rest, data: await webhooks.withHealth(data) });
      },
    }),
    defineRoute('createWebhook', `POST ${PATH}`, {
      ...common,
      summary: 'Register a webhook',
      description:
        'Events are sent as signed POST requests. The URL must be http or https, on port 80, 443 or one from 1024 up, and must not name a private address.',
      body: createBody,
      responses: { 201: { description: 'Registered; keep the secret.', schema: dataOf(webhookWithSecret) } },
      errors: ['CONFLICT'],
      handle: async ({ params, body, caller }) => {
        const input = { ...body, ...params, description: body.description ?? null };
        const { webhook, secret } = await webhooks.create({ ...input, asBrand: isBrand(caller) });
        return reply(201, { data: { ...webhook, secret } });
      },
    }),
    defineRoute('updateWebhook', `PATCH ${PATH}/{webhookId}`, {
      ...common,
      summary: 'Change or pause a webhook',
      body: updateBody,
      responses: { 200: { description: 'The webhook as it is now.', schema: dataOf(webhookSchema) } },
      handle: async ({ params, body: changes, caller }) =>
        reply(200, { data: await webhooks.update({ ...params, changes, asBrand: isBrand(caller) }) }),
    }),
    defineRoute('deleteWebhook', `DELETE ${PATH}/{webhookId}`, {
      ...common,
      summary: 'Delete a webhook and the log of its deliveries',
      responses: { 200: { description: 'Deleted.', schema: z.object({ ok: z.literal(true) }) } },
      handle: async ({ params, caller }) => {
        await webhooks.delete(params.brandId, params.webhookId, isBrand(caller));
        return reply(200, { ok: true as const });
      },
    }),
    defineRoute('rotateWebhookSecret', `POST ${PATH}/{webhookId}/rotate-secret`, {
      ...common,
      summary: 'Make a new secret for a webhook',
      description:
        'For a day, `webhook-signature` has two signatures: one with the new secret and one with the old secret. `X-Service-Signature` has room for one, made with the old secret. Give the receiver both secrets, and remove the old one after that day. To end a leaked secret at once, rotate twice.',
      responses: { 200: { description: 'The webhook with its new secret.', schema: dataOf(rotatedWebhook) } },
      handle: async ({ params, caller }) => {
        const { webhook, ...rotated } = await webhooks.rotateSecret(params.brandId, params.webhookId, isBrand(caller));
        return reply(200, { data: { ...webhook, ...rotated } });
      },
    }),
  ];
}
