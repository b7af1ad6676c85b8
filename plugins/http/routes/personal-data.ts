/** The personal data of a creator: handed out, or erased (docs/trust.md#personal-data). */
import { z } from 'zod';
import type { Engagement } from '../../../core/engagement/index.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, platformName, timestamp } from '../schemas.ts';
import { attemptDetail } from './attempts.ts';
import { held } from './campaign-shapes.ts';
import { commentSchema, likerSchema, shownComment } from './challenge-data-shapes.ts';
import { connectedAccount } from './connections.ts';
import { keptOf } from './reward-terms.ts';
import { deliveryDetails, logged } from './webhook-deliveries.ts';

const personalData = z
  .object({
    creator: z.object({
      id: z.int(),
      externalId: z.string(),
      email: z.string(),
      displayName: z.string().nullable(),
      avatarUrl: z.string().nullable(),
      createdAt: timestamp,
    }),
    accounts: z.array(
      connectedAccount.extend({
        rememberedAccountId: z.string().nullable().meta({
          description: "The platform's id of the account that an asserted handle was first matched by.",
        }),
      }),
    ),
    attempts: z.array(
      attemptDetail.omit({ userId: true, maxRetries: true, lastVerificationAt: true, waiting: true }).extend({
        held: held.unwrap().omit({ message: true }).nullish(),
        verifiedAt: timestamp.nullable(),
        rewardedAt: timestamp.nullable(),
      }),
    ),
    connectionRequests: z.array(
      z.object({
        id: z.string(),
        platform: platformName,
        handle: z.string().nullable(),
        status: z.string(),
        createdAt: timestamp,
        expiresAt: timestamp,
      }),
    ),
    comments: z
      .array(commentSchema.extend({ challengeId: z.int() }).meta({ id: 'CommentOfCreator' }))
      .meta({ description: "Stored comments of the creator's accounts, on the posts of all challenges." }),
    likes: z.array(likerSchema.omit({ likedPost: true, postUrl: true, totalLikes: true }).extend({ fetchId: z.int() })),
    deliveries: z
      .array(z.object(deliveryDetails))
      .meta({ description: 'Of events about the creator, to webhooks and subscribers.' }),
  })
  .meta({ id: 'PersonalData' });

const erasure = z
  .object({
    userId: z.int(),
    externalId: z.string().meta({ description: 'Takes the place of yours, which can be registered again.' }),
    comments: z.int().meta({ description: 'Stored comments that this call erased.' }),
    likes: z.int().meta({ description: 'Stored likers that this call erased.' }),
    deliveries: z.int().meta({ description: 'Deliveries whose bodies this call erased; pending ones are cancelled.' }),
  })
  .meta({ id: 'Erasure' });

const common = { tag: 'Creators', access: 'admin', brand: 'none' } as const;

export function createPersonalDataRoutes({ creators }: Pick<Engagement, 'creators'>) {
  return [
    defineRoute('exportCreator', 'GET /admin/creators/{userId}/export', {
      ...common,
      summary: 'Export the personal data of a creator',
      description:
        'Everything that is stored about the creator: profile, accounts, attempts, connection requests, comments and likes, and what was sent about them.',
      responses: { 200: { description: 'The data.', schema: dataOf(personalData) } },
      handle: async ({ params }) => {
        const { attempts, comments, deliveries, ...data } = await creators.export(params);
        const shown = attempts.map((attempt) => ({ ...attempt, ...keptOf(attempt) }));
        return reply(200, {
          data: { ...data, attempts: shown, comments: comments.map(shownComment), deliveries: deliveries.map(logged) },
        });
      },
    }),
    defineRoute('eraseCreator', 'POST /admin/creators/{userId}/erase', {
      ...common,
      summary: 'Erase the personal data of a creator for good',
      description:
        'Removes externalId, names, e-mail, linked accounts, connection requests, and the texts of comments and deliveries. Ids, states, points and counts stay, anonymous. Pending deliveries about the creator are cancelled, and the tokens of the creator are revoked. The handle and the externalId can be registered again; erased comments count for nobody. Idempotent. 409 while an attempt of the creator is being verified or rewarded: `details.attempts` names them.',
      audit: 'creator',
      responses: { 200: { description: 'The data is erased.', schema: dataOf(erasure) } },
      errors: ['CONFLICT'],
      handle: async ({ params }) => {
        const { creator, ...counts } = await creators.erase(params);
        return reply(200, { data: { ...counts, userId: creator.id, externalId: creator.externalId } });
      },
    }),
  ];
}
