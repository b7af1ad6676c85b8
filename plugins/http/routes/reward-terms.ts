/** When a campaign pays, and how much at most, on the wire, and whether a comment or like is kept. */
import { z } from 'zod';
import type { Attempt } from '../../../core/engagement/attempts/attempt.ts';
import { MOST_REWARDS } from '../../../core/engagement/attempts/reward-places.ts';
import { text, timestamp } from '../schemas.ts';

const isSome = (given: object) => Object.values(given).some((value) => value !== undefined);
const EMPTY = 'must have at least one field; send null for none';

const count = (most: number) => z.int().min(1).max(most).optional();
const MOST_POINTS = 1_000_000_000_000;
export const limits = z
  .strictObject({
    maxRewards: count(MOST_REWARDS).meta({ description: 'So many rewards.' }),
    pointsBudget: count(MOST_POINTS).meta({ description: 'So many points in all.' }),
    pointsPerCreatorAndDay: count(MOST_POINTS).meta({
      description:
        'Over all campaigns of the brand that have `limits`, in a day of UTC. The rest is paid the next day.',
    }),
  })
  .meta({ example: { maxRewards: 100 } });
export const someLimits = limits.refine(isSome, EMPTY).nullish();
export const LIMITS = `What the campaign pays at most, first come, first served; at most ${MOST_REWARDS} rewards. Who is verified after that waits, and is paid if there is room again. null: no limits.`;

const days = z.int().min(1).max(365).optional();
const fields = {
  holdDays: days.meta({ description: 'The comment or like must still be there after so many days.' }),
  recheckDays: days.meta({ description: 'So many days after the reward it is looked for again.' }),
  reverseOnRemoval: z.boolean().optional().meta({
    description:
      'The points are taken back if it is gone by then; with no `recheckDays`, whenever an official API tells.',
  }),
  review: z.enum(['all', 'signals']).optional().meta({
    description: 'Which rewards wait for an approval (`reviewAttempt`): all, or those of attempts with `signals`.',
  }),
};

const beacon = text(200).meta({
  description: 'The public value that will be mixed in, in words: of a time when all participants are verified.',
});
const DRAW = 'Only so many verified attempts are rewarded, drawn by lot.';

/** With which a campaign is created. A draw is there from the beginning, and stays. */
export const newTerms = z
  .strictObject({ ...fields, draw: z.strictObject({ beacon }).optional().meta({ description: DRAW }) })
  .refine(isSome, EMPTY)
  .nullish();
export const changedTerms = z.strictObject(fields).refine(isSome, EMPTY).nullish();
export const storedTerms = z
  .object({
    ...fields,
    draw: z
      .object({
        beacon,
        commitment: z.string().meta({ description: 'SHA-256 of the secret seed, in hexadecimal digits.' }),
      })
      .optional()
      .meta({ description: DRAW }),
  })
  .meta({ id: 'RewardTerms' })
  .nullish()
  .meta({ description: 'When a verified attempt is rewarded; absent: at once.' });

/** Fields of attempts in campaigns with terms. */
export const keptFields = {
  checkAt: timestamp.optional().meta({ description: 'When the comment or like is looked for again.' }),
  removedAt: timestamp.optional().meta({ description: 'When the comment or like was found to be gone.' }),
};

export function keptOf({ checkAt, removedAt }: Attempt) {
  return { checkAt: checkAt ?? undefined, removedAt: removedAt ?? undefined };
}
