import type { PlatformName } from '../../platforms/platform-name.ts';

/**
 * What has to happen after a transition, stored in the same atomic write as the transition (the outbox pattern). The relay
 * turns each entry into a job and only then removes it, so a crash at any point loses nothing.
 */
export type OutboxEntry =
  /** Announce an event to the brand's webhooks. */
  | { readonly id: string; readonly kind: 'event'; readonly event: WebhookEvent }
  /** Run a durable job. */
  | { readonly id: string; readonly kind: 'job'; readonly job: OutboxJob };

/** A job that was committed with an attempt. */
export interface OutboxJob {
  readonly type: 'verify-attempt' | 'issue-reward';
  readonly attemptId: number;
}

export const ATTEMPT_EVENT_NAMES = ['creator.verified', 'reward.issued', 'verification.failed'] as const;
/** What happened to an attempt: for the brand of its campaign. */
export type AttemptEventName = (typeof ATTEMPT_EVENT_NAMES)[number];

export const PLATFORM_EVENT_NAMES = ['platform.drifted', 'platform.recovered'] as const;
/** What became of the readings of a canary: for every webhook that asks for it, of whichever brand. */
export type PlatformEventName = (typeof PLATFORM_EVENT_NAMES)[number];

export const EVENT_NAMES = [...ATTEMPT_EVENT_NAMES, ...PLATFORM_EVENT_NAMES] as const;
/** What receivers are told of. */
export type EventName = (typeof EVENT_NAMES)[number];

/** What a receiver gets when someone presses "test"; never one of the events above. */
export const TEST_EVENT = 'webhook.test';

/**
 * A webhook body before it is serialised (docs/specification/engagement.md#events). `timestamp` is when it happened.
 */
export type WebhookEvent = AttemptEvent | PlatformEvent;

/** Announces a transition of an attempt. */
export interface AttemptEvent {
  readonly event: AttemptEventName;
  readonly timestamp: Date;
  readonly brandId: number;
  readonly data: WebhookEventData;
}

/** Announces that a platform is read otherwise than before. No brand's own. */
export interface PlatformEvent {
  readonly event: PlatformEventName;
  readonly timestamp: Date;
  readonly brandId: null;
  readonly data: PlatformEventData;
}

/** What the event of a canary says. */
export interface PlatformEventData {
  readonly platform: PlatformName;
  /** The canary as the operator named it: a post URL, or `platform:handle`. */
  readonly canary: string;
  /** `drifted`: the reading lacks fields that it had. `failed`: there is no reading. `ok`: recovered. */
  readonly verdict: 'ok' | 'drifted' | 'failed';
  /** Fields that earlier readings had and this one lacks. */
  readonly missing: readonly string[];
  /** Code of the failure, with `failed`. */
  readonly error?: string;
  /** What failed in words, with `failed`. */
  readonly message?: string;
  /** With `platform.recovered`: since when the canary was not read as before. */
  readonly troubledSince?: string;
}

/** What the event of an attempt says. */
export interface WebhookEventData {
  readonly challengeId: number;
  readonly userId: number;
  readonly externalUserId?: string;
  readonly username: string;
  readonly platform: PlatformName;
  readonly campaignTitle: string;
  readonly attemptId: number;
  readonly commentText?: string;
  readonly points?: number;
  readonly reason?: 'retryable' | 'terminal';
}
