/** Draws of campaigns whose rewards go to a few by lot. */
import { z } from 'zod';
import { drawProof } from '../../../core/engagement/campaigns/draw.ts';
import { MOST_PARTICIPANTS } from '../../../core/engagement/campaigns/draw-winners.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import { ofCampaign } from '../brand-access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, text, timestamp } from '../schemas.ts';

const common = { tag: 'Campaigns', access: 'admin', brand: ofCampaign } as const;

const draw = drawProof.extend({ drawnAt: timestamp }).meta({
  id: 'Draw',
  example: {
    campaignId: 7,
    commitment: '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925',
    seed: '00'.repeat(32),
    beacon: 'drand round 5000000',
    beaconValue: 'abc',
    participants: [1, 2, 3, 4],
    winners: [2, 4],
    drawnAt: '2026-11-29T12:00:00.000Z',
  },
});

export function createDrawRoutes({ campaigns }: Pick<Engagement, 'campaigns'>) {
  return [
    defineRoute('drawWinners', 'POST /admin/campaigns/{id}/draw', {
      ...common,
      summary: 'Draw the winners of a campaign with `terms.draw`',
      description: `Among the attempts that are verified now, at most ${MOST_PARTICIPANTS.toLocaleString('en')}. Jobs reward the winners, beyond 1,000 participants within minutes; the others, and attempts that are verified later, get nothing. Happens once: the same values are answered the same, and others with 409 \`CONFLICT\`.`,
      audit: 'campaign',
      body: z
        .strictObject({
          winners: z.int().min(1).max(MOST_PARTICIPANTS).meta({ description: 'How many win.' }),
          beaconValue: text(1_000).meta({ description: 'What the public value is that `terms.draw.beacon` names.' }),
        })
        .meta({ example: { winners: 2, beaconValue: 'abc' } }),
      responses: { 200: { description: 'The proof of the draw.', schema: dataOf(draw) } },
      errors: ['CONFLICT'],
      handle: async ({ params, body }) =>
        reply(200, { data: await campaigns.draw({ campaignId: params.id, ...body }) }),
    }),
    defineRoute('readDraw', 'GET /admin/campaigns/{id}/draw', {
      ...common,
      summary: 'The proof of a draw, for everybody',
      description: '`credence draw verify` recomputes the winners from it. 404 `NOT_FOUND` before the draw.',
      responses: { 200: { description: 'The proof.', schema: dataOf(draw) } },
      handle: async ({ params }) => reply(200, { data: await campaigns.readDraw(params.id) }),
    }),
  ];
}
