/** API tokens. */
import { z } from 'zod';
import type { Access } from '../../../core/access/index.ts';
import { ROLES } from '../../../core/access/token.ts';
import { BY_ID, readListPart } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, externalIdText, listOf, partQuery, positiveId, text, timestamp } from '../schemas.ts';

const quotaFields = {
  requests: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .meta({ description: 'Requests in each window, whatever becomes of them. Those to the mock prover are free.' }),
  windowSeconds: z
    .int()
    .min(1)
    .max(2_592_000)
    .optional()
    .meta({ description: 'The window of `requests`; 60 by default.' }),
  webProofsPerDay: z.int().min(1).max(1_000_000_000).optional().meta({
    description:
      'Web proofs that are made, or begun and failed, in 24 hours from the first one. Requests that are refused before they are begun do not count.',
  }),
};
const QUOTA = {
  description:
    'How much the token may be used. Beyond it, requests are 429 `QUOTA_EXCEEDED` with `Retry-After`; `RateLimit` and `RateLimit-Policy` tell what is left. Hosts that share a Redis count together.',
  example: { requests: 600, windowSeconds: 60, webProofsPerDay: 100 },
};
const quotaBody = z
  .strictObject(quotaFields)
  .refine(({ requests, windowSeconds }) => windowSeconds === undefined || requests !== undefined, {
    message: 'windowSeconds is the window of requests: send both',
  })
  .refine(({ requests, webProofsPerDay }) => requests !== undefined || webProofsPerDay !== undefined, {
    message: 'name requests, webProofsPerDay or both',
  })
  .meta(QUOTA);

const tokenBody = z
  .strictObject({
    name: text(200).meta({ description: 'For people, to tell tokens apart.' }),
    role: z.enum(ROLES).meta({
      description:
        '`admin`: everything; `client`: campaigns and lookups; `creator`: campaigns with `myAttempt`, and own accounts; `brand`: campaigns, webhooks and results of one brand.',
    }),
    externalId: externalIdText('The creator; required with role `creator`, and only there.').nullish(),
    brandId: positiveId.nullish().meta({ description: 'The brand; required with role `brand`, and only there.' }),
    quota: quotaBody.nullish(),
  })
  .meta({ example: { name: 'Mobile app', role: 'client' } });

const tokenFields = {
  id: z.int(),
  name: z.string(),
  role: z.enum(ROLES),
  externalId: z.string().nullable(),
  brandId: z.int().nullable().meta({ description: 'The brand of role `brand`.' }),
  quota: z.object(quotaFields).nullable().meta({ description: 'null: none.' }),
  createdAt: timestamp,
  revokedAt: timestamp.nullable(),
};
const tokenSchema = z.object(tokenFields).meta({ id: 'ApiToken' });
const createdToken = z
  .object({ ...tokenFields, token: z.string().meta({ description: 'Shown here and never again.' }) })
  .meta({ id: 'CreatedApiToken' });

const common = { tag: 'Tokens', access: 'admin', brand: 'none', audit: 'token' } as const;

export function createTokenRoutes({ tokens }: Pick<Access, 'tokens'>) {
  return [
    defineRoute('createToken', 'POST /admin/tokens', {
      ...common,
      summary: 'Create a token',
      description: 'Only a hash of the token is stored: keep what this answers, it cannot be read again.',
      body: tokenBody,
      responses: { 201: { description: 'The token.', schema: dataOf(createdToken) } },
      errors: ['NOT_FOUND'],
      handle: async ({ body }) => {
        const { stored, token } = await tokens.create(body);
        return reply(201, { data: { ...stored, token } });
      },
    }),
    defineRoute('listTokens', 'GET /admin/tokens', {
      ...common,
      summary: 'All tokens, revoked ones too',
      query: partQuery,
      responses: { 200: { description: 'By id.', schema: listOf(tokenSchema) } },
      handle: async ({ query }) => reply(200, await readListPart(query, tokens.list, BY_ID)),
    }),
    defineRoute('revokeToken', 'DELETE /admin/tokens/{tokenId}', {
      ...common,
      summary: 'Revoke a token for good',
      description: 'Idempotent. A token cannot revoke itself.',
      responses: { 200: { description: 'The revoked token.', schema: dataOf(tokenSchema) } },
      errors: ['CONFLICT'],
      handle: async ({ params, caller }) =>
        reply(200, { data: await tokens.revoke({ tokenId: params.tokenId, caller }) }),
    }),
  ];
}
