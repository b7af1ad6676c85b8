import { afterEach, beforeEach } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { Storage } from '../../core/ports/storage.ts';

/** A storage in memory that is empty when a test of the block begins. */
export function storageOfEachTest(): Storage {
  const storage = createSqliteStorage({ path: ':memory:' });
  beforeEach(() => storage.open());
  afterEach(() => storage.close());
  return storage;
}
