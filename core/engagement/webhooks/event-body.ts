/** The JSON body of a webhook (docs/specification/engagement.md#events), and how it is read again for subscribers. */
import { z } from 'zod';
import {
  ACCOUNT_EVENT_NAMES,
  type AccountEvent,
  ATTEMPT_EVENT_NAMES,
  type AttemptEvent,
  CONNECTION_METHODS,
  PLATFORM_EVENT_NAMES,
  type PlatformEvent,
  TEST_EVENT,
  type WebhookEvent,
  type WebhookEventData,
} from './outbox.ts';

const id = z.int().min(1);

const timestamp = z.iso.datetime().transform((text) => new Date(text));

const attemptEvent = z.object({
  event: z.enum(ATTEMPT_EVENT_NAMES),
  timestamp,
  brandId: id,
  data: z.object({
    challengeId: id,
    userId: id,
    externalUserId: z.string().optional(),
    username: z.string(),
    platform: z.string().min(1),
    campaignTitle: z.string(),
    attemptId: id,
    commentText: z.string().optional(),
    points: z.int().optional(),
    reason: z.enum(['retryable', 'terminal']).optional(),
  }),
});

const accountEvent = z.object({
  event: z.enum(ACCOUNT_EVENT_NAMES),
  timestamp,
  brandId: z.null(),
  data: z.object({
    userId: id,
    externalUserId: z.string(),
    username: z.string(),
    platform: z.string().min(1),
    socialAccountId: id,
    platformAccountId: z.string(),
    method: z.enum(CONNECTION_METHODS),
    requestId: z.string(),
  }),
});

const platformEvent = z.object({
  event: z.enum(PLATFORM_EVENT_NAMES),
  timestamp,
  brandId: z.null(),
  data: z.object({
    platform: z.string().min(1),
    canary: z.string().min(1),
    verdict: z.enum(['ok', 'drifted', 'failed']),
    missing: z.array(z.string()),
    error: z.string().optional(),
    message: z.string().optional(),
    troubledSince: z.string().optional(),
  }),
});

/** An event as plain JSON. */
const storedEvent = z.discriminatedUnion('event', [attemptEvent, accountEvent, platformEvent]);

/** @throws Error when the payload is not an event (a defect, or a record of an incompatible version). */
export function eventFromJson(payload: unknown): WebhookEvent {
  const parsed = storedEvent.safeParse(payload);
  if (!parsed.success) throw new Error(`A delivery holds no event: ${z.prettifyError(parsed.error)}`);
  // Sound: each shape without the fields that are undefined, as the type wants it.
  return { ...parsed.data, data: withoutUndefined(parsed.data.data) } as AttemptEvent | AccountEvent | PlatformEvent;
}

/**
 * The exact text that is stored, signed and sent on every try: fields in the order of
 * docs/specification/engagement.md#events, without those that do not belong to the event.
 */
export function eventBody(event: WebhookEvent): string {
  return JSON.stringify({ event: event.event, timestamp: event.timestamp.toISOString(), data: dataOf(event) });
}

/** The challenge that a stored body is about; null for test events and those of accounts and platforms. */
export function challengeIdOf({ body }: { readonly body: string }): number | null {
  const { data } = JSON.parse(body) as { readonly data?: { readonly challengeId?: number } };
  return data?.challengeId ?? null;
}

/** The body of a test event: same envelope, data that names the webhook. */
export function testEventBody(webhook: { readonly id: number; readonly brandId: number }, now: Date): string {
  return JSON.stringify({
    event: TEST_EVENT,
    timestamp: now.toISOString(),
    data: { webhookId: webhook.id, brandId: webhook.brandId, message: 'This is a test of your webhook.' },
  });
}

function dataOf(event: WebhookEvent): object {
  return event.brandId === null ? event.data : attemptData(event.data);
}

/** In the order of the specification. JSON leaves out what is undefined. */
function attemptData(data: WebhookEventData): object {
  return {
    challengeId: data.challengeId,
    userId: data.userId,
    externalUserId: data.externalUserId,
    username: data.username,
    platform: data.platform,
    campaignTitle: data.campaignTitle,
    attemptId: data.attemptId,
    commentText: data.commentText,
    points: data.points,
    reason: data.reason,
  };
}

type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function withoutUndefined<T extends object>(value: T): Compact<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Compact<T>;
}
