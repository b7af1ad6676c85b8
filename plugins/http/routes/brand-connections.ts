/** Accounts that a brand connects, so that the platform's own API reads and pushes the comments of its posts. */
import { z } from 'zod';
import type { ListedConnection } from '../../../core/engagement/brand-connections/manage-connections.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { PlatformRegistry } from '../../../core/platforms/registry.ts';
import { knownCaller } from '../access.ts';
import { ofBrand } from '../brand-access.ts';
import * as example from '../examples/samples.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, listOf, platformName, registeredPlatform, text, timestamp } from '../schemas.ts';

const PATH = '/admin/brands/{brandId}/connections';

const time = timestamp.nullable();
const connection = z
  .object({
    id: z.int().nullable().meta({ description: 'null for accounts of the configuration.' }),
    source: z.enum(['connected', 'configuration']),
    platform: platformName,
    accountId: z.string().meta({ description: 'How the API names the account.' }),
    handle: z.string(),
    scopes: z.array(z.string()).nullable(),
    status: z.enum(['active', 'expired', 'revoked', 'scope']).meta({
      description: 'Unless `active`, the account has to be connected again. `scope`: a permission is missing.',
    }),
    connectedAt: time,
    expiresAt: time.meta({ description: 'When the access token ends, unless it is renewed before.' }),
    refreshExpiresAt: time.meta({ description: 'When the account has to be connected again; null if never.' }),
    subscribedAt: time.meta({ description: 'Since when the platform pushes comments; null if it does not yet.' }),
    lastFailure: z
      .object({ at: timestamp, error: z.string(), message: z.string() })
      .nullable()
      .meta({ description: 'Why renewing or subscribing failed last; null once it succeeds.' }),
  })
  .meta({ id: 'BrandConnection', example: example.CONNECTION });

const started = z
  .object({
    authorizationUrl: z.string().meta({ format: 'uri', description: 'Send the owner of the account there.' }),
    state: z.string().meta({ description: 'Comes back with the code.' }),
    expiresAt: timestamp,
  })
  .meta({
    id: 'StartedBrandConnection',
    example: {
      authorizationUrl: `https://login.example.com/authorize?client_id=1234567890&state=${example.STATE}`,
      state: example.STATE,
      expiresAt: '2026-11-01T09:40:00.000Z',
    },
  });

const common = { tag: 'Brands and webhooks', access: 'admin', brand: ofBrand, audit: 'brandConnection' } as const;

/** Of accounts of the configuration little is known. */
const shown = (one: ListedConnection) => ({
  scopes: null,
  connectedAt: null,
  expiresAt: null,
  refreshExpiresAt: null,
  subscribedAt: null,
  lastFailure: null,
  ...one,
});

export function createBrandConnectionRoutes({
  brandConnections,
  platforms,
}: Pick<Engagement, 'brandConnections'> & { readonly platforms: PlatformRegistry }) {
  return [
    defineRoute('listBrandConnections', `GET ${PATH}`, {
      ...common,
      summary: 'List the connected accounts of a brand',
      responses: { 200: { description: 'By id, without tokens.', schema: listOf(connection) } },
      handle: async ({ params }) => {
        return reply(200, { data: (await brandConnections.list(params.brandId)).map(shown) });
      },
    }),
    defineRoute('startBrandConnection', `POST ${PATH}`, {
      ...common,
      summary: 'Begin to connect an account of a brand',
      description:
        'Send the owner of the account to `authorizationUrl`. The platform leads back to `redirectUri` with `code` and `state`: pass both to `completeBrandConnection` within 10 minutes.',
      body: z
        .strictObject({
          platform: registeredPlatform(platforms),
          redirectUri: text(2_048).meta({
            format: 'uri',
            description: 'One of `redirectUris` of the configuration, exactly.',
          }),
        })
        .meta({ example: { platform: example.PLATFORM, redirectUri: example.REDIRECT_URI } }),
      responses: { 200: { description: 'Where to send the owner.', schema: dataOf(started) } },
      errors: ['NOT_SUPPORTED'],
      handle: async ({ params, body, caller }) =>
        reply(200, { data: await brandConnections.start({ ...params, ...body, caller: knownCaller(caller) }) }),
    }),
    defineRoute('completeBrandConnection', `POST ${PATH}/complete`, {
      ...common,
      summary: 'Connect the account whose owner has agreed',
      description:
        'Only the caller that began may complete. An account that is connected already keeps its id. 409 if it belongs to another brand.',
      body: z
        .strictObject({ state: text(8_192), code: text(4_096) })
        .meta({ example: { state: example.STATE, code: 'AQBx-hBsH3' } }),
      responses: {
        201: {
          description: 'The connection.',
          schema: dataOf(connection).extend({
            warning: z.string().optional().meta({ description: 'Comments are not pushed yet; it is tried again.' }),
          }),
        },
      },
      errors: ['CONFLICT', 'SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'],
      handle: async ({ params, body, caller }) => {
        const made = await brandConnections.complete({ ...params, ...body, caller: knownCaller(caller) });
        const data = shown({ ...made.connection, source: 'connected' });
        return reply(201, { data, ...(made.warning !== null && { warning: made.warning }) });
      },
    }),
    defineRoute('deleteBrandConnection', `DELETE ${PATH}/{connectionId}`, {
      ...common,
      summary: 'Disconnect an account',
      description: 'Its tokens are forgotten, and given back if the platform takes them.',
      responses: { 200: { description: 'Disconnected.', schema: z.object({ ok: z.literal(true) }) } },
      handle: async ({ params }) => {
        await brandConnections.disconnect(params.brandId, params.connectionId);
        return reply(200, { ok: true as const });
      },
    }),
  ];
}
