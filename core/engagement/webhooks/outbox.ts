import type { PlatformName } from '../../platforms/platform-name.ts';
import type { Withheld } from '../challenge-data/comment.ts';
import type { UnmetRule } from '../rules/unmet-rules.ts';

/**
 * What has to happen after a transition, stored in the same atomic write as the transition (the outbox pattern). The relay
 * turns each entry into a job and only then removes it, so a crash at any point loses nothing.
 */
export type OutboxEntry =
  | EventEntry
  /** Run a durable job. */
  | { readonly id: string; readonly kind: 'job'; readonly job: OutboxJob };

/** Announce an event to the webhooks and subscribers that want it. */
export interface EventEntry {
  readonly id: string;
  readonly kind: 'event';
  readonly event: WebhookEvent;
}

/** A job that was committed with an attempt. */
export interface OutboxJob {
  readonly type: 'verify-attempt' | 'issue-reward';
  readonly attemptId: number;
}

export const ATTEMPT_EVENT_NAMES = [
  'creator.verified',
  'reward.issued',
  'verification.failed',
  'engagement.removed',
  'reward.reversed',
] as const;
/** What happened to an attempt: for the brand of its campaign. */
export type AttemptEventName = (typeof ATTEMPT_EVENT_NAMES)[number];

export const PLATFORM_EVENT_NAMES = ['platform.drifted', 'platform.recovered'] as const;
/** What became of the readings of a canary: for every webhook that asks for it, of whichever brand. */
export type PlatformEventName = (typeof PLATFORM_EVENT_NAMES)[number];

export const ACCOUNT_EVENT_NAMES = ['account.connected'] as const;
/**
 * What happened to a creator's account. Creators belong to no brand: for every webhook that asks for it, and only admins can
 * register one that does.
 */
export type AccountEventName = (typeof ACCOUNT_EVENT_NAMES)[number];

export const BRAND_EVENT_NAMES = ['connection.expired'] as const;
/** What happened to an account that a brand has connected: for the brand. */
export type BrandEventName = (typeof BRAND_EVENT_NAMES)[number];

export const EVENT_NAMES = [
  ...ATTEMPT_EVENT_NAMES,
  ...BRAND_EVENT_NAMES,
  ...ACCOUNT_EVENT_NAMES,
  ...PLATFORM_EVENT_NAMES,
] as const;
/** What receivers are told of. */
export type EventName = (typeof EVENT_NAMES)[number];

/** What a receiver gets when someone presses "test"; never one of the events above. */
export const TEST_EVENT = 'webhook.test';

/**
 * A webhook body before it is serialised (docs/specification/engagement.md#events). `timestamp` is when it happened.
 */
export type WebhookEvent = AttemptEvent | BrandEvent | AccountEvent | PlatformEvent;

interface EventOf<Name extends string, BrandId extends number | null, Data> {
  readonly event: Name;
  readonly timestamp: Date;
  readonly brandId: BrandId;
  readonly data: Data;
}

/** Announces a transition of an attempt. */
export type AttemptEvent = EventOf<AttemptEventName, number, WebhookEventData>;

/** Announces that a brand has to connect an account again. */
export type BrandEvent = EventOf<BrandEventName, number, BrandEventData>;

/** Announces that a creator has proven an account to be theirs. No brand's own. */
export type AccountEvent = EventOf<AccountEventName, null, AccountEventData>;

/** Announces that a platform is read otherwise than before. No brand's own. */
export type PlatformEvent = EventOf<PlatformEventName, null, PlatformEventData>;

/** What the event of a brand's connection says. */
export interface BrandEventData {
  readonly connectionId: number;
  readonly platform: PlatformName;
  readonly handle: string;
  /** `expired` and `revoked`: the platform refuses the tokens. `scope`: a permission is missing. */
  readonly reason: 'expired' | 'revoked' | 'scope';
}

export const CONNECTION_METHODS = ['bio_code', 'web_proof'] as const;
/** How an account was proven: by the code in its bio, or by a web proof. */
export type ConnectionMethod = (typeof CONNECTION_METHODS)[number];

/** What the event of a connected account says. */
export interface AccountEventData {
  readonly userId: number;
  readonly externalUserId: string;
  /** The linked handle. */
  readonly username: string;
  readonly platform: PlatformName;
  /** The id of the link, as in the list of a creator's accounts. */
  readonly socialAccountId: number;
  /** The platform's own id of the account, which stays when the handle changes. */
  readonly platformAccountId: string;
  readonly method: ConnectionMethod;
  /** The connection request that led to it. */
  readonly requestId: string;
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
  /** What became of the comment by which the attempt was verified. */
  readonly removal?: Withheld;
  /** With `verification.failed`: which rules of the challenge the creator's nearest comment does not meet. */
  readonly unmetRules?: readonly UnmetRule[];
}
