import type { RecordKind } from './world.ts';

/** Of SQLite and PostgreSQL. */
export const TABLES: Readonly<Record<RecordKind, string>> = {
  creators: 'creators',
  accounts: 'social_accounts',
  brands: 'brands',
  campaigns: 'campaigns',
  challenges: 'challenges',
  attempts: 'attempts',
  outbox: 'outbox',
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
