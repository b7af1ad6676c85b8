/**
 * What authors of adapters write against: the ports, and the records that pass through them as they are stored. Stable, as `credence`
 * is. The contract suites of `credence/testing` say whether an adapter keeps to its port.
 */

export type { NotaryKey } from '../../adapters/local-notary/index.ts';
export type { SharedLimitsAdapter } from '../../adapters/redis-rate-limiter/index.ts';
export type {
  LimiterConnection,
  ScrapingTransport,
  SendRequest,
  TransportRequest,
  TransportResponse,
} from '../../adapters/scraping/index.ts';
export type { AuditAction, AuditConclusion, AuditEntry, AuditOutcome } from '../../core/access/audit.ts';
export type { ApiToken, Role, TokenQuota } from '../../core/access/token.ts';
export type { UsagePeriod } from '../../core/access/usage.ts';
export type { CanaryFailure, CanaryRecord, CanaryVerdict } from '../../core/canaries/canary.ts';
export type {
  Attempt,
  MatchedComment,
  NewAttempt,
  Recheck,
  StateHistoryEntry,
} from '../../core/engagement/attempts/attempt.ts';
export type { AttemptState } from '../../core/engagement/attempts/states.ts';
export type {
  BrandConnection,
  BrandConnectionStatus,
  ConnectionFailure,
} from '../../core/engagement/brand-connections/brand-connection.ts';
export type { Brand } from '../../core/engagement/brands/brand.ts';
export type { Campaign, CampaignWithChallenge, Challenge } from '../../core/engagement/campaigns/campaign.ts';
export type * from '../../core/engagement/challenge-data/comment.ts';
export type { ConnectionRequest, ConnectionStatus } from '../../core/engagement/connections/connection.ts';
export type {
  Creator,
  CreatorListRow,
  CreatorTotals,
  LinkedCreator,
  ProfileData,
  SocialAccount,
} from '../../core/engagement/creators/creator.ts';
export type {
  AccountEvent,
  AccountEventData,
  AccountEventName,
  AttemptEvent,
  AttemptEventName,
  BrandEvent,
  BrandEventData,
  BrandEventName,
  ConnectionMethod,
  EventEntry,
  EventName,
  OutboxEntry,
  OutboxJob,
  PlatformEvent,
  PlatformEventData,
  PlatformEventName,
  WebhookEvent,
  WebhookEventData,
} from '../../core/engagement/webhooks/outbox.ts';
export type { EventPattern, Subscription } from '../../core/engagement/webhooks/subscriber.ts';
export type {
  Delivery,
  DeliveryStatus,
  DeliveryTarget,
  DeliveryTry,
  PreviousSecret,
  Webhook,
} from '../../core/engagement/webhooks/webhook.ts';
export type { ChallengeAction, PlatformDescriptor, PostUrlForm } from '../../core/platforms/descriptor.ts';
export {
  EACH,
  HANDLE,
  type JsonStep,
  type OwnAccountEndpoint,
  type OwnershipRules,
  type ProfileEndpoint,
  type ProfileObject,
} from '../../core/platforms/ownership-rules.ts';
export type { PlatformAdapter, PlatformContext } from '../../core/platforms/platform-adapter.ts';
export type { PlatformName } from '../../core/platforms/platform-name.ts';
export type { Platforms } from '../../core/platforms/platforms.ts';
export type { PostRef, ShortLink } from '../../core/platforms/post-url.ts';
export type { PlatformRegistry } from '../../core/platforms/registry.ts';
export type { PlatformSourceAdapter } from '../../core/platforms/with-sources.ts';
export type * from '../../core/ports/adapter-values.ts';
export type * from '../../core/ports/attempt-store.ts';
export type * from '../../core/ports/audit-store.ts';
export type * from '../../core/ports/brand-connection-store.ts';
export type * from '../../core/ports/brand-store.ts';
export type * from '../../core/ports/campaign-store.ts';
export type * from '../../core/ports/canary-store.ts';
export type * from '../../core/ports/certificate-checker.ts';
export type { Clock } from '../../core/ports/clock.ts';
export { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
export type * from '../../core/ports/connection-store.ts';
export type * from '../../core/ports/content-decoder.ts';
export type * from '../../core/ports/creator-store.ts';
export { type CheckedAddress, type EgressGuard, type EgressRefusal, EgressRefused } from '../../core/ports/egress.ts';
export type * from '../../core/ports/idempotency-store.ts';
export {
  type JobContext,
  type JobFailure,
  type JobHandler,
  type JobHandlers,
  type JobPayloads,
  type JobQueue,
  type JobQueueStats,
  type JobRun,
  type JobType,
  type NewJob,
  RescheduleError,
} from '../../core/ports/job-queue.ts';
export type * from '../../core/ports/job-store.ts';
export type * from '../../core/ports/liker-store.ts';
export type * from '../../core/ports/lock-store.ts';
export type { Logger } from '../../core/ports/logger.ts';
export type * from '../../core/ports/metrics-store.ts';
export type * from '../../core/ports/notary.ts';
export type * from '../../core/ports/outbox-store.ts';
export type { Page, PageRequest, Position } from '../../core/ports/paging.ts';
export type * from '../../core/ports/platform.ts';
export { HIDDEN_VALUE, type QueryEvaluator, type QueryResult } from '../../core/ports/query-evaluator.ts';
export type { RandomSource } from '../../core/ports/random-source.ts';
export type * from '../../core/ports/rate-limiter.ts';
export type * from '../../core/ports/retention-store.ts';
export type * from '../../core/ports/secret-box.ts';
export type * from '../../core/ports/signature-verifier.ts';
export type * from '../../core/ports/storage.ts';
export type * from '../../core/ports/subscriber-store.ts';
export type * from '../../core/ports/telemetry.ts';
export type * from '../../core/ports/token-store.ts';
export type * from '../../core/ports/usage-store.ts';
export type * from '../../core/ports/webhook-store.ts';
export type * from '../../core/ports/webhook-transport.ts';
export type * from '../../core/ports/zk-prover.ts';
export type { NotarizeRequest } from '../../core/web-proof/prove-request.ts';
export type { SignatureScheme } from '../../core/web-proof/tlsnotary/signature-schemes.ts';
export type { TrustedNotaries, TrustedNotary } from '../../core/web-proof/trusted-notaries.ts';
export type { VerifiedWebProof, VerifyWebProof, WebProof } from '../../core/web-proof/verify.ts';
