/** Attempts at a challenge (docs/specification/engagement.md#challenge-data). */
import { z } from 'zod';
import type { Attempt } from '../../../core/engagement/attempts/attempt.ts';
import { PROGRESS_ACTIONS } from '../../../core/engagement/attempts/progress-attempt.ts';
import { ATTEMPT_STATE_NAMES, takes } from '../../../core/engagement/attempts/states.ts';
import { waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import { heldOf } from '../../../core/engagement/attempts/why-held.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import { ATTEMPT_EVENT_NAMES } from '../../../core/engagement/webhooks/outbox.ts';
import { DomainError } from '../../../core/errors.ts';
import { callerKey } from '../access.ts';
import { brandOf, ofChallenge } from '../brand-access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, externalIdText, idParam, positiveId, text, timestamp } from '../schemas.ts';
import { held, matchedComment, signals, waiting } from './campaign-shapes.ts';
import { unmetRules } from './comment-rules.ts';
import { keptFields, keptOf } from './reward-terms.ts';
import { onDemandLimits } from './webhook-deliveries.ts';

const PATH = '/admin/challenges/{challengeId}/attempts';
const state = z.enum(ATTEMPT_STATE_NAMES);

const creatorBody = z
  .strictObject({ userId: positiveId.optional(), externalId: externalIdText('As registered.').optional() })
  .refine(({ userId, externalId }) => (userId === undefined) !== (externalId === undefined), {
    message: 'name the creator by exactly one of userId and externalId',
  })
  .meta({ oneOf: [{ required: ['userId'] }, { required: ['externalId'] }], example: { externalId: 'user-42' } });

const decision = z.enum(['hold', 'approve', 'refuse']);
const review = z.object({ decision, at: timestamp, reason: z.string() });
const reviewBody = z
  .strictObject({ decision, reason: text(500) })
  .meta({ example: { decision: 'approve', reason: 'A real person' } });

const attemptFields = {
  id: z.int(),
  userId: z.int(),
  challengeId: z.int(),
  state,
  retryCount: z.int(),
  maxRetries: z.int(),
  lastVerificationAt: timestamp.nullable(),
  verificationDeadline: timestamp.nullable().meta({ description: 'Set at the first claim.' }),
  stateHistory: z.array(z.object({ state, at: timestamp, reason: z.string() })),
  metadata: z.record(z.string(), z.unknown()).meta({
    description:
      '`origin` (`request` or `batch`), `platformUsername`, the handle that events name, and, while an undecided claim waits, ' +
      '`nextCheckAt`.',
  }),
  createdAt: timestamp,
  updatedAt: timestamp,
};
const attemptSchema = z.object(attemptFields).meta({ id: 'Attempt' });
export const attemptDetail = z
  .object({
    ...attemptFields,
    matchedComment,
    pointsAwarded: z.int(),
    waiting,
    unmetRules,
    held,
    signals,
    ...keptFields,
    review: review.nullish().meta({ description: 'The latest decision about the reward; absent without one.' }),
  })
  .meta({ id: 'AttemptDetail' });

const progressBody = z
  .strictObject({ action: z.enum(PROGRESS_ACTIONS) })
  .meta({ example: { action: 'claim_completion' } });

const redeliverBody = z
  .strictObject({
    events: z
      .array(z.enum(ATTEMPT_EVENT_NAMES))
      .min(1)
      .max(10)
      .optional()
      .meta({ description: 'All that fit the state when left out.' }),
  })
  .meta({ example: { events: ['creator.verified'] } });

const common = { tag: 'Attempts', access: 'admin', brand: ofChallenge, audit: 'attempt' } as const;

export function createAttemptRoutes(deps: Pick<Engagement, 'attempts'>) {
  return [...attemptRoutes(deps), ...attemptAdministration(deps)];
}

function attemptRoutes({ attempts }: Pick<Engagement, 'attempts'>) {
  return [
    defineRoute('createAttempt', `POST ${PATH}`, {
      ...common,
      summary: "Open a creator's attempt",
      description:
        'Needs an active campaign inside its dates, and an active handle of the creator on its platform. A creator has one attempt per challenge; a second request is answered with 409 and the id of the first.',
      body: creatorBody,
      responses: { 201: { description: 'The attempt.', schema: dataOf(attemptSchema) } },
      errors: ['ATTEMPT_EXISTS', 'CAMPAIGN_INACTIVE', 'HANDLE_NOT_LINKED'],
      handle: async ({ params, body, caller }) => {
        if (body.userId !== undefined && caller !== null && brandOf(caller) !== null) throw creatorById();
        // The schema lets exactly one of the two pass.
        const creator = body.userId === undefined ? { externalId: body.externalId as string } : { userId: body.userId };
        const attempt = await attempts.create({ challengeId: params.challengeId, creator });
        return reply(201, { data: withNextCheck(attempt) });
      },
    }),
    defineRoute('getAttempt', `GET ${PATH}/{attemptId}`, {
      ...common,
      summary: 'An attempt',
      responses: { 200: { description: 'The attempt.', schema: dataOf(attemptDetail) } },
      handle: async ({ params }) => reply(200, { data: detailOf(await attempts.get(params)) }),
    }),
    defineRoute('getAttemptByHandle', `GET ${PATH}/by-handle/{handle}`, {
      ...common,
      summary: 'The attempt of the creator with this handle',
      description:
        'The newest one when the handle is linked to several creators. One that was made under the handle before it was disconnected is found when there is no other.',
      params: z.object({ challengeId: idParam, handle: text(100).meta({ description: 'With or without @.' }) }),
      responses: { 200: { description: 'The attempt, or null.', schema: dataOf(attemptDetail.nullable()) } },
      handle: async ({ params }) => {
        const attempt = await attempts.findByHandle(params);
        return reply(200, { data: attempt && detailOf(attempt) });
      },
    }),
  ];
}

function attemptAdministration({ attempts }: Pick<Engagement, 'attempts'>) {
  return [
    defineRoute('progressAttempt', `PATCH ${PATH}/{attemptId}`, {
      ...common,
      summary: 'The creator opened the post, or claims to be done',
      description:
        '`target_opened` from `created`, `target_opened` and `awaiting_claim`. `claim_completion` from these and from `failed_retryable`, where it uses one of the retries; it starts a verification and answers `verification_pending`. Poll the attempt, or wait for the webhook.',
      body: progressBody,
      responses: {
        200: { description: 'The new state.', schema: dataOf(z.object({ id: z.int(), state })) },
      },
      errors: ['INVALID_TRANSITION', 'CAMPAIGN_INACTIVE', 'CONFLICT'],
      handle: async ({ params, body }) => {
        return reply(200, { data: await attempts.progress({ ...params, action: body.action }) });
      },
    }),
    defineRoute('forceVerify', `POST ${PATH}/{attemptId}/force-verify`, {
      ...common,
      summary: 'Verify an attempt without a match',
      description: 'From every state but `verified`, `rewarded` and `failed_terminal`. The reward follows.',
      responses: {
        200: {
          description: 'Verified.',
          schema: dataOf(z.object({ id: z.int(), state: z.literal('verified'), previousState: state })),
        },
      },
      errors: ['INVALID_TRANSITION', 'CONFLICT'],
      handle: async ({ params }) => {
        const { before, after } = await attempts.forceVerify(params);
        return reply(200, { data: { id: after.id, state: 'verified' as const, previousState: before.state } });
      },
    }),
    defineRoute('reviewAttempt', `POST ${PATH}/{attemptId}/review`, {
      ...common,
      summary: 'Hold, approve or refuse a reward',
      description:
        'Of a verified attempt; the latest decision counts, and the reason is in its history. 409 `CONFLICT` after the reward, or if the comment or like is gone. An approved reward may still wait for what else the campaign asks.',
      body: reviewBody,
      responses: {
        200: {
          description: 'What was decided.',
          schema: dataOf(z.object({ id: z.int(), state, review })),
        },
      },
      errors: ['INVALID_TRANSITION', 'CONFLICT'],
      handle: async ({ params, body, caller }) => {
        return reply(200, { data: await attempts.review({ ...params, ...body, by: callerKey(caller) }) });
      },
    }),
    defineRoute('redeliverWebhooks', `POST ${PATH}/{attemptId}/redeliver-webhooks`, {
      ...common,
      summary: "Send the events of an attempt's outcome again",
      description:
        'Rewarded attempts: `creator.verified` and `reward.issued`; verified ones: `creator.verified`; failed ones: `verification.failed`; besides these `engagement.removed` and `reward.reversed`, if they were sent. Of the events asked for, those that fit are sent; when none fits, 409. A paused webhook gets them when it is activated. Each is the same message as the first time, with the same `webhook-id`, for every webhook that wants it by now. Redeliveries and tests share a limit of 50 in 10 seconds: of a brand, and of each token that is bound to no brand.',
      body: redeliverBody,
      bodyOptional: true,
      responses: {
        200: {
          description: 'The events that are sent again.',
          schema: dataOf(z.object({ attemptId: z.int(), redelivered: z.array(z.enum(ATTEMPT_EVENT_NAMES)) })).extend({
            warning: z
              .string()
              .optional()
              .meta({ description: 'Present if no webhook or subscriber wants some of them.' }),
          }),
        },
      },
      errors: ['EVENT_NOT_ELIGIBLE'],
      limits: onDemandLimits,
      handle: async ({ params, body }) => {
        // Without a body there is nothing that the schema could have parsed.
        const events = (body as z.output<typeof redeliverBody> | undefined)?.events;
        const { redelivered, unwanted } = await attempts.redeliver({ ...params, events });
        const data = { attemptId: params.attemptId, redelivered };
        const warning = `Sent to nobody, since no webhook or subscriber wants it: ${unwanted.join(', ')}.`;
        return reply(200, unwanted.length === 0 ? { data } : { data, warning });
      },
    }),
  ];
}

/** Creators belong to no brand: one that goes through their numbers would learn whom others work with. */
function creatorById(): DomainError {
  return new DomainError('FORBIDDEN', 'A token of one brand names creators by externalId: send it instead of userId.');
}

/** While an attempt waits for another look at its post, `metadata` says when. */
function withNextCheck(attempt: Attempt): Attempt {
  const { state, recheck, metadata } = attempt;
  if (!recheck || !takes(state, 'recheck')) return attempt;
  return { ...attempt, metadata: { ...metadata, nextCheckAt: recheck.at.toISOString() } };
}

function detailOf(attempt: Attempt) {
  return {
    ...withNextCheck(attempt),
    ...keptOf(attempt),
    waiting: waitingOf(attempt),
    held: heldOf(attempt),
    review: attempt.review ?? undefined,
  };
}
