/** What SQLite and PostgreSQL share: the tables, and every store over them. */
import type { CopyableStorage } from '../../core/ports/record-store.ts';
import type { Watch } from '../../core/ports/storage.ts';
import { createAttemptStore } from './attempt-store.ts';
import { createAuditStore } from './audit-store.ts';
import { createBrandConnectionStore } from './brand-connection-store.ts';
import { createBrandStore } from './brand-store.ts';
import { createCampaignStore } from './campaign-store.ts';
import { createCanaryStore } from './canary-store.ts';
import { createCommentStore } from './comment-store.ts';
import { createConnectionStore } from './connection-store.ts';
import { createCreatorStore } from './creator-store.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createDrawStore } from './draw-store.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { createJobStore } from './job-store.ts';
import { createLikerStore } from './liker-store.ts';
import { createLockStore } from './lock-store.ts';
import { createMetricsStore } from './metrics-store.ts';
import { createOutboxStore } from './outbox.ts';
import { createPlaceStore } from './place-store.ts';
import { finishPurges } from './purges.ts';
import { createRecordStore } from './record-store.ts';
import { createRetentionStore } from './retention-store.ts';
import { createSubscriberStore } from './subscriber-store.ts';
import { createTokenStore } from './token-store.ts';
import { createUsageStore } from './usage-store.ts';
import { createWebhookStore } from './webhook-store.ts';
import type { SqlConnection } from './work.ts';

export { additions } from './additions.ts';
export { SCHEMA, SCHEMA_VERSION } from './schema.ts';
export * as tables from './tables.ts';
export { Among, type Cell, type Sql, type SqlConnection, type Value, type Work } from './work.ts';

/** A database that is opened and closed, and says whether it answers. */
export interface SqlDatabase extends SqlConnection {
  /** Connects, and makes the tables and indexes that are missing. */
  open(): Promise<void>;
  /** The statements that `open` would run to make tables or indexes. */
  missing(): Promise<readonly string[]>;
  /** See `Storage`. */
  readonly watch?: Watch;
  /** @throws PortError if it does not answer */
  check(): Promise<void>;
  /** What is under way ends first. */
  close(): Promise<void>;
}

/** A `Storage` over a database with the tables of `SCHEMA`. */
export function createSqlStorage(connection: SqlDatabase): CopyableStorage {
  return {
    creators: createCreatorStore(connection),
    brands: createBrandStore(connection),
    brandConnections: createBrandConnectionStore(connection),
    campaigns: createCampaignStore(connection),
    draws: createDrawStore(connection),
    attempts: createAttemptStore(connection),
    outbox: createOutboxStore(connection),
    places: createPlaceStore(connection),
    comments: createCommentStore(connection),
    metrics: createMetricsStore(connection),
    likers: createLikerStore(connection),
    webhooks: createWebhookStore(connection),
    deliveries: createDeliveryStore(connection),
    subscribers: createSubscriberStore(connection),
    jobs: createJobStore(connection),
    tokens: createTokenStore(connection),
    usage: createUsageStore(connection),
    connections: createConnectionStore(connection),
    locks: createLockStore(connection),
    idempotency: createIdempotencyStore(connection),
    canaries: createCanaryStore(connection),
    audit: createAuditStore(connection),
    retention: createRetentionStore(connection),
    records: createRecordStore(connection),
    async open() {
      await connection.open();
      await finishPurges(connection);
    },
    missing: () => connection.missing(),
    ...(connection.watch && { watch: connection.watch }),
    ping: () => connection.check(),
    close: () => connection.close(),
  };
}
