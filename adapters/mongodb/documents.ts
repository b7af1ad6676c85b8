/**
 * What is in which collection. Objects whose keys callers choose (`metadata`, `profileData`, payloads of jobs) are JSON
 * text. Their keys may hold dots, dollars, NULs or `__proto__`, which documents cannot or should not hold.
 */

import type { Collection, Db } from 'mongodb';
import type { AuditEntry } from '../../core/access/audit.ts';
import type { ApiToken } from '../../core/access/token.ts';
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { Campaign, Challenge } from '../../core/engagement/campaigns/campaign.ts';
import type {
  LikersFetch,
  MetricsSnapshot,
  StoredComment,
  StoredLiker,
  SweepProgress,
} from '../../core/engagement/challenge-data/comment.ts';
import type { ConnectionRequest } from '../../core/engagement/connections/connection.ts';
import type { Creator, ProfileData, SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { EventEntry, OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { Subscription } from '../../core/engagement/webhooks/subscriber.ts';
import type { Delivery, Webhook } from '../../core/engagement/webhooks/webhook.ts';
import type { JobType } from '../../core/ports/job-queue.ts';
import type { UsageCounts } from '../../core/ports/usage-store.ts';
import { fromJson } from './values.ts';

/** A domain object with its integer id as `_id`. */
export type Stored<T extends { readonly id: number }> = Omit<T, 'id'> & { _id: number };

export interface AccountDocument extends Omit<Stored<SocialAccount>, 'profileData'> {
  profileData: string;
  /** The link whose proof moves to this one, while it does; see `link-accounts.ts`. */
  follows?: { readonly link: number; readonly since: Date };
  /** Committed with the proof, in this very document. */
  outbox: EventEntry[];
  /** Since when the outbox holds something; absent while it is empty. */
  outboxAt?: Date;
}

/** Guards the deletion of a campaign against the creation of attempts; see `attempt-gate.ts`. */
export interface AttemptGate {
  nonce: string;
  at: Date;
  settled: boolean;
}

export interface CampaignDocument extends Stored<Campaign> {
  challenge: Omit<Challenge, 'campaignId'>;
  gate?: AttemptGate;
  /** See `CampaignStore.fixPoints`. */
  pointsFixed: boolean;
}

export interface BrandDocument extends Stored<Brand> {
  /** A deletion that is under way; see `delete-brand.ts`. */
  deletion?: { nonce: string; at: Date };
}

export interface AttemptDocument extends Omit<Stored<Attempt>, 'metadata'> {
  metadata: string;
  /** Committed with the state, in this very document. */
  outbox: OutboxEntry[];
  /** Since when the outbox holds something; absent while it is empty. */
  outboxAt?: Date;
}

export interface CommentDocument extends Stored<StoredComment> {
  /** The author's normalised handle. */
  author: string;
  /** When a sweep last met it again, after the one that stored it. */
  metAt?: Date | null;
}

export interface LikerDocument extends Stored<StoredLiker> {
  handle: string;
  /** Another call than the one that inserted it found it as well. */
  shared?: true;
}

export interface JobDocument {
  _id: number;
  type: JobType;
  key: string;
  /** Unique: `live:<key>` while queued or running, `dead:<id>` after. */
  slot: string;
  payload: string;
  status: 'queued' | 'running' | 'dead';
  runAt: Date;
  /** When the job becomes claimable: `runAt` while queued, the end of the lease while running. */
  dueAt: Date;
  run: number;
  /** Counts claims; the fence. */
  lease: number;
  /** Names the last claim, which may be one of many jobs. */
  claim?: string;
  error: string | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export interface DeliveryDocument extends Stored<Delivery> {
  /** Counts claims; the fence. */
  lease: number;
  /** The claim that it was part of last. */
  claim?: string;
  replayedAt?: Date;
}

export interface TokenDocument extends Stored<ApiToken> {
  /** Revocations by this token that are under way: until then it cannot be revoked itself. */
  revoking?: { readonly id: string; readonly until: Date }[];
}

export interface UsageDocument {
  _id: string;
  callerKey: string;
  period: string;
  counts: UsageCounts;
}

export interface IdempotencyDocument {
  _id: string;
  fingerprint: string;
  lease: string;
  leaseUntil: Date;
  expiresAt: Date;
  /** Null while the first request runs. */
  answer: string | null;
}

export interface CanaryDocument extends Omit<CanaryRecord, 'target'> {
  _id: string;
  outbox: EventEntry[];
  /** Since when the outbox holds something; absent while it is empty. */
  outboxAt?: Date;
}

/** The states are JSON text. */
export type AuditDocument = Omit<Stored<AuditEntry>, 'before' | 'after'> & {
  before: string | null;
  after: string | null;
};

export type PurgeKind = 'challenge' | 'webhook';

export interface PurgeDocument {
  _id: string;
  kind: PurgeKind;
  target: number;
  at: Date;
}

export interface CounterDocument {
  _id: string;
  value: number;
}

export interface Documents {
  creators: Stored<Creator>;
  socialAccounts: AccountDocument;
  brands: BrandDocument;
  campaigns: CampaignDocument;
  attempts: AttemptDocument;
  comments: CommentDocument;
  sweeps: Omit<SweepProgress, 'challengeId'> & { _id: number };
  metrics: MetricsSnapshot & { _id: number };
  likersFetches: Stored<LikersFetch>;
  likers: LikerDocument;
  webhooks: Stored<Webhook>;
  deliveries: DeliveryDocument;
  /** `<subscriber>:<event>`. */
  subscriptions: Subscription & { _id: string };
  jobs: JobDocument;
  tokens: TokenDocument;
  usage: UsageDocument;
  connectionRequests: Omit<ConnectionRequest, 'id'> & { _id: string };
  onceKeys: { _id: string; expiresAt: Date; holder?: string | null };
  idempotencyKeys: IdempotencyDocument;
  auditLog: AuditDocument;
  canaries: CanaryDocument;
  purges: PurgeDocument;
  counters: CounterDocument;
}

export type CollectionName = keyof Documents;

export function collection<Name extends CollectionName>(db: Db, name: Name): Collection<Documents[Name]> {
  return db.collection<Documents[Name]>(name);
}

export function toAccount({ outbox, outboxAt, follows, profileData, ...account }: AccountDocument): SocialAccount {
  return { ...withId(account), profileData: fromJson<ProfileData>(profileData) };
}

/** A document as the domain sees it: `_id` becomes `id`. */
export function withId<D extends { _id: number }>({ _id, ...rest }: D): Omit<D, '_id'> & { readonly id: number } {
  return { id: _id, ...rest };
}
