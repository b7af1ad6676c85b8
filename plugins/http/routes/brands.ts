/** Brands (docs/specification/engagement.md#brands-and-webhooks). */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import { ownRows } from '../brand-access.ts';
import * as example from '../examples/samples.ts';
import { BY_ID, readListPart } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, httpUrl, listOf, partQuery, text, timestamp } from '../schemas.ts';

const TAG = 'Brands and webhooks';

const brandBody = z
  .strictObject({
    name: text(200),
    slug: z
      .string()
      .max(100)
      .regex(/^[a-z0-9-]+$/, 'must consist of a-z, 0-9 and -')
      .meta({ description: 'Unique.' }),
    logoUrl: httpUrl.nullish(),
  })
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

export function createBrandRoutes({ brands }: Pick<Engagement, 'brands'>) {
  return [
    defineRoute({
      id: 'listBrands',
      method: 'GET',
      path: '/admin/brands',
      tag: TAG,
      summary: 'All brands',
      access: 'admin',
      brand: 'own-rows',
      query: partQuery,
      responses: { 200: { description: 'By id.', schema: listOf(brandSchema) } },
      handle: async ({ caller, query }) => {
        const { brandId } = ownRows(caller);
        const page = (request: PageRequest) => brands.listPage(request, brandId);
        return reply(200, await readListPart(query, { all: () => brands.list(brandId), page }, BY_ID));
      },
    }),
    defineRoute({
      id: 'createBrand',
      method: 'POST',
      path: '/admin/brands',
      tag: TAG,
      summary: 'Create a brand',
      access: 'admin',
      brand: 'none',
      audit: 'brand',
      body: brandBody,
      responses: { 201: { description: 'The brand.', schema: dataOf(brandSchema) } },
      errors: ['CONFLICT'],
      handle: async ({ body }) => reply(201, { data: await brands.create(body) }),
    }),
  ];
}
