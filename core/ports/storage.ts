/**
 * Everything Credence keeps. Three adapters stand behind one contract suite: SQLite, PostgreSQL and MongoDB.
 *
 * General rules: ids are positive integers counted per collection. Every method is atomic on its own, unless it says what
 * one that fails may leave. A method that says "exactly one caller" holds between processes too. Methods throw only what
 * their doc names, and an error of kind `upstream` (`SERVICE_UNAVAILABLE`) when the storage cannot be reached. Strings are
 * data: never operators, never SQL.
 */
import { DomainError } from '../errors.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { AuditStore } from './audit-store.ts';
import type { BrandConnectionStore } from './brand-connection-store.ts';
import type { BrandStore } from './brand-store.ts';
import type { CampaignStore } from './campaign-store.ts';
import type { CanaryStore } from './canary-store.ts';
import type { CommentStore } from './comment-store.ts';
import type { ConnectionStore } from './connection-store.ts';
import type { CreatorStore } from './creator-store.ts';
import type { DrawStore } from './draw-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { JobStore } from './job-store.ts';
import type { LikerStore } from './liker-store.ts';
import type { LockStore } from './lock-store.ts';
import type { MetricsStore } from './metrics-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { PlaceStore } from './place-store.ts';
import type { RetentionStore } from './retention-store.ts';
import type { SubscriberStore } from './subscriber-store.ts';
import type { TokenStore } from './token-store.ts';
import type { UsageStore } from './usage-store.ts';
import type { DeliveryStore, WebhookStore } from './webhook-store.ts';

export type { Page, PageRequest } from './paging.ts';

/** The stores that a use case needs. */
export interface Stores<Name extends keyof Storage> {
  readonly storage: Pick<Storage, Name>;
}

/** For calls before `open()` and after `close()`. */
export function storageNotOpen(name: string): DomainError {
  return new DomainError(
    'SERVICE_UNAVAILABLE',
    `The ${name} storage is not open: call \`start()\` of the Credence instance first. One that was stopped cannot be used again.`,
  );
}

/** Calls `wake` with what another process has stored, and `deaf` with why it cannot for now. */
export type Watch = (wake: (work: readonly string[]) => void, deaf: (error: unknown) => void) => void;

/** The stores of one storage, and its lifetime. */
export interface Storage {
  readonly creators: CreatorStore;
  readonly brands: BrandStore;
  readonly brandConnections: BrandConnectionStore;
  readonly campaigns: CampaignStore;
  readonly draws: DrawStore;
  readonly attempts: AttemptStore;
  readonly outbox: OutboxStore;
  readonly places: PlaceStore;
  readonly comments: CommentStore;
  readonly metrics: MetricsStore;
  readonly likers: LikerStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly subscribers: SubscriberStore;
  readonly jobs: JobStore;
  readonly tokens: TokenStore;
  readonly usage: UsageStore;
  readonly connections: ConnectionStore;
  readonly locks: LockStore;
  readonly idempotency: IdempotencyStore;
  readonly canaries: CanaryStore;
  readonly audit: AuditStore;
  readonly retention: RetentionStore;
  /** Connects, migrates, creates and checks indexes. Idempotent; safe when several processes start at once. */
  open(): Promise<void>;
  /** Rejects when the storage cannot answer; for readiness. */
  ping(): Promise<void>;
  /**
   * Tells of types of jobs and of `deliveries`, until `close()`. Absent where a storage cannot: polling finds all work in any case.
   */
  readonly watch?: Watch;
  /** Closes every handle; idempotent. */
  close(): Promise<void>;
}
