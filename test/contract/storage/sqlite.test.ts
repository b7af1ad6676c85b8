import Database from 'better-sqlite3';
import { createTestStorage } from '../../support/storage.ts';
import { sqliteExtra } from './sqlite-extra.ts';
import { storageContract } from './suite.ts';
import type { RecordKind, StorageWorld } from './world.ts';

const TABLES: Readonly<Record<RecordKind, string>> = {
  creators: 'creators',
  accounts: 'social_accounts',
  brands: 'brands',
  campaigns: 'campaigns',
  challenges: 'challenges',
  attempts: 'attempts',
  outbox: 'attempt_outbox',
  comments: 'comments',
  sweeps: 'sweeps',
  metrics: 'metrics',
  fetches: 'likers_fetches',
  likers: 'likers',
  webhooks: 'webhooks',
  deliveries: 'deliveries',
  jobs: 'jobs',
  tokens: 'tokens',
};

async function createWorld(): Promise<StorageWorld> {
  const made = await createTestStorage('sqlite');
  const path = made.url.slice('sqlite:'.length);
  return {
    async open() {
      const storage = made.create();
      await storage.open();
      return storage;
    },
    async count(kind) {
      const db = new Database(path, { readonly: true });
      try {
        return Number(db.prepare(`SELECT count(*) FROM ${TABLES[kind]}`).pluck().get());
      } finally {
        db.close();
      }
    },
    close: () => made.close(),
  };
}

storageContract({ name: 'SQLite', create: createWorld, extra: sqliteExtra });
