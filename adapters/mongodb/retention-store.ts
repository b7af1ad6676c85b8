/**
 * Purges by age, a window of documents at a time. Ids grow with time, so the oldest documents come first, and collections with
 * frequent writes need no index by time.
 */
import type { Filter } from 'mongodb';
import type { PurgeStep, RetainedKind, RetentionStore } from '../../core/ports/retention-store.ts';
import type { CollectionName } from './documents.ts';
import type { Database } from './items.ts';
import { resumeFollowed } from './link-accounts.ts';
import { purgeLeftovers } from './purges.ts';
import { instant, integer } from './values.ts';

const WINDOW = 500;

/** What is read of a document: when it was made or taken, and what tells whether it may go. */
interface Aged {
  readonly _id: number;
  readonly createdAt: Date;
  readonly fetchedAt: Date;
  readonly requestedAt: Date;
  readonly challengeId: number;
  readonly status: string;
}

interface Window {
  /** Those of the window that are old enough. */
  readonly old: readonly Aged[];
  /** Where the next window begins; null when this was the last one, or nothing in it was old enough. */
  readonly next: number | null;
}

async function windowFrom(
  db: Database,
  name: CollectionName,
  time: 'createdAt' | 'fetchedAt' | 'requestedAt',
  before: Date,
  from: number,
): Promise<Window> {
  const options = { projection: { [time]: 1, challengeId: 1, status: 1 }, sort: { _id: 1 }, limit: WINDOW } as const;
  const found = await db
    .collection<Aged>(name)
    .find({ _id: { $gt: integer(from) } }, options)
    .toArray();
  const old = found.filter((document) => document[time] < before);
  return { old, next: old.length > 0 && found.length === WINDOW ? (found.at(-1)?._id ?? null) : null };
}

const among = (documents: readonly Aged[]) => ({ _id: { $in: documents.map(({ _id }) => _id) } });

/** Removes the old ones that may go. */
async function purgeAged(
  db: Database,
  name: 'deliveries' | 'jobs',
  mayGo: Filter<Aged>,
  before: Date,
  from: number,
): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, name, 'createdAt', before, from);
  const { deletedCount } = await db.collection<Aged>(name).deleteMany({ ...among(old), ...mayGo });
  return { removed: deletedCount, next };
}

async function purgeMetrics(db: Database, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, 'metrics', 'fetchedAt', before, from);
  const latestOf = (challengeId: number) =>
    db.metrics.raw.findOne({ challengeId }, { sort: { fetchedAt: -1, _id: -1 }, projection: { _id: 1 } });
  const latest = await Promise.all([...new Set(old.map(({ challengeId }) => challengeId))].map(latestOf));
  const gone = old.filter(({ _id }) => !latest.some((kept) => kept?._id === _id));
  return { removed: await db.metrics.deleteAll(among(gone)), next };
}

/** One fetch at a time, since it may have thousands of likers: the fetch itself goes after the last of them. */
async function purgeLikers(db: Database, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, 'likersFetches', 'requestedAt', before, from);
  for (const { _id, challengeId, requestedAt, status } of old) {
    const newer: Filter<Aged> = {
      challengeId,
      $or: [{ requestedAt: { $gt: requestedAt } }, { requestedAt, _id: { $gt: _id } }],
      ...(status === 'succeeded' ? { status } : {}),
    };
    if ((await db.collection<Aged>('likersFetches').findOne(newer)) === null) continue;
    const found = await db.likers.ids({ fetchId: _id }, { limit: WINDOW });
    const removed = await db.likers.deleteAll({ _id: { $in: found } });
    if (found.length === WINDOW) return { removed, next: from };
    const isRemoved = await db.likersFetches.delete({ _id });
    return { removed: removed + Number(isRemoved), next: from };
  }
  return { removed: 0, next };
}

interface Expiring {
  readonly _id: string | number;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly status: string;
  readonly period: string;
}

/** What an index by age finds: every step begins again. */
async function purgeIndexed(db: Database, name: CollectionName, filter: Filter<Expiring>): Promise<PurgeStep> {
  const target = db.collection<Expiring>(name);
  const found = await target.find(filter, { projection: { _id: 1 }, limit: WINDOW }).toArray();
  const { deletedCount } = await target.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return { removed: deletedCount, next: found.length === WINDOW ? 0 : null };
}

/** Those to webhooks stay while they are pending; a subscriber may never come back. */
const DELIVERIES = { $or: [{ status: { $ne: 'pending' } }, { target: { $type: 'string' } }] };

const STEPS: Readonly<Record<RetainedKind, (db: Database, before: Date, from: number) => Promise<PurgeStep>>> = {
  deliveries: (db, before, from) => purgeAged(db, 'deliveries', DELIVERIES, before, from),
  jobs: (db, before, from) => purgeAged(db, 'jobs', { status: 'dead' }, before, from),
  metrics: purgeMetrics,
  likers: purgeLikers,
  connections: (db, before) => purgeIndexed(db, 'connectionRequests', { expiresAt: { $lt: before } }),
  unconnected: (db, before) =>
    purgeIndexed(db, 'connectionRequests', { status: { $in: ['pending', 'failed'] }, expiresAt: { $lt: before } }),
  usage: (db, before) => purgeIndexed(db, 'usage', { period: { $lt: before.toISOString().slice(0, 7) } }),
  idempotency: (db, before) => purgeIndexed(db, 'idempotencyKeys', { expiresAt: { $lt: before } }),
  audit: (db, before) => purgeIndexed(db, 'auditLog', { at: { $lt: before } }),
  async leftovers(db, _, from) {
    if (from === 0) await resumeFollowed(db);
    return purgeLeftovers(db, integer(from));
  },
};

export function createRetentionStore(db: Database): RetentionStore {
  return {
    purge: (kind, before, from) => STEPS[kind](db, instant(before), from),
  };
}
