/** What became of a creator: all attempts, and the webhooks that were sent about them. */
import { z } from 'zod';
import { entriesOf } from '../../../core/engagement/attempts/attempt.ts';
import { waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import type { AttemptAtCampaign, CreatorPoints } from '../../../core/engagement/creators/creator-history.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import { ownRows } from '../brand-access.ts';
import { type ListOrder, readListPage } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, pageOf, pageQuery, pagination, platformName, timestamp } from '../schemas.ts';
import { attemptState, waiting } from './campaign-shapes.ts';
import { deliveryFields, logged } from './webhook-deliveries.ts';

const BY_ATTEMPT: ListOrder<AttemptAtCampaign> = { positionOf: ({ attempt: { id } }) => ({ id }) };

const creatorAttempt = z
  .object({
    attemptId: z.int(),
    campaignId: z.int(),
    campaignTitle: z.string(),
    challengeId: z.int(),
    platform: platformName,
    state: attemptState,
    waiting,
    reason: z.string().nullable().meta({ description: 'Why it came into its state: the last of its `stateHistory`.' }),
    pointsAwarded: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'CreatorAttempt' });

const creatorDelivery = z
  .object({
    ...deliveryFields,
    brandId: z.int().nullable(),
    webhookId: z.int().nullable().meta({ description: 'null: it went to a subscriber in process.' }),
  })
  .meta({ id: 'CreatorDelivery' });

const creatorReward = z
  .object({
    attemptId: z.int(),
    campaignId: z.int(),
    campaignTitle: z.string(),
    challengeId: z.int(),
    brandId: z.int(),
    pointsAwarded: z.int().meta({ description: 'The sum of the entries.' }),
    entries: z
      .array(
        z.object({
          at: timestamp,
          points: z.int().meta({ description: 'Negative if they were taken back.' }),
          reason: z.enum(['reward', 'reversal']),
          note: z.string().optional(),
        }),
      )
      .meta({ description: 'Oldest first. Entries are added, never changed.' }),
  })
  .meta({ id: 'CreatorReward' });

const creatorPoints = z
  .object({
    total: z.int(),
    byBrand: z.array(z.object({ brandId: z.int(), points: z.int() })),
    rewards: z.array(creatorReward),
  })
  .meta({ id: 'CreatorPoints' });

const common = { tag: 'Creators', access: 'admin', brand: 'none' } as const;

export function createCreatorHistoryRoutes({ creators }: Pick<Engagement, 'creators'>) {
  return [
    defineRoute('listCreatorAttempts', 'GET /admin/creators/{userId}/attempts', {
      ...common,
      summary: 'All attempts of a creator, newest first',
      query: pageQuery,
      responses: { 200: { description: 'A page.', schema: pageOf(creatorAttempt) } },
      handle: async ({ params: { userId }, query }) =>
        reply(200, await readListPage(query, (request) => creators.listAttempts(userId, request), BY_ATTEMPT, rowOf)),
    }),
    defineRoute('getCreatorPoints', 'GET /admin/creators/{userId}/points', {
      ...common,
      brand: 'own-rows',
      summary: 'The points of a creator, and the entries that they are the sum of',
      description:
        '`pagination` counts the `rewards`, which come newest first. A token of one brand gets what its brand gave. It gets the same empty answer for a creator without any and for one that does not exist.',
      query: pageQuery,
      responses: { 200: { description: 'The points.', schema: dataOf(creatorPoints).extend({ pagination }) } },
      handle: async ({ params: { userId }, query, caller }) => {
        let byBrand: CreatorPoints['byBrand'] = [];
        const read = async (request: PageRequest) => {
          const found = await creators.points(userId, request, ownRows(caller));
          byBrand = found.byBrand;
          return found;
        };
        const { data: rewards, pagination } = await readListPage(query, read, BY_ATTEMPT, rewardOf);
        const total = byBrand.reduce((sum, { points }) => sum + points, 0);
        return reply(200, { data: { total, byBrand, rewards }, pagination });
      },
    }),
    defineRoute('listCreatorDeliveries', 'GET /admin/creators/{userId}/deliveries', {
      ...common,
      summary: 'What was sent about the attempts of a creator',
      responses: {
        200: {
          description: 'The newest 100 about the newest 100 attempts, newest first.',
          schema: dataOf(z.array(creatorDelivery)),
        },
      },
      handle: async ({ params: { userId } }) => {
        const found = await creators.listDeliveries(userId);
        const webhookOf = (target: number | string) => (typeof target === 'number' ? target : null);
        return reply(200, { data: found.map((one) => ({ ...logged(one), webhookId: webhookOf(one.target) })) });
      },
    }),
  ];
}

function rowOf({ attempt, campaign, challenge }: AttemptAtCampaign) {
  return {
    ...attempt,
    attemptId: attempt.id,
    campaignId: campaign.id,
    campaignTitle: campaign.title,
    platform: challenge.platform,
    waiting: waitingOf(attempt),
    reason: attempt.stateHistory.at(-1)?.reason ?? null,
  };
}

function rewardOf({ attempt, campaign }: AttemptAtCampaign) {
  return {
    ...attempt,
    attemptId: attempt.id,
    campaignId: campaign.id,
    campaignTitle: campaign.title,
    brandId: campaign.brandId,
    entries: entriesOf(attempt),
  };
}
