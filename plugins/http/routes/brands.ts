/** Brands (docs/specification/engagement.md#brands-and-webhooks). */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { LeaderboardRow } from '../../../core/ports/attempt-store.ts';
import { ofBrand, ownRows } from '../brand-access.ts';
import * as example from '../examples/samples.ts';
import { BY_ID, type ListOrder, readListPage, readListPart } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, httpUrl, listOf, pageOf, pageQuery, partQuery, text, timestamp } from '../schemas.ts';

const slug = z
  .string()
  .max(100)
  .regex(/^[a-z0-9-]+$/, 'must consist of a-z, 0-9 and -')
  .meta({ description: 'Unique.' });

const brandChanges = z
  .strictObject({
    name: text(200).optional(),
    slug: slug.optional(),
    logoUrl: httpUrl.nullish().meta({ description: 'null removes it.' }),
  })
  .meta({ example: { name: 'Acme Outdoor' } });

const brandBody = z
  .strictObject({ name: text(200), slug, logoUrl: httpUrl.nullish() })
  .meta({ example: { name: 'Acme', slug: 'acme', logoUrl: 'https://acme.example/logo.png' } });

const brandSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    logoUrl: z.string().nullable(),
    createdAt: timestamp,
  })
  .meta({
    id: 'Brand',
    example: example.BRAND,
  });

const leaderboardRow = z
  .object({
    userId: z.int(),
    externalId: z.string(),
    displayName: z.string().nullable(),
    avatarUrl: z.string().nullable(),
    points: z.int(),
    rewards: z.int().meta({ description: 'Attempts that have these points.' }),
  })
  .meta({ id: 'LeaderboardRow' });
const BY_POINTS: ListOrder<LeaderboardRow> = {
  by: 'by',
  positionOf: ({ userId, points }) => ({ id: userId, by: points }),
};

const common = { tag: 'Brands and webhooks', access: 'admin', audit: 'brand' } as const;

export function createBrandRoutes({ brands }: Pick<Engagement, 'brands'>) {
  return [
    defineRoute('listBrands', 'GET /admin/brands', {
      ...common,
      summary: 'All brands',
      brand: 'own-rows',
      query: partQuery,
      responses: { 200: { description: 'By id.', schema: listOf(brandSchema) } },
      handle: async ({ caller, query }) =>
        reply(200, await readListPart(query, (request) => brands.list(ownRows(caller).brandId, request), BY_ID)),
    }),
    defineRoute('readLeaderboard', 'GET /admin/brands/{brandId}/leaderboard', {
      ...common,
      summary: 'Creators by the points from all campaigns of a brand',
      brand: ofBrand,
      query: pageQuery,
      responses: { 200: { description: 'Most points first, then by `userId`.', schema: pageOf(leaderboardRow) } },
      handle: async ({ params: { brandId }, query }) =>
        reply(200, await readListPage(query, (request) => brands.leaderboard(brandId, request), BY_POINTS)),
    }),
    defineRoute('createBrand', 'POST /admin/brands', {
      ...common,
      summary: 'Create a brand',
      brand: 'none',
      body: brandBody,
      responses: { 201: { description: 'The brand.', schema: dataOf(brandSchema) } },
      errors: ['CONFLICT'],
      handle: async ({ body }) => reply(201, { data: await brands.create(body) }),
    }),
    defineRoute('updateBrand', 'PATCH /admin/brands/{brandId}', {
      ...common,
      summary: 'Change a brand',
      description: 'What is left out stays as it is.',
      brand: ofBrand,
      body: brandChanges,
      responses: { 200: { description: 'The brand as it is now.', schema: dataOf(brandSchema) } },
      errors: ['CONFLICT'],
      handle: async ({ params, body }) => reply(200, { data: await brands.update({ ...params, changes: body }) }),
    }),
    defineRoute('deleteBrand', 'DELETE /admin/brands/{brandId}', {
      ...common,
      summary: 'Delete a brand without campaigns and webhooks',
      description:
        'While the brand has some, the answer is 409 `CONFLICT`; its `details` count them. Tokens of the brand reach nothing afterwards.',
      brand: 'none',
      responses: { 200: { description: 'It is gone.', schema: dataOf(z.object({ id: z.int() })) } },
      errors: ['CONFLICT'],
      handle: async ({ params }) => {
        await brands.delete(params.brandId);
        return reply(200, { data: { id: params.brandId } });
      },
    }),
  ];
}
