/** Figures by time, for charts. */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import { SERIES } from '../../../core/engagement/series.ts';
import { ownRows } from '../brand-access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, idParam, instant, timestamp } from '../schemas.ts';

const query = z.object({
  what: z.enum(SERIES).meta({
    description:
      '`attempts`: the counts `attempts` (created), `verifications`, `rewards` and `points`; all, or of a `campaignId` or `brandId`. `deliveries` of a `brandId` and `webhookId`: those made then, by the status that they have now. `reads` of platforms and the `failures` among them, by platform; a post or profile that is not there is no failure.',
    example: 'attempts',
  }),
  by: z.enum(['hour', 'day']).default('hour').meta({ description: 'Hours or days of UTC.' }),
  from: instant.optional().meta({
    description:
      'At most 14 days before `to` by hour, 90 by day; by default 1 and 30. Its bucket is counted from the start.',
  }),
  to: instant.optional().meta({ description: 'Now by default.' }),
  campaignId: idParam.optional(),
  brandId: idParam.optional(),
  webhookId: idParam.optional(),
});

const count = z
  .object({ at: timestamp.meta({ description: 'When the bucket begins.' }), name: z.string(), count: z.int() })
  .meta({ id: 'SeriesCount' });

export function createSeriesRoutes({ series }: Pick<Engagement, 'series'>) {
  return [
    defineRoute('readSeries', 'GET /admin/series', {
      tag: 'Series',
      summary: 'Attempts, points, deliveries and reads of platforms by hour or day',
      description:
        'For charts. Empty buckets are left out: what is not there is 0. Deliveries that the retention has removed are not there either. Reads are written every 10 seconds; a process that dies loses that much. A token of one brand gets its own, and no reads.',
      access: 'admin',
      brand: 'own-rows',
      query,
      responses: { 200: { description: 'By time, then by name.', schema: dataOf(z.array(count)) } },
      errors: ['NOT_FOUND'],
      handle: async ({ query, caller }) =>
        reply(200, { data: await series({ ...query, own: ownRows(caller).brandId }) }),
    }),
  ];
}
