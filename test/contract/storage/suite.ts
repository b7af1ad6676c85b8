/**
 * The contract of every `Storage`: each method of each store, and each race that the ports promise something about. Two opened
 * storages act as two processes. Run it against an adapter: `storageContract({ name, create })`.
 */
import { describe } from 'vitest';
import { atomicWritesContract } from './atomic-writes.ts';
import { attemptStoreContract } from './attempts.ts';
import { auditStoreContract } from './audit.ts';
import { brandConnectionStoreContract } from './brand-connections.ts';
import { brandStoreContract } from './brands.ts';
import { campaignStoreContract } from './campaigns.ts';
import { canaryStoreContract } from './canaries.ts';
import { commentStoreContract } from './comments.ts';
import { connectionStoreContract } from './connections.ts';
import { creatorStoreContract } from './creators.ts';
import { drawStoreContract } from './draws.ts';
import { idempotencyStoreContract } from './idempotency.ts';
import { jobStoreContract } from './jobs.ts';
import { lifecycleContract } from './lifecycle.ts';
import { likerStoreContract } from './likers.ts';
import { lockStoreContract } from './locks.ts';
import { metricsStoreContract } from './metrics.ts';
import { outboxContract } from './outbox.ts';
import { pagingContract } from './paging.ts';
import { personalDataContract } from './personal-data.ts';
import { placeStoreContract } from './places.ts';
import { retentionStoreContract } from './retention.ts';
import { subscriberStoreContract } from './subscribers.ts';
import { tokenStoreContract } from './tokens.ts';
import { usageStoreContract } from './usage.ts';
import { webhookStoreContract } from './webhooks.ts';
import { type StorageContract, sharedWorld } from './world.ts';

export type { RecordKind, StorageContract, StorageWorld, WriteFault } from './world.ts';

/** Registers the tests that every `Storage` must pass, with vitest. */
export function storageContract({ name, create, extra }: StorageContract): void {
  describe(`storage contract: ${name}`, () => {
    lifecycleContract(create);
    describe('stores side by side', () => {
      // Each keeps to collections or records of its own: opening a database for each would take longer than their tests.
      const shared = sharedWorld(create);
      // First, as they look at all outboxes and all metrics.
      outboxContract(shared);
      metricsStoreContract(shared);
      creatorStoreContract(shared);
      campaignStoreContract(shared);
      drawStoreContract(shared);
      attemptStoreContract(shared);
      placeStoreContract(shared);
      commentStoreContract(shared);
      webhookStoreContract(shared);
      subscriberStoreContract(shared);
      jobStoreContract(shared);
      brandStoreContract(shared);
      brandConnectionStoreContract(shared);
      likerStoreContract(shared);
      tokenStoreContract(shared);
      usageStoreContract(shared);
      connectionStoreContract(shared);
      lockStoreContract(shared);
      idempotencyStoreContract(shared);
      canaryStoreContract(shared);
      auditStoreContract(shared);
    });
    personalDataContract(create);
    retentionStoreContract(create);
    pagingContract(create);
    atomicWritesContract(create);
    extra?.();
  });
}
