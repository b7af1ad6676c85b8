/** The field "Search": from what support is told to the page that answers. */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import { SEARCH_KINDS } from '../../../core/engagement/search.ts';
import { ownRows } from '../brand-access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, text } from '../schemas.ts';

const hit = z
  .object({
    kind: z.enum(SEARCH_KINDS),
    id: z.int(),
    title: z.string(),
    path: z.string().meta({ description: 'Of its page in the console: what follows the `#` of the address.' }),
  })
  .meta({ id: 'SearchHit' });

export function createSearchRoutes({ search }: Pick<Engagement, 'search'>) {
  return [
    defineRoute('search', 'GET /admin/search', {
      tag: 'Search',
      summary: 'Find creators, campaigns, attempts, deliveries and requests',
      description:
        'Creators by the beginning of external id, display name, handle or email; as typed, in small letters, in capitals or with capital initials. Campaigns by a text in the title, or by id. Attempts by id. Deliveries of webhooks by the beginning of the message id. Entries of the audit log by request id. At most 20 of each kind. A token of one brand finds the participants of its own campaigns, by what their list shows, and no entries of the audit log.',
      access: 'admin',
      brand: 'own-rows',
      query: z.object({ q: text(200).meta({ description: 'What to look for.', example: 'user-42' }) }),
      responses: { 200: { description: 'The hits, by kind.', schema: dataOf(z.array(hit)) } },
      handle: async ({ query, caller }) => reply(200, { data: await search({ q: query.q, ...ownRows(caller) }) }),
    }),
  ];
}
