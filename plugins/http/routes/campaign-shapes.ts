/** What campaigns look like on the wire: the schemas of requests and responses, and the views that fill them. */
import { z } from 'zod';
import { HELD_REASONS, SIGNAL_NAMES } from '../../../core/engagement/attempts/attempt.ts';
import type { RewardsPreview } from '../../../core/engagement/attempts/preview-rewards.ts';
import { SIGNALS } from '../../../core/engagement/attempts/signals.ts';
import { ATTEMPT_STATE_NAMES, type AttemptState } from '../../../core/engagement/attempts/states.ts';
import { WAITING_REASONS, waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import { heldOf } from '../../../core/engagement/attempts/why-held.ts';
import { CHALLENGE_ACTIONS } from '../../../core/platforms/descriptor.ts';
import type { ParticipantRow } from '../../../core/ports/attempt-store.ts';
import * as example from '../examples/samples.ts';
import { httpUrl, instant, optionalText, platformName, positiveId, text, timestamp } from '../schemas.ts';
import { REQUIRES, requires, requiresSomething } from './account-requirements.ts';
import { commentRules, storedRules, unmetRules } from './comment-rules.ts';
import { changedTerms, keptFields, keptOf, LIMITS, limits, newTerms, someLimits, storedTerms } from './reward-terms.ts';

export const attemptState = z.enum(ATTEMPT_STATE_NAMES);

const title = text(200);
const pointsReward = z.int().min(0).max(1_000_000_000);
const startsAt = instant.nullish().meta({ description: 'No attempts before this time.' });
const endsAt = instant.nullish().meta({ description: 'No attempts and claims from this time on.' });
const countHidden = z.boolean().optional();

export const campaignBody = z
  .strictObject({
    brandId: positiveId,
    title,
    description: optionalText(5000),
    imageUrl: httpUrl.nullish(),
    pointsReward,
    startsAt,
    endsAt,
    limits: someLimits.meta({ description: LIMITS }),
    terms: newTerms.meta({ description: 'When a verified attempt is rewarded; null: at once.' }),
    challenge: z.strictObject({
      // Any text, as in lookups: what is no post URL, an empty or an endless text too, is 422.
      targetUrl: z
        .string()
        .meta({ format: 'uri', description: 'The post; the cleaned-up form is preferred, short links are followed.' }),
      instructionText: optionalText(2000).meta({ description: 'A sentence that fits the action by default.' }),
      action: z.enum(CHALLENGE_ACTIONS).nullish().meta({
        description:
          'What verifies a creator; `comment` by default, `like` only on platforms that show who liked a post.',
      }),
      countHidden: countHidden.meta({ description: 'Comments that the brand hides under its post count as well.' }),
      rules: commentRules.meta({ description: 'What a comment must be; null: any comment counts.' }),
      requires: requiresSomething.meta({ description: REQUIRES }),
    }),
  })
  .meta({
    example: {
      brandId: 3,
      title: 'Spring launch',
      pointsReward: 50,
      challenge: {
        targetUrl: example.POST_URL,
        instructionText: 'Tell us what you think',
      },
    },
  });

export const campaignChanges = z
  .strictObject({
    title: title.optional(),
    description: optionalText(5000).meta({ description: 'null and empty text remove it.' }),
    imageUrl: httpUrl.nullish().meta({ description: 'null removes it.' }),
    pointsReward: pointsReward.optional().meta({ description: 'Only until the first creator is verified.' }),
    startsAt,
    endsAt,
    limits: someLimits.meta({
      description: 'Once a creator is verified the numbers may change, but limits can neither be added nor removed.',
    }),
    terms: changedTerms.meta({
      description: 'Only before the first verified attempt; null: rewards are issued at once.',
    }),
    instructionText: optionalText(2000).meta({
      description: 'null and empty text put back the sentence that fits the action.',
    }),
    challenge: z
      .strictObject({
        countHidden: countHidden.meta({ description: 'Only until the first creator is verified.' }),
        rules: commentRules.meta({
          description: 'Only until the first creator is verified; null: any comment counts.',
        }),
        requires: requiresSomething.meta({ description: `${REQUIRES} Only until the first creator is verified.` }),
      })
      .optional(),
  })
  .meta({ example: { title: 'Spring launch, second week', endsAt: '2026-11-30T23:00:00Z' } });

const campaignFields = {
  id: z.int(),
  brandId: z.int(),
  title: z.string(),
  description: z.string().nullable(),
  imageUrl: z.string().nullable(),
  pointsReward: z.int(),
  isActive: z.boolean(),
  startsAt: timestamp.nullable(),
  endsAt: timestamp.nullable(),
  createdAt: timestamp,
  limits: z.object(limits.shape).meta({ id: 'RewardLimits' }).nullish().meta({ description: LIMITS }),
  terms: storedTerms,
};
export const campaignSchema = z.object(campaignFields).meta({ id: 'Campaign' });

export const challengeSchema = z
  .object({
    id: z.int().meta({ description: 'The `challengeId` of the challenge routes.' }),
    campaignId: z.int(),
    platform: platformName,
    contentType: z.literal('post'),
    contentId: z.string(),
    canonicalUrl: z.string(),
    instructionText: z.string(),
    action: z.literal('like').optional().meta({ description: 'Absent: a comment.' }),
    countHidden: countHidden.meta({ description: 'Hidden comments count as well; absent or false: they do not.' }),
    rules: storedRules,
    requires: z.object(requires.shape).meta({ id: 'AccountRequirements' }).nullish().meta({
      description: 'What the account of a creator must be; absent if any account counts.',
    }),
  })
  .meta({ id: 'Challenge' });

export const signal = z.enum(SIGNAL_NAMES);
const meanings = SIGNAL_NAMES.map((name) => `\`${name}\`: ${SIGNALS[name]}`).join(' ');
export const signals = z
  .array(signal)
  .nullish()
  .meta({
    description: `What may be worth a look; never a verdict. Absent or null without any, and if the campaign asks for nothing but the action. ${meanings}`,
  });

export const waiting = z
  .object({
    reason: z.enum(WAITING_REASONS).meta({
      description:
        '`NO_MATCH`: nothing was found yet. `CHECK_FAILED`: the check broke down. Others: what the platform refused with.',
    }),
    message: z.string().meta({ description: 'The reason in words.' }),
    since: timestamp,
    nextCheckAt: timestamp.nullable().meta({
      description: 'The next check comes at this time or soon after; null if the creator has to claim again.',
    }),
  })
  .meta({ id: 'Waiting' })
  .nullable()
  .meta({
    description: 'Why the attempt waits for its verification; null if nothing is in its way, and once it is over.',
  });

export const held = z
  .object({
    why: z.enum(HELD_REASONS),
    message: z.string().meta({ description: 'The reason in words.' }),
    since: timestamp,
  })
  .meta({ id: 'Held' })
  .optional()
  .meta({ description: 'What keeps a verified attempt from its reward; absent if nothing does.' });

const myAttempt = z
  .object({
    id: z.int(),
    state: attemptState,
    retryCount: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
    unmetRules,
    held,
    waiting: waiting.optional().meta({ description: 'Why it waits for its verification; absent if it does not.' }),
  })
  .nullable()
  .meta({ description: 'The attempt of the creator whose token asks; null for other tokens and before an attempt.' });

export const campaignDetail = z
  .object({
    ...campaignFields,
    challenge: challengeSchema,
    myAttempt,
    limitsUsed: z
      .object({ rewards: z.int(), points: z.int() })
      .optional()
      .meta({ description: 'What of `limits` is used; absent without `limits`.' }),
  })
  .meta({ id: 'CampaignDetail' });

export const campaignSummary = z
  .object({
    campaignId: z.int(),
    totalAttempts: z.int(),
    byState: z.object(ofEveryState(() => z.int())).meta({
      description: 'Attempts per state, 0 included.',
    }),
    totalVerified: z.int().meta({ description: 'Every attempt that was ever verified, rewarded ones too.' }),
    totalRewarded: z.int(),
    totalPointsIssued: z.int(),
  })
  .meta({ id: 'CampaignSummary' });

export const matchedComment = z
  .object({
    commentText: z.string(),
    commentedAt: timestamp,
    removed: z
      .object({ at: timestamp, how: z.enum(['hidden', 'removed']) })
      .optional()
      .meta({
        description: 'It was deleted or hidden since. The reward stays, unless `terms` of the campaign say otherwise.',
      }),
  })
  .nullable()
  .meta({ description: 'null before a match, for likes, and when an admin verified without a stored comment.' });

export const participant = z
  .object({
    attemptId: z.int(),
    userId: z.int(),
    externalId: z.string(),
    displayName: z.string().nullable(),
    platform: platformName,
    platformUsername: z.string().nullable(),
    state: attemptState,
    waiting,
    unmetRules,
    held,
    signals,
    retryCount: z.int(),
    pointsAwarded: z.int(),
    matchedComment,
    verifiedAt: timestamp.nullable(),
    rewardedAt: timestamp.nullable(),
    ...keptFields,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Participant' });

/** Most creators that a preview names. */
export const MAX_PREVIEWED = 1_000;

export const rewardsPreview = z
  .object({
    campaignId: z.int(),
    matched: z.int().meta({ description: 'Creators who would be verified and rewarded.' }),
    pointsReward: z.int().meta({ description: 'Points for each of them.' }),
    totalPoints: z.int(),
    afterEnd: z.int().meta({ description: 'Comments from the end of the campaign or later.' }),
    shared: z.int().meta({ description: 'Creators whose handle is linked to other creators too.' }),
    ineligible: z.int().optional().meta({
      description:
        'Creators who match and do not meet `requires` by their stored profile; absent if nothing is required.',
    }),
    creators: z
      .array(
        z.object({
          userId: z.int(),
          externalId: z.string(),
          displayName: z.string().nullable(),
          platformUsername: z.string(),
          matchedComment,
          points: z.int(),
          isAfterEnd: z.boolean().meta({ description: 'The comment is from the end of the campaign or later.' }),
          isShared: z.boolean().meta({ description: 'The handle is linked to other creators too.' }),
        }),
      )
      .meta({ description: 'The first ones by `userId`, at most `limit`. All are counted.' }),
  })
  .meta({ id: 'RewardsPreview' });

export function rewardsPreviewOf({ rewards, ...preview }: RewardsPreview) {
  const creators = rewards.map(({ creator: { id, externalId, displayName }, ...reward }) => ({
    ...reward,
    userId: id,
    externalId,
    displayName,
  }));
  return { ...preview, creators };
}

function ofEveryState<T>(make: (name: AttemptState) => T): Record<AttemptState, T> {
  return Object.fromEntries(ATTEMPT_STATE_NAMES.map((name) => [name, make(name)])) as Record<AttemptState, T>;
}

export function everyState(byState: Readonly<Partial<Record<AttemptState, number>>>) {
  return ofEveryState((name) => byState[name] ?? 0);
}

export function participantOf({ attempt, ...row }: ParticipantRow) {
  return {
    ...attempt,
    ...row,
    ...keptOf(attempt),
    attemptId: attempt.id,
    waiting: waitingOf(attempt),
    held: heldOf(attempt),
  };
}
