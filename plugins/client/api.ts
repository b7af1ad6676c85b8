/**
 * Types and operations of the API, written by `npm run generate:client` from its OpenAPI document. Do not edit: change the route
 * table instead.
 */
import type { CallOptions, Operation, Paged, Whole } from './types.ts';

/** Codes of refusals. */
export type ErrorCode =
  | 'INVALID_REQUEST'
  | 'INVALID_PRESENTATION'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'POST_NOT_FOUND'
  | 'PROFILE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'ATTEMPT_EXISTS'
  | 'INVALID_TRANSITION'
  | 'CAMPAIGN_INACTIVE'
  | 'CAMPAIGN_HAS_ATTEMPTS'
  | 'HANDLE_NOT_LINKED'
  | 'EVENT_NOT_ELIGIBLE'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'EXPECTATION_FAILED'
  | 'VALIDATION_ERROR'
  | 'POST_AGE_RESTRICTED'
  | 'POST_PRIVATE'
  | 'POST_UNAVAILABLE'
  | 'PROFILE_PRIVATE'
  | 'PROOF_NOT_SEALABLE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'SCRAPING_RATE_LIMITED'
  | 'QUOTA_EXCEEDED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'INTERNAL_SERVER_ERROR'
  | 'PROOF_GENERATION_FAILED'
  | 'NOT_IMPLEMENTED'
  | 'NOT_SUPPORTED'
  | 'PLATFORM_UNAVAILABLE'
  | 'SERVICE_UNAVAILABLE'
  | 'NAME_LOOKUP_TIMEOUT'
  | 'PLATFORM_TIMEOUT'
  | 'BATCH_TIMEOUT';

/** The name of a platform: each instance has its own. */
export type Platform = string;

/** `AccountConnectedEvent` of the API. */
export interface AccountConnectedEvent {
  readonly event: 'account.connected';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    /** The id of the creator. */
    readonly userId: number;
    readonly externalUserId: string;
    /** The linked handle. */
    readonly username: string;
    readonly platform: Platform;
    /** The `id` in `listSocialAccounts`. */
    readonly socialAccountId: number;
    /** The platform's own id of the account; it stays when the handle changes. */
    readonly platformAccountId: string;
    /** The code in the bio, or a web proof. */
    readonly method: 'bio_code' | 'web_proof';
    /** As `connectSocialAccount` answered. */
    readonly requestId: string;
  };
}

/** `ApiToken` of the API. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly role: 'admin' | 'client' | 'creator' | 'brand';
  readonly externalId: string | null;
  /** The brand of role `brand`. */
  readonly brandId: number | null;
  /** null: none. */
  readonly quota: {
    /** Requests in each window, whatever becomes of them. Those to the mock prover are free. */
    readonly requests?: number | undefined;
    /** The window of `requests`; 60 by default. */
    readonly windowSeconds?: number | undefined;
    /** Web proofs that are made, or begun and failed, in 24 hours from the first one. Requests that are refused before they are begun do not count. */
    readonly webProofsPerDay?: number | undefined;
  } | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** `Attempt` of the API. */
export interface Attempt {
  readonly id: number;
  readonly userId: number;
  readonly challengeId: number;
  readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly lastVerificationAt: string | null;
  /** Set at the first claim. */
  readonly verificationDeadline: string | null;
  readonly stateHistory: readonly {
    readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
    /** ISO 8601, UTC */
    readonly at: string;
    readonly reason: string;
  }[];
  /** `origin` (`request` or `batch`), `platformUsername`, the handle that events name, and, while an undecided claim waits, `nextCheckAt`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** ISO 8601, UTC */
  readonly updatedAt: string;
}

/** `AttemptDetail` of the API. */
export interface AttemptDetail {
  readonly id: number;
  readonly userId: number;
  readonly challengeId: number;
  readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly lastVerificationAt: string | null;
  /** Set at the first claim. */
  readonly verificationDeadline: string | null;
  readonly stateHistory: readonly {
    readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
    /** ISO 8601, UTC */
    readonly at: string;
    readonly reason: string;
  }[];
  /** `origin` (`request` or `batch`), `platformUsername`, the handle that events name, and, while an undecided claim waits, `nextCheckAt`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** ISO 8601, UTC */
  readonly updatedAt: string;
  /** null before a match, for likes, and when an admin verified without a stored comment. */
  readonly matchedComment: {
    readonly commentText: string;
    /** ISO 8601, UTC */
    readonly commentedAt: string;
  } | null;
  readonly pointsAwarded: number;
}

/** `AuditEntry` of the API. */
export interface AuditEntry {
  readonly id: number;
  /** ISO 8601, UTC */
  readonly at: string;
  /** `token:` and the id of a token, `token:configured` (`ADMIN_TOKEN`), `in-process`, or the key that the host gave its caller. */
  readonly actor: string;
  /** The name of the token; null for other callers. */
  readonly actorName: string | null;
  readonly role: 'admin' | 'client' | 'creator' | 'brand';
  /** The `operationId`. */
  readonly operation: string;
  /** Kind and id, for example `campaign:3`; null for something that was not made. */
  readonly target: string | null;
  /** `unknown`: it runs, or the process or the storage failed before its end. */
  readonly outcome: 'succeeded' | 'refused' | 'unknown';
  /** The code of a refusal. */
  readonly error: string | null;
  /** The target before, without secrets; null if there was none. */
  readonly before: unknown;
  /** The target after, without secrets; null if there was none. */
  readonly after: unknown;
  readonly requestId: string;
}

/** `BatchFailure` of the API. */
export interface BatchFailure {
  readonly url: string;
  readonly ok: false;
  readonly error: {
    readonly code: string;
    readonly message: string;
  };
}

/** `BatchResult` of the API. */
export interface BatchResult {
  readonly results: readonly (BatchSuccess | BatchFailure)[];
  readonly summary: {
    readonly total: number;
    readonly succeeded: number;
    readonly failed: number;
  };
}

/** `BatchSuccess` of the API. */
export interface BatchSuccess {
  readonly platform: Platform;
  readonly contentType: 'post';
  readonly postUrl: string;
  readonly owner: {
    readonly handle: string;
    /** Stable across handle changes; use it to verify ownership. */
    readonly accountId: string;
    readonly secUid: string | null;
    readonly displayName: string | null;
  };
  readonly post: {
    readonly caption: string | null;
    readonly postedAt: string | null;
    readonly thumbnailUrl: string | null;
    readonly mediaUrls: readonly string[];
  };
  /** A metric is null when the platform does not expose it, and rounded when it exposes no exact one. */
  readonly stats: {
    readonly views: number | null;
    readonly likes: number | null;
    readonly comments: number | null;
    readonly shares: number | null;
    readonly saves: number | null;
  };
  readonly source: string;
  readonly url: string;
  readonly ok: true;
}

/** `Brand` of the API. */
export interface Brand {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly logoUrl: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
}

/** `Caller` of the API. */
export interface Caller {
  readonly role: 'admin' | 'client' | 'creator' | 'brand';
  /** null for `ADMIN_TOKEN` and for callers that the host vouches for. */
  readonly tokenId: number | null;
  /** The creator of role `creator`. */
  readonly externalId: string | null;
  /** The brand of role `brand`. */
  readonly brandId: number | null;
}

/** `Campaign` of the API. */
export interface Campaign {
  readonly id: number;
  readonly brandId: number;
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly pointsReward: number;
  readonly isActive: boolean;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
}

/** `CampaignDetail` of the API. */
export interface CampaignDetail {
  readonly id: number;
  readonly brandId: number;
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly pointsReward: number;
  readonly isActive: boolean;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly challenge: Challenge;
  /** The attempt of the creator whose token asks; null for other tokens and before an attempt. */
  readonly myAttempt: {
    readonly id: number;
    readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
    readonly retryCount: number;
    /** ISO 8601, UTC */
    readonly createdAt: string;
    /** ISO 8601, UTC */
    readonly updatedAt: string;
  } | null;
}

/** `CampaignSummary` of the API. */
export interface CampaignSummary {
  readonly campaignId: number;
  readonly totalAttempts: number;
  /** Attempts per state, 0 included. */
  readonly byState: {
    readonly created: number;
    readonly target_opened: number;
    readonly awaiting_claim: number;
    readonly verification_pending: number;
    readonly verified: number;
    readonly rewarded: number;
    readonly failed_retryable: number;
    readonly failed_terminal: number;
  };
  /** Every attempt that was ever verified, rewarded ones too. */
  readonly totalVerified: number;
  readonly totalRewarded: number;
  readonly totalPointsIssued: number;
}

/** `Challenge` of the API. */
export interface Challenge {
  /** The `challengeId` of the challenge routes. */
  readonly id: number;
  readonly campaignId: number;
  readonly platform: Platform;
  readonly contentType: 'post';
  readonly contentId: string;
  readonly canonicalUrl: string;
  readonly instructionText: string;
}

/** `CommentPage` of the API. */
export interface CommentPage {
  readonly platform: Platform;
  readonly postUrl: string;
  readonly comments: readonly {
    readonly id: string;
    readonly username: string;
    /** The platform’s number of the author’s account, which stays when the handle changes; null if not known. */
    readonly authorId: string | null;
    readonly text: string;
    /** ISO 8601, UTC */
    readonly createdAt: string;
    readonly likeCount: number | null;
    readonly replyCount: number | null;
  }[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** `CommentsRefresh` of the API. */
export interface CommentsRefresh {
  /** Distinct comments and replies read; those stored before included. */
  readonly totalFetched: number;
  /** `swept`: the last page was reached. `partial`: it was not; the next refresh continues from there. */
  readonly sweepStatus: 'swept' | 'partial' | 'failed';
  /** Every page of comments and of replies was read to its end. */
  readonly historyComplete: boolean;
  /** How many comments, replies included, the platform says exist; null if it does not say. */
  readonly expectedTotal: number | null;
  /** What may be missing; null if as much was read as there is. A creator who was not found in such a reading is not failed, but checked again. */
  readonly warning: string | null;
}

/** `ConnectedAccount` of the API. */
export interface ConnectedAccount {
  readonly id: number;
  readonly platform: Platform;
  readonly platformUsername: string;
  readonly profileData: ProfileData;
  readonly ownershipProven: boolean;
  /** The platform's own id of the account, recorded with the proof of ownership. It stays when the handle changes. */
  readonly platformAccountId: string | null;
  /** ISO 8601, UTC */
  readonly connectedAt: string;
  readonly disconnectedAt: string | null;
}

/** `CreatedApiToken` of the API. */
export interface CreatedApiToken {
  readonly id: number;
  readonly name: string;
  readonly role: 'admin' | 'client' | 'creator' | 'brand';
  readonly externalId: string | null;
  /** The brand of role `brand`. */
  readonly brandId: number | null;
  /** null: none. */
  readonly quota: {
    /** Requests in each window, whatever becomes of them. Those to the mock prover are free. */
    readonly requests?: number | undefined;
    /** The window of `requests`; 60 by default. */
    readonly windowSeconds?: number | undefined;
    /** Web proofs that are made, or begun and failed, in 24 hours from the first one. Requests that are refused before they are begun do not count. */
    readonly webProofsPerDay?: number | undefined;
  } | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly revokedAt: string | null;
  /** Shown here and never again. */
  readonly token: string;
}

/** `CreatorRow` of the API. */
export interface CreatorRow {
  readonly userId: number;
  readonly externalId: string;
  readonly email: string;
  readonly displayName: string | null;
  readonly avatarUrl: string | null;
  readonly platform: Platform;
  readonly platformUsername: string;
  /** ISO 8601, UTC */
  readonly connectedAt: string;
  readonly profileData: ProfileData;
  readonly totalAttempts: number;
  /** Every attempt that was ever verified, rewarded ones too. */
  readonly totalVerified: number;
  readonly totalRewarded: number;
  readonly totalPoints: number;
}

/** `CreatorVerifiedEvent` of the API. */
export interface CreatorVerifiedEvent {
  readonly event: 'creator.verified';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    readonly challengeId: number;
    /** The id of the creator. */
    readonly userId: number;
    readonly externalUserId?: string | undefined;
    /** The linked handle. */
    readonly username: string;
    readonly platform: Platform;
    readonly campaignTitle: string;
    readonly attemptId: number;
    /** The matched comment; absent on like challenges. */
    readonly commentText?: string | undefined;
  };
}

/** `Liker` of the API. */
export interface Liker {
  readonly id: number;
  readonly username: string;
  readonly fullName: string | null;
  readonly igUserId: string;
  readonly isPrivate: boolean;
  readonly isVerified: boolean;
  readonly profilePicUrl: string | null;
  readonly likedPost: boolean;
  readonly postUrl: string;
  readonly totalLikes: number | null;
}

/** `LikersFetch` of the API. */
export interface LikersFetch {
  readonly challengeId: number;
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed';
  readonly fetchedCount: number;
  readonly totalLikes: number | null;
  readonly errorMessage: string | null;
  readonly warning: string | null;
  /** ISO 8601, UTC */
  readonly requestedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** Of what the platform does not show, `viewCount` is null and the others are 0. */
export interface Metrics {
  readonly likeCount: number;
  readonly commentCount: number;
  readonly shareCount: number;
  readonly viewCount: number | null;
  /** ISO 8601, UTC */
  readonly fetchedAt: string;
}

/** `Participant` of the API. */
export interface Participant {
  readonly attemptId: number;
  readonly userId: number;
  readonly externalId: string;
  readonly displayName: string | null;
  readonly platform: Platform;
  readonly platformUsername: string | null;
  readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
  readonly retryCount: number;
  readonly pointsAwarded: number;
  readonly matchedComment: {
    readonly commentText: string;
    /** ISO 8601, UTC */
    readonly commentedAt: string;
  } | null;
  readonly verifiedAt: string | null;
  readonly rewardedAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** ISO 8601, UTC */
  readonly updatedAt: string;
}

/** `PlatformDriftedEvent` of the API. */
export interface PlatformDriftedEvent {
  readonly event: 'platform.drifted';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    readonly platform: Platform;
    /** A post URL or `platform:handle`, as in `PLATFORM_CANARIES`. */
    readonly canary: string;
    /** `failed`: there is no reading. */
    readonly verdict: 'drifted' | 'failed';
    /** Fields that earlier readings had and this one lacks. */
    readonly missing: readonly string[];
    /** Code of the failure, with `failed`. */
    readonly error?: string | undefined;
    /** What failed, in words. */
    readonly message?: string | undefined;
  };
}

/** `PlatformRecoveredEvent` of the API. */
export interface PlatformRecoveredEvent {
  readonly event: 'platform.recovered';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    readonly platform: Platform;
    /** A post URL or `platform:handle`, as in `PLATFORM_CANARIES`. */
    readonly canary: string;
    readonly verdict: 'ok';
    readonly missing: readonly string[];
    /** When the reading changed or failed. */
    readonly troubledSince: string;
  };
}

/** `PostDetails` of the API. */
export interface PostDetails {
  readonly platform: Platform;
  readonly contentType: 'post';
  readonly postUrl: string;
  readonly owner: {
    readonly handle: string;
    /** Stable across handle changes; use it to verify ownership. */
    readonly accountId: string;
    readonly secUid: string | null;
    readonly displayName: string | null;
  };
  readonly post: {
    readonly caption: string | null;
    readonly postedAt: string | null;
    readonly thumbnailUrl: string | null;
    readonly mediaUrls: readonly string[];
  };
  /** A metric is null when the platform does not expose it, and rounded when it exposes no exact one. */
  readonly stats: {
    readonly views: number | null;
    readonly likes: number | null;
    readonly comments: number | null;
    readonly shares: number | null;
    readonly saves: number | null;
  };
  readonly source: string;
}

/** Best effort; any key may be absent. */
export interface ProfileData {
  readonly followers?: number | undefined;
  readonly following?: number | undefined;
  readonly profile_pic_url?: string | undefined;
  readonly full_name?: string | undefined;
  readonly biography?: string | undefined;
  readonly is_verified?: boolean | undefined;
}

/** `ProfileLookup` of the API. */
export interface ProfileLookup {
  readonly platform: Platform;
  readonly profile: {
    readonly handle: string;
    readonly accountId: string;
    readonly secUid: string | null;
    readonly displayName: string | null;
    readonly bio: string | null;
    readonly profilePictureUrl: string | null;
    readonly isVerified: boolean | null;
    readonly isPrivate: boolean | null;
    readonly followerCount: number | null;
    readonly mediaCount: number | null;
  };
}

/** `QueuedMetricsRefresh` of the API. */
export interface QueuedMetricsRefresh {
  readonly challengeId: number;
  readonly status: 'queued';
  /** ISO 8601, UTC */
  readonly requestedAt: string;
}

/** `RefreshedMetrics` of the API. */
export interface RefreshedMetrics {
  readonly likeCount: number;
  readonly commentCount: number;
  readonly shareCount: number;
  readonly viewCount: number | null;
  /** ISO 8601, UTC */
  readonly fetchedAt: string;
  readonly thumbnailUrl: string | null;
}

/** `RewardIssuedEvent` of the API. */
export interface RewardIssuedEvent {
  readonly event: 'reward.issued';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    readonly challengeId: number;
    /** The id of the creator. */
    readonly userId: number;
    readonly externalUserId?: string | undefined;
    /** The linked handle. */
    readonly username: string;
    readonly platform: Platform;
    readonly campaignTitle: string;
    readonly attemptId: number;
    readonly points: number;
  };
}

/** `RotatedWebhook` of the API. */
export interface RotatedWebhook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly ('creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered')[];
  readonly active: boolean;
  readonly description: string | null;
  /** When something was last sent, whatever came of it. */
  readonly lastTriggeredAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** The new secret: `whsec_` and base64. Shown here and never again. */
  readonly secret: string;
  /** Until then the secret before signs too. */
  readonly previousSecretExpiresAt: string;
}

/** `Setting` of the API. */
export interface Setting {
  /** The field of the configuration, for example `jobs.queue`. */
  readonly field: string;
  /** Whether it has a value, by default or by the configuration. */
  readonly isSet: boolean;
  readonly isSecret: boolean;
  /** null for secrets and for code. URLs are without credentials and query, and those of other services without path. Trusted notaries are names and fingerprints; of other lists of objects it is how many there are. */
  readonly value: string | number | boolean | readonly string[] | null;
}

/** `StoredComment` of the API. */
export interface StoredComment {
  readonly id: number;
  readonly platformCommentId: string;
  readonly username: string;
  /** The platform’s number of the author’s account, which stays when the handle changes; null if not known. */
  readonly authorId: string | null;
  readonly commentText: string;
  /** ISO 8601, UTC */
  readonly commentedAt: string;
  /** When it was stored. */
  readonly createdAt: string;
}

/** `Subscriber` of the API. */
export interface Subscriber {
  readonly name: string;
  /** `*`: every event. */
  readonly events: readonly ('creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered' | '*')[];
  /** It gets the events of this brand; missing: of all brands. */
  readonly brandId?: number | undefined;
}

/** `SubscriberDelivery` of the API. */
export interface SubscriberDelivery {
  readonly id: number;
  /** `webhook-id`: the same on every try, and in every redelivery of the event. */
  readonly messageId: string;
  readonly event: string;
  readonly attemptId: number | null;
  /** With attemptId, what the redeliver route takes. */
  readonly challengeId: number | null;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  /** The last 20, oldest first. */
  readonly tries: readonly {
    /** ISO 8601, UTC */
    readonly at: string;
    readonly durationMs: number;
    /** What the receiver answered; null when it did not. */
    readonly status: number | null;
    readonly error: string | null;
  }[];
  /** The earliest time; while the webhook is paused nothing is tried. */
  readonly nextTryAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Its name. */
  readonly subscriber: string;
}

/** `VerificationCost` of the API. */
export interface VerificationCost {
  /** Gas of a transaction that checks the seal; an estimate. */
  readonly verificationGas: number;
  /** What may keep the seal from being used; mostly empty. */
  readonly warnings: readonly string[];
}

/** `VerificationFailedEvent` of the API. */
export interface VerificationFailedEvent {
  readonly event: 'verification.failed';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    readonly challengeId: number;
    /** The id of the creator. */
    readonly userId: number;
    readonly externalUserId?: string | undefined;
    /** The linked handle. */
    readonly username: string;
    readonly platform: Platform;
    readonly campaignTitle: string;
    readonly attemptId: number;
    /** `retryable`: the creator may claim again. */
    readonly reason: 'retryable' | 'terminal';
  };
}

/** `VerifiedTranscript` of the API. */
export interface VerifiedTranscript {
  readonly serverDomain: string;
  /** The notary signed the name of the server, or the request shows a `Host` header with it. If false, `serverDomain` may be any name on the certificate: do not rely on it. */
  readonly hostConfirmed: boolean;
  readonly notaryKeyFingerprint: string;
  /** The key is in the list of trusted notaries, at the time of the session. */
  readonly notaryTrusted: boolean;
  /** How the proof was made, if its notary signed that. `attesting`: the notary made the request and saw everything. `blind`: the prover made it by MPC-TLS with the notary, which saw only what the proof shows; the prover chose what is hidden. */
  readonly notarization?: 'attesting' | 'blind' | undefined;
  readonly tlsTimestamp: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly version: string;
    readonly body: string | null;
    /** Hex of the transcript’s bytes; hidden ones are X (58). */
    readonly raw: string;
    /** `name: value`, names in lower case. */
    readonly headers: readonly string[];
  };
  readonly response: {
    readonly status: number;
    readonly version: string;
    readonly body: string | null;
    /** Hex of the transcript’s bytes; hidden ones are X (58). */
    readonly raw: string;
    /** `name: value`, names in lower case. */
    readonly headers: readonly string[];
  };
}

/** `VerifyBatchResult` of the API. */
export interface VerifyBatchResult {
  readonly results: readonly ({
    readonly index: number;
    readonly id?: string | undefined;
    readonly success: true;
    readonly data: VerifiedTranscript;
  } | {
    readonly index: number;
    readonly id?: string | undefined;
    readonly success: false;
    readonly error: {
      readonly code: string;
      readonly message: string;
    };
  })[];
}

/** `WebProof` of the API. */
export interface WebProof {
  readonly data: string;
  readonly version: '0.1.0-alpha.12' | '2.0.0';
  readonly meta: {
    readonly notaryUrl: string;
    /** What to know about the redaction: names that match nothing, headers hidden besides those named, short values that also stand elsewhere. Missing if there is nothing to say. */
    readonly warnings?: readonly string[] | undefined;
  };
}

/** How to prove the logged-in account by a web proof: a GET of one of the addresses with the code, visible. */
export interface WebProofDirections {
  readonly code: string;
  /** The request header that carries the code. */
  readonly header: string;
  /** The query parameter that carries it instead. */
  readonly parameter: string;
  /** What to prove; one of them. */
  readonly urls: readonly string[];
}

/** `Webhook` of the API. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly ('creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered')[];
  readonly active: boolean;
  readonly description: string | null;
  /** When something was last sent, whatever came of it. */
  readonly lastTriggeredAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
}

/** `WebhookDelivery` of the API. */
export interface WebhookDelivery {
  readonly id: number;
  /** `webhook-id`: the same on every try, and in every redelivery of the event. */
  readonly messageId: string;
  readonly event: string;
  readonly attemptId: number | null;
  /** With attemptId, what the redeliver route takes. */
  readonly challengeId: number | null;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  /** The last 20, oldest first. */
  readonly tries: readonly {
    /** ISO 8601, UTC */
    readonly at: string;
    readonly durationMs: number;
    /** What the receiver answered; null when it did not. */
    readonly status: number | null;
    readonly error: string | null;
  }[];
  /** The earliest time; while the webhook is paused nothing is tried. */
  readonly nextTryAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** `WebhookDeliveryWithBody` of the API. */
export interface WebhookDeliveryWithBody {
  readonly id: number;
  /** `webhook-id`: the same on every try, and in every redelivery of the event. */
  readonly messageId: string;
  readonly event: string;
  readonly attemptId: number | null;
  /** With attemptId, what the redeliver route takes. */
  readonly challengeId: number | null;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  /** The last 20, oldest first. */
  readonly tries: readonly {
    /** ISO 8601, UTC */
    readonly at: string;
    readonly durationMs: number;
    /** What the receiver answered; null when it did not. */
    readonly status: number | null;
    readonly error: string | null;
  }[];
  /** The earliest time; while the webhook is paused nothing is tried. */
  readonly nextTryAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** The JSON text as it is signed and sent, the same on every try. */
  readonly body: string;
}

/** `WebhookTestEvent` of the API. */
export interface WebhookTestEvent {
  readonly event: 'webhook.test';
  /** ISO 8601, UTC */
  readonly timestamp: string;
  readonly data: {
    readonly webhookId: number;
    readonly brandId: number;
    readonly message: string;
  };
}

/** `WebhookWithSecret` of the API. */
export interface WebhookWithSecret {
  readonly id: number;
  readonly url: string;
  readonly events: readonly ('creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered')[];
  readonly active: boolean;
  readonly description: string | null;
  /** When something was last sent, whatever came of it. */
  readonly lastTriggeredAt: string | null;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** `whsec_` and base64. Shown here and never again. */
  readonly secret: string;
}

/** The bodies of webhooks by the name of their event. */
export interface WebhookBodies {
  readonly 'creator.verified': CreatorVerifiedEvent;
  readonly 'reward.issued': RewardIssuedEvent;
  readonly 'verification.failed': VerificationFailedEvent;
  readonly 'account.connected': AccountConnectedEvent;
  readonly 'platform.drifted': PlatformDriftedEvent;
  readonly 'platform.recovered': PlatformRecoveredEvent;
  readonly 'webhook.test': WebhookTestEvent;
}

/** The operations of the API by resource. Each takes the fields of path, query and body in one object. */
export interface ClientApi {
  readonly creators: {
    /**
     * Register a creator and link a handle.
     *
     * Creates the creator when the externalId is new, and links the handle; ownership is asserted, not checked, so that no `account.connected` is sent. Idempotent by externalId, platform and handle. Posting a disconnected link again connects it again. `profileData` is `{}` when the platform cannot be read at once.
     *
     * Role: `admin`.
     */
    register(input: {
      /** The customer's own identifier of the creator. Kept and compared as it is, with any blanks; at least one visible character. */
      readonly externalId: string;
      readonly platform: Platform;
      /** With or without a leading @; upper and lower case are the same. */
      readonly handle: string;
      /** A placeholder is stored when it is left out. */
      readonly email?: string | null | undefined;
      readonly displayName?: string | null | undefined;
    }, options?: CallOptions): Promise<{
      readonly user: {
        readonly id: number;
        readonly externalId: string;
        readonly email: string;
      };
      readonly socialAccount: {
        readonly id: number;
        readonly platform: Platform;
        readonly platformUsername: string;
        readonly profileData: ProfileData;
      };
    }>;
    /**
     * End a link.
     *
     * Past attempts, matched comments and rewards are kept.
     *
     * Role: `admin`.
     */
    disconnect(input: {
      /** The customer's own identifier of the creator. Kept and compared as it is, with any blanks; at least one visible character. */
      readonly externalId: string;
      readonly platform: Platform;
      /** With or without a leading @; upper and lower case are the same. */
      readonly handle: string;
    }, options?: CallOptions): Promise<{
      readonly id: number;
      readonly platform: Platform;
      readonly platformUsername: string;
      /** ISO 8601, UTC */
      readonly disconnectedAt: string;
    }>;
    /**
     * All creators, one row per linked handle.
     *
     * The whole list is sent while it is read: an answer that ends early is cut off, without the end of its JSON.
     *
     * Role: `admin`.
     */
    list(input: {
      /** Without `page`, `limit` and `cursor`, the answer is the whole list. */
      readonly page?: number | undefined;
      /** Items a page; 20 if only `page` or `cursor` is sent. */
      readonly limit: number;
      /** Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<CreatorRow>;
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Whole<CreatorRow>;
    /**
     * Read a creator's profile again.
     *
     * Replaces `profileData` wholesale. An empty profile gives `{}` and clears what was stored. With several linked handles all are refreshed, and the answer is about the most recently connected one; `warning` names others that could not be read.
     *
     * Role: `admin`.
     */
    refresh(input: {
      readonly userId: number;
    }, options?: CallOptions): Promise<{
      readonly data: ProfileData;
      /** Further handles of the creator that could not be refreshed. */
      readonly warning?: string | undefined;
    }>;
    /**
     * Whether a handle is linked to a registered creator.
     *
     * Role: `admin`.
     */
    isHandleRegistered(input: {
      /** With or without a leading @; upper and lower case are the same. */
      readonly handle: string;
    }, options?: CallOptions): Promise<{
      readonly verified: boolean;
    }>;
  };
  readonly brands: {
    /**
     * Create a brand.
     *
     * Role: `admin`.
     */
    create(input: {
      readonly name: string;
      /** Unique. */
      readonly slug: string;
      readonly logoUrl?: string | null | undefined;
    }, options?: CallOptions): Promise<Brand>;
    /**
     * All brands.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    list(input: {
      /** Without `page`, `limit` and `cursor`, the answer is the whole list. */
      readonly page?: number | undefined;
      /** Items a page; 20 if only `page` or `cursor` is sent. */
      readonly limit: number;
      /** Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<Brand>;
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Whole<Brand>;
  };
  readonly campaigns: {
    /**
     * Create a campaign with its challenge.
     *
     * The campaign is active at once. The post is named by its URL and not read; a URL that is no post URL of a registered platform is answered with 422.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    create(input: {
      readonly brandId: number;
      readonly title: string;
      readonly description?: string | null | undefined;
      readonly imageUrl?: string | null | undefined;
      readonly pointsReward: number;
      /** No attempts before this time. */
      readonly startsAt?: string | null | undefined;
      /** No attempts and claims from this time on. */
      readonly endsAt?: string | null | undefined;
      readonly challenge: {
        /** The post; the cleaned-up form is preferred, short links are followed. */
        readonly targetUrl: string;
        /** A sentence that fits the action by default. */
        readonly instructionText?: string | null | undefined;
        /** What verifies a creator; `comment` by default, `like` only on platforms that show who liked a post. */
        readonly action?: 'comment' | 'like' | null | undefined;
      };
    }, options?: CallOptions): Promise<{
      readonly campaign: Campaign;
      readonly challenge: Challenge;
    }>;
    /**
     * Campaigns, newest first.
     *
     * Any token. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    list(input?: {
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
      /** Campaigns of this brand only. */
      readonly brandId?: number | undefined;
      /** `upcoming`: active, with a start to come. `running`: active, within its dates. `ended`: not active, or past its end. */
      readonly state?: 'upcoming' | 'running' | 'ended' | undefined;
      /** Created at this time or later. */
      readonly createdFrom?: string | undefined;
      /** Created before this time. */
      readonly createdBefore?: string | undefined;
    }, options?: CallOptions): Paged<Campaign>;
    /**
     * A campaign with its challenge and the caller’s attempt.
     *
     * Any token. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    get(input: {
      readonly id: number;
    }, options?: CallOptions): Promise<CampaignDetail>;
    /**
     * Attempts by state, and the points issued.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    summarise(input: {
      readonly id: number;
    }, options?: CallOptions): Promise<CampaignSummary>;
    /**
     * Participants and how they stand.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    listResults(input: {
      readonly id: number;
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
      readonly state?: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal' | undefined;
    }, options?: CallOptions): Paged<Participant>;
    /**
     * Verify and reward every creator who has fulfilled the challenge.
     *
     * Matches registered creators without an attempt against the stored comments (likers for like challenges); refresh them first. Works on ended campaigns too. Each attempt is created, verified and rewarded in one write, so `rewarded` equals `verified`.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    verifyAndReward(input: {
      readonly id: number;
    }, options?: CallOptions): Promise<{
      readonly matched: number;
      readonly verified: number;
      readonly rewarded: number;
    }>;
    /**
     * End a campaign.
     *
     * Idempotent. An earlier end is kept, and so are attempts and rewards.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    end(input: {
      readonly id: number;
    }, options?: CallOptions): Promise<{
      readonly id: number;
      readonly isActive: false;
      /** ISO 8601, UTC */
      readonly endsAt: string;
    }>;
    /**
     * Delete a campaign without attempts.
     *
     * Removes its challenge, stored comments, likers and metrics as well.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    delete(input: {
      readonly id: number;
    }, options?: CallOptions): Promise<{
      readonly id: number;
    }>;
  };
  readonly attempts: {
    /**
     * Open a creator's attempt.
     *
     * Needs an active campaign inside its dates, and an active handle of the creator on its platform. A creator has one attempt per challenge; a second request is answered with 409 and the id of the first.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    create(input: {
      readonly challengeId: number;
      readonly userId?: number | undefined;
      /** As registered. Kept and compared as it is, with any blanks; at least one visible character. */
      readonly externalId?: string | undefined;
    }, options?: CallOptions): Promise<Attempt>;
    /**
     * An attempt.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    get(input: {
      readonly challengeId: number;
      readonly attemptId: number;
    }, options?: CallOptions): Promise<AttemptDetail>;
    /**
     * The attempt of the creator with this handle.
     *
     * The newest one when the handle is linked to several creators. One that was made under the handle before it was disconnected is found when there is no other.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    findByHandle(input: {
      readonly challengeId: number;
      /** With or without @. */
      readonly handle: string;
    }, options?: CallOptions): Promise<AttemptDetail | null>;
    /**
     * The creator opened the post, or claims to be done.
     *
     * `target_opened` from `created`, `target_opened` and `awaiting_claim`. `claim_completion` from these and from `failed_retryable`, where it uses one of the retries; it starts a verification and answers `verification_pending`. Poll the attempt, or wait for the webhook.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    progress(input: {
      readonly challengeId: number;
      readonly attemptId: number;
      readonly action: 'target_opened' | 'claim_completion';
    }, options?: CallOptions): Promise<{
      readonly id: number;
      readonly state: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
    }>;
    /**
     * Verify an attempt without a match.
     *
     * From every state but `verified`, `rewarded` and `failed_terminal`. The reward follows.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    forceVerify(input: {
      readonly challengeId: number;
      readonly attemptId: number;
    }, options?: CallOptions): Promise<{
      readonly id: number;
      readonly state: 'verified';
      readonly previousState: 'created' | 'target_opened' | 'awaiting_claim' | 'verification_pending' | 'verified' | 'rewarded' | 'failed_retryable' | 'failed_terminal';
    }>;
    /**
     * Send the events of an attempt's outcome again.
     *
     * Rewarded attempts: `creator.verified` and `reward.issued`; verified ones: `creator.verified`; failed ones: `verification.failed`. Of the events asked for, those that fit are sent; when none fits, 409. A paused webhook gets them when it is activated. Each is the same message as the first time, with the same `webhook-id`, for every webhook that wants it by now. Redeliveries and tests share a limit of 50 in 10 seconds: of a brand, and of each token that is bound to no brand.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    redeliver(input: {
      readonly challengeId: number;
      readonly attemptId: number;
      /** All that fit the state when left out. */
      readonly events?: readonly ('creator.verified' | 'reward.issued' | 'verification.failed')[] | undefined;
    }, options?: CallOptions): Promise<{
      readonly data: {
        readonly attemptId: number;
        readonly redelivered: readonly ('creator.verified' | 'reward.issued' | 'verification.failed')[];
      };
      /** Present if no webhook or subscriber wants some of them. */
      readonly warning?: string | undefined;
    }>;
  };
  readonly webhooks: {
    /**
     * Register a webhook.
     *
     * Events are sent as signed POST requests. The URL must be http or https, on port 80, 443 or one from 1024 up, and must not name a private address.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    create(input: {
      readonly brandId: number;
      readonly url: string;
      /** At least one; a name given twice counts once. `account.connected` is for admins: for tokens of one brand a webhook that has it does not exist. */
      readonly events: readonly ('creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered')[];
      /** false registers a webhook that is paused. It is active if this is left out. */
      readonly active?: boolean | undefined;
      readonly description?: string | null | undefined;
    }, options?: CallOptions): Promise<WebhookWithSecret>;
    /**
     * List the webhooks of a brand.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    list(input: {
      readonly brandId: number;
      /** Without `page`, `limit` and `cursor`, the answer is the whole list. */
      readonly page?: number | undefined;
      /** Items a page; 20 if only `page` or `cursor` is sent. */
      readonly limit: number;
      /** Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<Webhook>;
    list(input: {
      readonly brandId: number;
    }, options?: CallOptions): Whole<Webhook>;
    /**
     * Change or pause a webhook.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    update(input: {
      readonly brandId: number;
      readonly webhookId: number;
      readonly url?: string | undefined;
      /** At least one; a name given twice counts once. `account.connected` is for admins: for tokens of one brand a webhook that has it does not exist. */
      readonly events?: readonly ('creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered')[] | undefined;
      /** false pauses: nothing is sent, what is pending waits; true sends it. Events that arise meanwhile are not recorded for this webhook. */
      readonly active?: boolean | undefined;
      /** null and empty text remove it. */
      readonly description?: string | null | undefined;
    }, options?: CallOptions): Promise<Webhook>;
    /**
     * Delete a webhook and the log of its deliveries.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    delete(input: {
      readonly brandId: number;
      readonly webhookId: number;
    }, options?: CallOptions): Promise<{
      readonly ok: true;
    }>;
    /**
     * Make a new secret for a webhook.
     *
     * For a day, `webhook-signature` has two signatures: one with the new secret and one with the old secret. `X-Service-Signature` has room for one, made with the old secret. Give the receiver both secrets, and remove the old one after that day. To end a leaked secret at once, rotate twice.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    rotateSecret(input: {
      readonly brandId: number;
      readonly webhookId: number;
    }, options?: CallOptions): Promise<RotatedWebhook>;
    /**
     * What was sent to a webhook, and what came of it.
     *
     * A brand does not see deliveries about creators, from a time when the webhook was for admins.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    listDeliveries(input: {
      readonly brandId: number;
      readonly webhookId: number;
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
      /** Deliveries with this status only. */
      readonly status?: 'pending' | 'succeeded' | 'failed' | 'cancelled' | undefined;
      /** Deliveries of this event only. */
      readonly event?: 'creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered' | 'webhook.test' | undefined;
    }, options?: CallOptions): Paged<WebhookDelivery>;
    /**
     * A delivery with the body that was sent.
     *
     * A brand does not get deliveries about creators, from a time when the webhook was for admins.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    getDelivery(input: {
      readonly brandId: number;
      readonly webhookId: number;
      readonly deliveryId: number;
    }, options?: CallOptions): Promise<WebhookDeliveryWithBody>;
    /**
     * Send a test event.
     *
     * Queues one `webhook.test` event, signed like any other and tried once; the log of deliveries shows the outcome. Tests and redeliveries share a limit of 50 in 10 seconds.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    test(input: {
      readonly brandId: number;
      readonly webhookId: number;
    }, options?: CallOptions): Promise<WebhookDelivery>;
  };
  readonly subscribers: {
    /**
     * List the subscribers in process.
     *
     * Handlers that the host registered with `credence.on`. One that no process registers now keeps its events.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    list(input: {
      /** Without `page`, `limit` and `cursor`, the answer is the whole list. */
      readonly page?: number | undefined;
      /** Items a page; 20 if only `page` or `cursor` is sent. */
      readonly limit: number;
      /** Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<Subscriber>;
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Whole<Subscriber>;
    /**
     * What was delivered to a subscriber, and what came of it.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    listDeliveries(input: {
      readonly name: string;
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
      /** Deliveries with this status only. */
      readonly status?: 'pending' | 'succeeded' | 'failed' | 'cancelled' | undefined;
      /** Deliveries of this event only. */
      readonly event?: 'creator.verified' | 'reward.issued' | 'verification.failed' | 'account.connected' | 'platform.drifted' | 'platform.recovered' | undefined;
    }, options?: CallOptions): Paged<SubscriberDelivery>;
  };
  readonly challenges: {
    /**
     * The stored comments of a challenge.
     *
     * Newest first. Reads the storage only; refresh to read the platform.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    listComments(input: {
      readonly challengeId: number;
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<StoredComment>;
    /**
     * Read the comments from the platform.
     *
     * Reads up to 500 pages, and the threads of replies where the platform’s comments are read with them, and stores what is new. Answers when that is done, which can take minutes. It continues when the client hangs up, and concurrent calls share one reading. Comments that the platform lists are read, also where the post itself is `POST_AGE_RESTRICTED`.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    refreshComments(input: {
      readonly challengeId: number;
    }, options?: CallOptions): Promise<CommentsRefresh>;
    /**
     * The latest metrics snapshot.
     *
     * Reads the storage only. 404 until metrics were refreshed once.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    metrics(input: {
      readonly challengeId: number;
    }, options?: CallOptions): Promise<Metrics>;
    /**
     * Read the metrics from the platform.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    refreshMetrics(input: {
      readonly challengeId: number;
    }, options?: CallOptions): Promise<RefreshedMetrics | QueuedMetricsRefresh>;
    /**
     * The likers of the latest fetch that succeeded.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    listLikers(input: {
      readonly challengeId: number;
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<Liker>;
    /**
     * Read the likers from the platform.
     *
     * Only on platforms that show who liked a post. Runs in the background; ask for the status. A fetch under way that asks for as many likers is joined.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    refreshLikers(input: {
      readonly challengeId: number;
      readonly maxCount?: number | undefined;
    }, options?: CallOptions): Promise<LikersFetch>;
    /**
     * How the latest fetch of likers stands.
     *
     * Role: `admin`. Role `brand` too, for what belongs to its brand: the rest is missing for it.
     */
    likersStatus(input: {
      readonly challengeId: number;
    }, options?: CallOptions): Promise<LikersFetch | null>;
  };
  readonly lookups: {
    /**
     * Check a post by its URL and get its cover.
     *
     * Reads the post and stores nothing. Usually about a second, up to 40: do not retry early.
     *
     * Role: `admin`. Role `brand` too.
     */
    thumbnail(input: {
      readonly url: string;
    }, options?: CallOptions): Promise<{
      readonly platform: Platform;
      readonly contentType: 'post';
      readonly canonicalUrl: string;
      readonly thumbnailUrl: string | null;
    }>;
    /**
     * A post's owner, content and numbers.
     *
     * Role: `client` or `admin`. Role `brand` too.
     */
    post(input: {
      readonly url: string;
    }, options?: CallOptions): Promise<PostDetails>;
    /**
     * Up to 25 posts at once.
     *
     * Results follow the order of the input; a URL that fails does not fail the others. Each unique URL that succeeds before the deadline of 100 s is one billable unit. Another spelling of a post that is named already is another URL, though the post is read once.
     *
     * Role: `client` or `admin`. Role `brand` too.
     */
    posts(input: {
      readonly urls: readonly string[];
    }, options?: CallOptions): Promise<BatchResult>;
    /**
     * One page of a post's comments.
     *
     * Top-level comments only. Repeat with `nextCursor` until `hasMore` is false. Comments that the platform lists are read, also where the post itself is `POST_AGE_RESTRICTED`.
     *
     * Role: `client` or `admin`. Role `brand` too.
     */
    comments(input: {
      readonly url: string;
      /** `nextCursor` of the page before. Empty, or left out, for the first page. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Promise<CommentPage>;
    /**
     * A public profile.
     *
     * Role: `client` or `admin`. Role `brand` too.
     */
    profile(input: {
      readonly platform: Platform;
      /** With or without @; not a URL. */
      readonly handle: string;
    }, options?: CallOptions): Promise<ProfileLookup>;
  };
  readonly connections: {
    /**
     * Start the flow by which a creator proves that a profile is theirs.
     *
     * Send the creator to `redirectUrl`: the page shows a one-time code to put into the bio of the profile, checks it and links the account. A connected account is announced as `account.connected`. A creator starts at most 20 requests in ten minutes and has at most 10 open; each expires after half an hour.
     *
     * Any token. Not for role `brand`.
     */
    start(input: {
      readonly platform: Platform;
      /** Per platform; all take `handle`. Without it the page asks for it. */
      readonly inputs?: {
        readonly handle?: string | undefined;
      } | undefined;
      /** Whose account; needed with an admin token. Kept and compared as it is, with any blanks; at least one visible character. */
      readonly externalId?: string | undefined;
      /** Where the page leads back to, with `status` (`connected`, `failed`, `expired` or `pending`), `platform` and `requestId` in the query. Its origin must be one that the operator lists. The page does not prove anything to you: ask `listSocialAccounts`, or wait for `account.connected`. */
      readonly returnUrl?: string | undefined;
    }, options?: CallOptions): Promise<{
      readonly redirectUrl: string;
      readonly requestId: string;
      /** ISO 8601, UTC */
      readonly expiresAt: string;
      readonly webProof: WebProofDirections;
    }>;
    /**
     * A creator's linked handles.
     *
     * Any token. Not for role `brand`.
     */
    list(input: {
      /** Without `page`, `limit` and `cursor`, the answer is the whole list. */
      readonly page?: number | undefined;
      /** Items a page; 20 if only `page` or `cursor` is sent. */
      readonly limit: number;
      /** Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before. */
      readonly cursor?: string | undefined;
      /** Needed with an admin token. Kept and compared as it is, with any blanks; at least one visible character. */
      readonly externalId?: string | undefined;
    }, options?: CallOptions): Paged<ConnectedAccount>;
    list(input?: {
      /** Needed with an admin token. Kept and compared as it is, with any blanks; at least one visible character. */
      readonly externalId?: string | undefined;
    }, options?: CallOptions): Whole<ConnectedAccount>;
  };
  readonly proofs: {
    /**
     * Make a notarized HTTPS request.
     *
     * The notary makes the request itself, signs what it saw and hides what the redaction rules name. Redirects are not followed; any status can be proven.
     */
    prove(input: {
      /** HTTPS only; redirects are not followed. */
      readonly url: string;
      readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'CONNECT' | 'OPTIONS' | 'TRACE' | undefined;
      /** Lines of the form `Header-Name: value`. */
      readonly headers?: readonly string[] | undefined;
      /** Null is no body. */
      readonly body?: string | null | undefined;
      /** Most bytes of the response, head included, that are accepted. */
      readonly maxRecvData?: number | undefined;
      readonly redaction?: readonly {
        readonly request?: {
          readonly headers?: readonly string[] | undefined;
          readonly headers_except?: readonly string[] | undefined;
          readonly url_query?: readonly string[] | undefined;
          readonly url_query_except?: readonly string[] | undefined;
        } | undefined;
        readonly response?: {
          readonly headers?: readonly string[] | undefined;
          readonly headers_except?: readonly string[] | undefined;
          readonly json_body?: readonly string[] | undefined;
          readonly json_body_except?: readonly string[] | undefined;
        } | undefined;
      }[] | undefined;
      /** Refuse to hide booleans, null and values of fewer than 8 bytes, since their length, which stays visible, tells too much about them. */
      readonly refuseShortValues?: boolean | undefined;
      /** URL of the notary to use: one that the operator has configured, with or without the version at its end. The default is the embedded notary of this service. */
      readonly notaryUrl?: string | undefined;
    }, options?: CallOptions): Promise<WebProof>;
    /**
     * Verify a web proof and read its transcript.
     *
     * A complete verification also checks `notaryKeyFingerprint`, since a proof is as trustworthy as the notary whose key signed it, and `hostConfirmed`.
     */
    verify(input: {
      readonly data: string;
      readonly version: '0.1.0-alpha.12' | '2.0.0';
      readonly meta: {
        readonly notaryUrl: string;
        readonly websocketProxyUrl?: string | null | undefined;
        readonly mode?: 'attesting' | 'blind' | undefined;
        readonly warnings?: readonly string[] | undefined;
      };
    }, options?: CallOptions): Promise<VerifiedTranscript>;
    /**
     * Verify up to 32 web proofs.
     *
     * Results follow the order of the input; one proof’s failure does not fail the others. A failed one has the code that it would get alone, except that `data` that is not hexadecimal is `INVALID_REQUEST`. The transcripts of one batch come to at most 16 MiB. If there is no room for a proof, its result is `PAYLOAD_TOO_LARGE`: verify it on its own.
     */
    verifyBatch(input: {
      readonly proofs: readonly {
        readonly data: string;
        readonly version: '0.1.0-alpha.12' | '2.0.0';
        readonly meta: {
          readonly notaryUrl: string;
          readonly websocketProxyUrl?: string | null | undefined;
          readonly mode?: 'attesting' | 'blind' | undefined;
          readonly warnings?: readonly string[] | undefined;
        };
        readonly id?: string | undefined;
      }[];
    }, options?: CallOptions): Promise<VerifyBatchResult>;
    /**
     * Compress a web proof into a zero-knowledge proof for Ethereum.
     *
     * Verifies the proof, extracts values from the response body with JMESPath, and returns a seal and the ABI-encoded journal.
     */
    compress(input: {
      readonly presentation: {
        readonly data: string;
        readonly version: '0.1.0-alpha.12' | '2.0.0';
        readonly meta: {
          readonly notaryUrl: string;
          readonly websocketProxyUrl?: string | null | undefined;
          readonly mode?: 'attesting' | 'blind' | undefined;
          readonly warnings?: readonly string[] | undefined;
        };
      };
      readonly extraction?: {
        readonly 'response.body': {
          readonly jmespath: readonly string[];
        };
      } | undefined;
      /** Needed for a request with a body, which the journal does not show. The seal is made for a guest id of its own, which names the hash of the body. */
      readonly acceptRequestBody?: boolean | undefined;
    }, options?: CallOptions): Promise<{
      readonly zkProof: string;
      readonly journalDataAbi: string;
      /** The image id under which a verifier accepts this seal. It differs from the one of `guest-id` for a request with a body and for a proof of another notary, attested by this service. */
      readonly guestId: string;
      /** keccak-256 of the body of the request, if it has one. */
      readonly requestBodyHash?: string | undefined;
      readonly details: VerificationCost;
    }>;
    /**
     * The same with a mock seal: at once, free, and for a mock verifier only.
     *
     * For development: it checks the same input and returns the same journal, but the seal proves nothing.
     */
    fakeCompress(input: {
      readonly presentation: {
        readonly data: string;
        readonly version: '0.1.0-alpha.12' | '2.0.0';
        readonly meta: {
          readonly notaryUrl: string;
          readonly websocketProxyUrl?: string | null | undefined;
          readonly mode?: 'attesting' | 'blind' | undefined;
          readonly warnings?: readonly string[] | undefined;
        };
      };
      readonly extraction?: {
        readonly 'response.body': {
          readonly jmespath: readonly string[];
        };
      } | undefined;
      /** Needed for a request with a body, which the journal does not show. The seal is made for a guest id of its own, which names the hash of the body. */
      readonly acceptRequestBody?: boolean | undefined;
    }, options?: CallOptions): Promise<{
      readonly zkProof: string;
      readonly journalDataAbi: string;
      /** The image id under which a verifier accepts this seal. It differs from the one of `guest-id` for a request with a body and for a proof of another notary, attested by this service. */
      readonly guestId: string;
      /** keccak-256 of the body of the request, if it has one. */
      readonly requestBodyHash?: string | undefined;
      readonly details: VerificationCost;
    }>;
    /**
     * A dry run of compress: how to decode the journal.
     *
     * Returns the journal that compress would make, and Solidity code that decodes it.
     */
    decodeJournal(input: {
      readonly presentation: {
        readonly data: string;
        readonly version: '0.1.0-alpha.12' | '2.0.0';
        readonly meta: {
          readonly notaryUrl: string;
          readonly websocketProxyUrl?: string | null | undefined;
          readonly mode?: 'attesting' | 'blind' | undefined;
          readonly warnings?: readonly string[] | undefined;
        };
      };
      readonly extraction?: {
        readonly 'response.body': {
          readonly jmespath: readonly string[];
        };
      } | undefined;
      /** Needed for a request with a body, which the journal does not show. The seal is made for a guest id of its own, which names the hash of the body. */
      readonly acceptRequestBody?: boolean | undefined;
    }, options?: CallOptions): Promise<{
      readonly journalTypes: readonly string[];
      readonly journalValues: readonly string[];
      readonly solidityCodeSnippet: string;
      readonly journalDataAbi: string;
      readonly details: VerificationCost;
    }>;
    /**
     * The id of the proving program, as contracts pin it.
     *
     * Pin one of them in the contract that checks the seals.
     */
    guestId(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<{
      readonly guestId: string;
      /** Of web proofs of other notaries that hide nothing, attested by this service as a delegate. */
      readonly delegatedGuestId: string;
      /** Of such web proofs that hide parts, which their prover may have chosen. */
      readonly partlyHiddenGuestId: string;
    }>;
  };
  readonly audit: {
    /**
     * What administrators and brands changed.
     *
     * Newest first. An entry is stored before its action and gets the outcome after it; nothing runs without one.
     *
     * Role: `admin`.
     */
    list(input?: {
      readonly page?: number | undefined;
      readonly limit?: number | undefined;
      /** For walking a long list. Send it empty at first, then as `pagination.nextCursor` of the answer before; `page` does not count then. */
      readonly cursor?: string | undefined;
      readonly actor?: string | undefined;
      readonly operation?: string | undefined;
      readonly target?: string | undefined;
      /** Entries from this time on. */
      readonly from?: string | undefined;
      /** Entries before this time. */
      readonly to?: string | undefined;
    }, options?: CallOptions): Paged<AuditEntry>;
  };
  readonly settings: {
    /**
     * The settings of the instance.
     *
     * Read only, without secrets. They are those of the process that answers.
     *
     * Role: `admin`.
     */
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<readonly Setting[]>;
  };
  readonly tokens: {
    /**
     * Create a token.
     *
     * Only a hash of the token is stored: keep what this answers, it cannot be read again.
     *
     * Role: `admin`.
     */
    create(input: {
      /** For people, to tell tokens apart. */
      readonly name: string;
      /** `admin`: everything; `client`: campaigns and lookups; `creator`: campaigns with `myAttempt`, and own accounts; `brand`: campaigns, webhooks and results of one brand. */
      readonly role: 'admin' | 'client' | 'creator' | 'brand';
      readonly externalId?: string | null | undefined;
      /** The brand; required with role `brand`, and only there. */
      readonly brandId?: number | null | undefined;
      readonly quota?: {
        /** Requests in each window, whatever becomes of them. Those to the mock prover are free. */
        readonly requests?: number | undefined;
        /** The window of `requests`; 60 by default. */
        readonly windowSeconds?: number | undefined;
        /** Web proofs that are made, or begun and failed, in 24 hours from the first one. Requests that are refused before they are begun do not count. */
        readonly webProofsPerDay?: number | undefined;
      } | null | undefined;
    }, options?: CallOptions): Promise<CreatedApiToken>;
    /**
     * All tokens, revoked ones too.
     *
     * Role: `admin`.
     */
    list(input: {
      /** Without `page`, `limit` and `cursor`, the answer is the whole list. */
      readonly page?: number | undefined;
      /** Items a page; 20 if only `page` or `cursor` is sent. */
      readonly limit: number;
      /** Empty, or left out with `limit` alone, for the first page; then `pagination.nextCursor` of the answer before. */
      readonly cursor?: string | undefined;
    }, options?: CallOptions): Paged<ApiToken>;
    list(input?: Readonly<Record<string, never>>, options?: CallOptions): Whole<ApiToken>;
    /**
     * Revoke a token for good.
     *
     * Idempotent. A token cannot revoke itself.
     *
     * Role: `admin`.
     */
    revoke(input: {
      readonly tokenId: number;
    }, options?: CallOptions): Promise<ApiToken>;
    /**
     * Who the caller is, and with which role.
     *
     * Any token. Role `brand` too.
     */
    caller(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Caller>;
    /**
     * What the caller's token used this month (UTC).
     *
     * Any token. Role `brand` too.
     */
    usage(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<{
      readonly period: {
        /** ISO 8601, UTC */
        readonly from: string;
        /** ISO 8601, UTC */
        readonly to: string;
      };
      readonly batch: {
        readonly billableUnits: number;
        readonly requests: number;
      };
      readonly lookups: {
        readonly requests: number;
      };
      readonly webProofs: {
        readonly proofs: number;
        readonly verifications: number;
        readonly compressions: number;
      };
    }>;
  };
}

/** @internal How each operation is sent. */
export const OPERATIONS: { readonly [G in keyof ClientApi]: { readonly [N in keyof ClientApi[G]]: Operation } } = {
  creators: {
    register: { method: 'POST', path: '/social-accounts', hasBody: true },
    disconnect: { method: 'POST', path: '/social-accounts/disconnect', hasBody: true },
    list: { method: 'GET', path: '/admin/creators', query: ['page', 'limit', 'cursor'], isPaged: true, isWhole: true },
    refresh: { method: 'POST', path: '/admin/creators/{userId}/refresh', mayHaveMore: true },
    isHandleRegistered: { method: 'GET', path: '/admin/creators/verify/{handle}' },
  },
  brands: {
    create: { method: 'POST', path: '/admin/brands', hasBody: true },
    list: { method: 'GET', path: '/admin/brands', query: ['page', 'limit', 'cursor'], isPaged: true, isWhole: true },
  },
  campaigns: {
    create: { method: 'POST', path: '/admin/campaigns', hasBody: true },
    list: { method: 'GET', path: '/campaigns', query: ['page', 'limit', 'cursor', 'brandId', 'state', 'createdFrom', 'createdBefore'], isPaged: true },
    get: { method: 'GET', path: '/campaigns/{id}' },
    summarise: { method: 'GET', path: '/admin/campaigns/{id}/summary' },
    listResults: { method: 'GET', path: '/admin/campaigns/{id}/results', query: ['page', 'limit', 'cursor', 'state'], isPaged: true },
    verifyAndReward: { method: 'POST', path: '/admin/campaigns/{id}/verify-and-reward' },
    end: { method: 'POST', path: '/admin/campaigns/{id}/end' },
    delete: { method: 'DELETE', path: '/admin/campaigns/{id}' },
  },
  attempts: {
    create: { method: 'POST', path: '/admin/challenges/{challengeId}/attempts', hasBody: true },
    get: { method: 'GET', path: '/admin/challenges/{challengeId}/attempts/{attemptId}' },
    findByHandle: { method: 'GET', path: '/admin/challenges/{challengeId}/attempts/by-handle/{handle}' },
    progress: { method: 'PATCH', path: '/admin/challenges/{challengeId}/attempts/{attemptId}', hasBody: true },
    forceVerify: { method: 'POST', path: '/admin/challenges/{challengeId}/attempts/{attemptId}/force-verify' },
    redeliver: { method: 'POST', path: '/admin/challenges/{challengeId}/attempts/{attemptId}/redeliver-webhooks', hasBody: true, mayHaveMore: true },
  },
  webhooks: {
    create: { method: 'POST', path: '/admin/brands/{brandId}/webhooks', hasBody: true },
    list: { method: 'GET', path: '/admin/brands/{brandId}/webhooks', query: ['page', 'limit', 'cursor'], isPaged: true, isWhole: true },
    update: { method: 'PATCH', path: '/admin/brands/{brandId}/webhooks/{webhookId}', hasBody: true },
    delete: { method: 'DELETE', path: '/admin/brands/{brandId}/webhooks/{webhookId}' },
    rotateSecret: { method: 'POST', path: '/admin/brands/{brandId}/webhooks/{webhookId}/rotate-secret' },
    listDeliveries: { method: 'GET', path: '/admin/brands/{brandId}/webhooks/{webhookId}/deliveries', query: ['page', 'limit', 'cursor', 'status', 'event'], isPaged: true },
    getDelivery: { method: 'GET', path: '/admin/brands/{brandId}/webhooks/{webhookId}/deliveries/{deliveryId}' },
    test: { method: 'POST', path: '/admin/brands/{brandId}/webhooks/{webhookId}/test' },
  },
  subscribers: {
    list: { method: 'GET', path: '/admin/subscribers', query: ['page', 'limit', 'cursor'], isPaged: true, isWhole: true },
    listDeliveries: { method: 'GET', path: '/admin/subscribers/{name}/deliveries', query: ['page', 'limit', 'cursor', 'status', 'event'], isPaged: true },
  },
  challenges: {
    listComments: { method: 'GET', path: '/admin/challenges/{challengeId}/comments', query: ['page', 'limit', 'cursor'], isPaged: true },
    refreshComments: { method: 'POST', path: '/admin/challenges/{challengeId}/comments/refresh' },
    metrics: { method: 'GET', path: '/admin/challenges/{challengeId}/metrics' },
    refreshMetrics: { method: 'POST', path: '/admin/challenges/{challengeId}/metrics/refresh' },
    listLikers: { method: 'GET', path: '/admin/challenges/{challengeId}/likers', query: ['page', 'limit', 'cursor'], isPaged: true },
    refreshLikers: { method: 'POST', path: '/admin/challenges/{challengeId}/likers/refresh', query: ['maxCount'] },
    likersStatus: { method: 'GET', path: '/admin/challenges/{challengeId}/likers/status' },
  },
  lookups: {
    thumbnail: { method: 'GET', path: '/admin/posts/thumbnail', query: ['url'] },
    post: { method: 'GET', path: '/v1/stats', query: ['url'] },
    posts: { method: 'POST', path: '/v1/stats/batch', hasBody: true },
    comments: { method: 'GET', path: '/v1/comments', query: ['url', 'cursor'] },
    profile: { method: 'GET', path: '/v1/profile', query: ['platform', 'handle'] },
  },
  connections: {
    start: { method: 'POST', path: '/social-accounts/connect', hasBody: true },
    list: { method: 'GET', path: '/social-accounts', query: ['page', 'limit', 'cursor', 'externalId'], isPaged: true, isWhole: true },
  },
  proofs: {
    prove: { method: 'POST', path: '/api/v2.0/prove', hasBody: true },
    verify: { method: 'POST', path: '/api/v2.0/verify', hasBody: true },
    verifyBatch: { method: 'POST', path: '/api/v2.0/verify-batch', hasBody: true },
    compress: { method: 'POST', path: '/api/v2.0/evm/compress-web-proof', hasBody: true },
    fakeCompress: { method: 'POST', path: '/api/v2.0/fake/evm/compress-web-proof', hasBody: true },
    decodeJournal: { method: 'POST', path: '/api/v2.0/debug/evm/journal-decode-helper', hasBody: true },
    guestId: { method: 'GET', path: '/api/v2.0/evm/guest-id' },
  },
  audit: {
    list: { method: 'GET', path: '/admin/audit-log', query: ['page', 'limit', 'cursor', 'actor', 'operation', 'target', 'from', 'to'], isPaged: true },
  },
  settings: {
    list: { method: 'GET', path: '/admin/settings' },
  },
  tokens: {
    create: { method: 'POST', path: '/admin/tokens', hasBody: true },
    list: { method: 'GET', path: '/admin/tokens', query: ['page', 'limit', 'cursor'], isPaged: true, isWhole: true },
    revoke: { method: 'DELETE', path: '/admin/tokens/{tokenId}' },
    caller: { method: 'GET', path: '/auth/caller' },
    usage: { method: 'GET', path: '/auth/usage' },
  },
};
