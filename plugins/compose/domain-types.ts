/** The types of stored things and requests that the ports speak of. For those who implement a port. */

export type { AuditAction, AuditConclusion, AuditEntry, AuditOutcome } from '../../core/access/audit.ts';
export type { ApiToken, TokenQuota } from '../../core/access/token.ts';
export type { UsagePeriod } from '../../core/access/usage.ts';
export type { CanaryFailure, CanaryOutboxEntry, CanaryRecord, CanaryVerdict } from '../../core/canaries/canary.ts';
export type { Canaries } from '../../core/canaries/index.ts';
export type * from '../../core/engagement/attempts/attempt.ts';
export type { AttemptState } from '../../core/engagement/attempts/states.ts';
export type { Brand } from '../../core/engagement/brands/brand.ts';
export type { Campaign, CampaignWithChallenge, Challenge } from '../../core/engagement/campaigns/campaign.ts';
export type * from '../../core/engagement/challenge-data/comment.ts';
export type { SweepOptions, SweepResult } from '../../core/engagement/challenge-data/sweep-comments.ts';
export type { ConnectionRequest, ConnectionStatus } from '../../core/engagement/connections/connection.ts';
export type * from '../../core/engagement/creators/creator.ts';
export type {
  AccountEvent,
  AccountEventData,
  AccountEventName,
  AttemptEvent,
  AttemptEventName,
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
export type { SubscriberDelivery, Subscription } from '../../core/engagement/webhooks/subscriber.ts';
export type * from '../../core/engagement/webhooks/webhook.ts';
export type { CatalogueEntry, DomainErrorOptions, ErrorKind } from '../../core/errors.ts';
export type { OpenedAttestation } from '../../core/web-proof/attested-values/attestation.ts';
export type { RequestFacts } from '../../core/web-proof/attested-values/commitments.ts';
export type { Attester } from '../../core/web-proof/attested-values/program.ts';
export type { JournalValue } from '../../core/web-proof/extraction/journal-value.ts';
export type { NotarizeRequest } from '../../core/web-proof/prove-request.ts';
export type { CertificateOpening } from '../../core/web-proof/tlsnotary/presentation.ts';
export type { SignatureScheme } from '../../core/web-proof/tlsnotary/signature-schemes.ts';
export type { TrustedNotaries, TrustedNotary } from '../../core/web-proof/trusted-notaries.ts';
export type {
  HoldMemory,
  VerifiedMessageBody,
  VerifiedWebProof,
  VerifyCall,
  WebProof,
} from '../../core/web-proof/verify.ts';
export type * from '../http/message.ts';
export type {
  Access,
  Dialect,
  HttpMethod,
  LimitUse,
  Reply,
  ResponseDoc,
  RouteInput,
  UnreadRequest,
} from '../http/route.ts';
export type { AdminTokenResult } from './admin-token.ts';
