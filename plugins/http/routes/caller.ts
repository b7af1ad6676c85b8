/** Who calls, as this instance sees it: what a page needs to show only what its user may do. */
import { z } from 'zod';
import { ROLES } from '../../../core/access/token.ts';
import { knownCaller } from '../access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf } from '../schemas.ts';

const caller = z
  .object({
    role: z.enum(ROLES),
    tokenId: z
      .int()
      .nullable()
      .meta({ description: 'null for `ADMIN_TOKEN` and for callers that the host vouches for.' }),
    externalId: z.string().nullable().meta({ description: 'The creator of role `creator`.' }),
    brandId: z.int().nullable().meta({ description: 'The brand of role `brand`.' }),
  })
  .meta({ id: 'Caller' });

export function createCallerRoutes() {
  return [
    defineRoute('readCaller', 'GET /auth/caller', {
      tag: 'Tokens',
      summary: 'Who the caller is, and with which role',
      access: 'token',
      brand: 'any',
      responses: { 200: { description: 'The caller.', schema: dataOf(caller) } },
      handle: async ({ caller }) => {
        const { role, tokenId, externalId, brandId = null } = knownCaller(caller);
        return reply(200, { data: { role, tokenId, externalId, brandId } });
      },
    }),
  ];
}
