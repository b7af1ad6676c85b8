/** What Credence sends to webhooks, for the `webhooks` part of the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';

import { UNMET_RULES } from '../../core/engagement/rules/unmet-rules.ts';
import { CONNECTION_METHODS, type EventName, TEST_EVENT } from '../../core/engagement/webhooks/outbox.ts';
import { exampleOf } from './examples/example-of.ts';
import { platformName, timestamp } from './schemas.ts';

const common = {
  challengeId: z.int(),
  userId: z.int().meta({ description: 'The id of the creator.' }),
  externalUserId: z.string().optional(),
  username: z.string().meta({ description: 'The linked handle.' }),
  platform: platformName,
  campaignTitle: z.string(),
  attemptId: z.int(),
};

const canaryReading = {
  platform: platformName,
  canary: z.string().meta({ description: 'A post URL or `platform:handle`, as in `PLATFORM_CANARIES`.' }),
};

const envelope = <N extends string, D extends z.ZodRawShape>(name: N, id: string, data: D) =>
  z.object({ event: z.literal(name), timestamp, data: z.object(data) }).meta({ id });

/** The bodies of all events, by name. */
export const WEBHOOK_BODIES = {
  'creator.verified': envelope('creator.verified', 'CreatorVerifiedEvent', {
    ...common,
    commentText: z.string().optional().meta({ description: 'The matched comment; absent on like challenges.' }),
  }),
  'reward.issued': envelope('reward.issued', 'RewardIssuedEvent', { ...common, points: z.int() }),
  'verification.failed': envelope('verification.failed', 'VerificationFailedEvent', {
    ...common,
    reason: z.enum(['retryable', 'terminal']).meta({ description: '`retryable`: the creator may claim again.' }),
    unmetRules: z.array(z.enum(UNMET_RULES)).optional().meta({
      description: "What the creator's nearest comment does not meet of the challenge's rules; absent without one.",
    }),
  }),
  'engagement.removed': envelope('engagement.removed', 'EngagementRemovedEvent', {
    ...common,
    commentText: z.string().meta({ description: 'Empty for a like.' }),
    removal: z.enum(['removed', 'hidden']).meta({ description: '`hidden`: by the owner of the post.' }),
  }),
  'reward.reversed': envelope('reward.reversed', 'RewardReversedEvent', {
    ...common,
    points: z.int().meta({ description: 'How many were taken back.' }),
  }),
  'connection.expired': envelope('connection.expired', 'ConnectionExpiredEvent', {
    connectionId: z.int(),
    platform: platformName,
    handle: z.string().meta({ description: 'Of the connected account.' }),
    reason: z.enum(['expired', 'revoked', 'scope']).meta({
      description: '`scope`: a permission is missing. `expired`, `revoked`: the platform refuses the tokens.',
    }),
  }),
  'account.connected': envelope('account.connected', 'AccountConnectedEvent', {
    userId: common.userId,
    externalUserId: z.string(),
    username: common.username,
    platform: platformName,
    socialAccountId: z.int().meta({ description: 'The `id` in `listSocialAccounts`.' }),
    platformAccountId: z.string().meta({
      description: "The platform's own id of the account; it stays when the handle changes.",
    }),
    method: z.enum(CONNECTION_METHODS).meta({ description: 'The code in the bio, or a web proof.' }),
    requestId: z.string().meta({ description: 'As `connectSocialAccount` answered.' }),
  }),
  'platform.drifted': envelope('platform.drifted', 'PlatformDriftedEvent', {
    ...canaryReading,
    verdict: z.enum(['drifted', 'failed']).meta({ description: '`failed`: there is no reading.' }),
    missing: z.array(z.string()).meta({ description: 'Fields that earlier readings had and this one lacks.' }),
    error: z.string().optional().meta({ description: 'Code of the failure, with `failed`.' }),
    message: z.string().optional().meta({ description: 'What failed, in words.' }),
  }),
  'platform.recovered': envelope('platform.recovered', 'PlatformRecoveredEvent', {
    ...canaryReading,
    verdict: z.literal('ok'),
    missing: z.array(z.string()).max(0),
    troubledSince: z.string().meta({ format: 'date-time', description: 'When the reading changed or failed.' }),
  }),
  [TEST_EVENT]: envelope(TEST_EVENT, 'WebhookTestEvent', { webhookId: z.int(), brandId: z.int(), message: z.string() }),
} as const satisfies Record<EventName | typeof TEST_EVENT, z.ZodType>;

/** The example of an event, to be sent as a test. */
export function sampleOf(event: EventName): { readonly event: EventName; readonly data: object } {
  const { data } = exampleOf(WEBHOOK_BODIES[event], event) as { readonly data: object };
  return { event, data };
}

const SUMMARIES: Readonly<Record<keyof typeof WEBHOOK_BODIES, string>> = {
  'creator.verified': 'A comment or like matched, or an admin forced the verification',
  'reward.issued': 'Points were issued for a verified attempt',
  'verification.failed': 'A verification found no match',
  'engagement.removed':
    'The comment that verified an attempt is deleted or hidden, as an official API tells or a later check finds; so is a like',
  'reward.reversed': 'Points were taken back, as `terms.reverseOnRemoval` of the campaign says',
  'connection.expired': 'A brand has to connect its account again',
  'account.connected': 'A creator proved an account to be theirs; for webhooks of every brand that an admin put it on',
  'platform.drifted': 'A canary lacks fields that it had, or cannot be read; for webhooks of every brand',
  'platform.recovered': 'A canary is read as before',
  [TEST_EVENT]: 'Somebody asked for a test; tried once',
};

const headers = z.object({
  'X-Service-Event': z.string().meta({ description: 'The name of the event.' }),
  'X-Service-Signature': z.string().meta({
    description:
      'Base64 HMAC-SHA256 of the raw body, keyed with the bytes of the whole `whsec_` secret; of the previous one for a day after a rotation.',
  }),
  'webhook-id': z.string().meta({ description: 'Standard Webhooks: the same on every try of one message.' }),
  'webhook-timestamp': z.string().meta({ description: 'Standard Webhooks: seconds since 1970 of this try.' }),
  'webhook-signature': z.string().meta({
    description:
      'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; for a day after a rotation one such signature of each secret, separated by a space.',
  }),
});

const DESCRIPTION =
  'Check a signature over the raw bytes, in constant time, before parsing. Answer any 2xx within 10 seconds. After other answers, ' +
  'Credence retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each ±20 %. `Retry-After` can make it later. ' +
  '410 pauses the webhook. Redirects are not followed. A message can come twice: key on `webhook-id`, or on `attemptId` and `event`.';

/** The catalogue as OpenAPI wants it, for `OpenApiInfo.webhooks`. */
export function webhookOperations(): Record<string, { post: ZodOpenApiOperationObject }> {
  return Object.fromEntries(
    Object.entries(WEBHOOK_BODIES).map(([name, schema]) => [
      name,
      {
        post: {
          operationId: `on.${name}`,
          summary: SUMMARIES[name as keyof typeof WEBHOOK_BODIES],
          description: DESCRIPTION,
          tags: ['Events'],
          security: [],
          requestParams: { header: headers },
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example: exampleOf(schema, name) } },
          },
          responses: {
            '2XX': { description: 'Taken.' },
            '410': { description: 'No longer wanted: the webhook is paused.' },
            default: { description: 'Not taken; tried again.' },
          },
        },
      },
    ]),
  );
}
