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

export const EVENT_NAMES = ['creator.verified', 'reward.issued', 'verification.failed'] as const;
/** What brands are told of. */
export type EventName = (typeof EVENT_NAMES)[number];

/** What a receiver gets when someone presses "test"; never one of the three events. */
export const TEST_EVENT = 'webhook.test';

/**
 * A webhook body before it is serialised (docs/specification/engagement.md#events). `timestamp` is when the transition happened.
 */
export interface WebhookEvent {
  readonly event: EventName;
  readonly timestamp: Date;
  readonly brandId: number;
  readonly data: WebhookEventData;
}

/** What an event says. */
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
