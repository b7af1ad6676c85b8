/**
 * The shared storage: one MongoDB database for any number of processes. It uses neither transactions nor change streams. So it
 * runs on a standalone server, a replica set, compatible services, and a sharded cluster whose collections are not sharded.
 * Unique indexes, compare-and-set on one document and bulk upserts keep every promise of the port.
 */
import { checkOptions } from '../../core/configuration-error.ts';
import type { CopyableStorage } from '../../core/ports/record-store.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createAttemptStore } from './attempt-store.ts';
import { createAuditStore } from './audit-store.ts';
import { createBrandConnectionStore } from './brand-connection-store.ts';
import { createBrandStore } from './brand-store.ts';
import { createCampaignStore } from './campaign-store.ts';
import { createCanaryStore } from './canary-store.ts';
import { createCommentStore } from './comment-store.ts';
import { createConnectionStore } from './connection-store.ts';
import { createCreatorStore } from './creator-store.ts';
import { createConnection, inPortErrors, withPortErrors } from './database.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createDrawStore } from './draw-store.ts';
import { createIdempotencyStore } from './idempotency-store.ts';
import { createJobStore } from './job-store.ts';
import { createLikerStore } from './liker-store.ts';
import { resumeFollowed } from './link-accounts.ts';
import { createLockStore } from './lock-store.ts';
import { createMetricsStore } from './metrics-store.ts';
import { type MongoStorageOptions, mongoStorageOptions } from './options.ts';
import { createOutboxStore } from './outbox.ts';
import { createPlaceStore } from './place-store.ts';
import { resumePurges } from './purges.ts';
import { createRecordStore } from './record-store.ts';
import { createRetentionStore } from './retention-store.ts';
import { createSubscriberStore } from './subscriber-store.ts';
import { createTokenStore } from './token-store.ts';
import { createUsageStore } from './usage-store.ts';
import { createWebhookStore } from './webhook-store.ts';

export { type MongoDatabase, type MongoDatabases, type MongoStorageOptions, mongoStorageOptions } from './options.ts';

/**
 * A `Storage` over one MongoDB database. Nothing is touched before `open()`.
 *
 * Without transactions two things differ from "each method in one step". A bulk that fails midway leaves what it wrote,
 * and repeating it completes it. `CampaignStore.delete` answers `has-attempts` for up to a minute after the creation of an
 * attempt crashed halfway.
 *
 * @throws ZodError for invalid options. `open()` throws `SERVICE_UNAVAILABLE` when the server cannot be reached, or an
 * index is missing or different and cannot be made; the message names it.
 */
export function createMongoStorage(options: MongoStorageOptions): CopyableStorage {
  const connection = createConnection(mongoStorageOptions.parse(options));
  const { db } = connection;
  return {
    creators: withPortErrors(createCreatorStore(db)),
    brands: withPortErrors(createBrandStore(db)),
    brandConnections: withPortErrors(createBrandConnectionStore(db)),
    campaigns: withPortErrors(createCampaignStore(db)),
    draws: withPortErrors(createDrawStore(db)),
    attempts: withPortErrors(createAttemptStore(db)),
    outbox: withPortErrors(createOutboxStore(db)),
    places: withPortErrors(createPlaceStore(db)),
    comments: withPortErrors(createCommentStore(db)),
    metrics: withPortErrors(createMetricsStore(db)),
    likers: withPortErrors(createLikerStore(db)),
    webhooks: withPortErrors(createWebhookStore(db)),
    deliveries: withPortErrors(createDeliveryStore(db)),
    subscribers: withPortErrors(createSubscriberStore(db)),
    jobs: withPortErrors(createJobStore(db)),
    tokens: withPortErrors(createTokenStore(db)),
    usage: withPortErrors(createUsageStore(db)),
    connections: withPortErrors(createConnectionStore(db)),
    locks: withPortErrors(createLockStore(db)),
    idempotency: withPortErrors(createIdempotencyStore(db)),
    canaries: withPortErrors(createCanaryStore(db)),
    audit: withPortErrors(createAuditStore(db)),
    retention: withPortErrors(createRetentionStore(db)),
    records: withPortErrors(createRecordStore(db)),
    async open() {
      await connection.open();
      await inPortErrors(() => resumePurges(db));
      await inPortErrors(() => resumeFollowed(db));
    },
    missing: () => connection.missing(),
    ping: () => inPortErrors(async () => void (await db.command({ ping: 1 }))),
    close: () => connection.close(),
  };
}

/**
 * As `createMongoStorage`: `createCredence({ storage: mongodb({ url, maxPoolSize: 200 }) })`.
 * @throws ConfigurationError naming every unusable option
 */
export function mongodb(options: MongoStorageOptions): Storage {
  return createMongoStorage(checkOptions('mongodb', mongoStorageOptions, options));
}
