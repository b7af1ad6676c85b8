/**
 * Purges by age, a window of documents at a time. Ids grow with time, so the oldest documents come first, and collections with
 * frequent writes need no index by time.
 */
import type { Db, Filter } from 'mongodb';
import type { PurgeStep, RetainedKind, RetentionStore } from '../../core/ports/retention-store.ts';
import type { Connection } from './database.ts';
import { type CollectionName, collection } from './documents.ts';
import { resumeFollowed } from './link-accounts.ts';
import { purgeLeftovers } from './purges.ts';
import { instant, integer } from './values.ts';

const WINDOW = 500;
const DONE: PurgeStep = { removed: 0, next: null };

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
  db: Db,
  name: CollectionName,
  time: 'createdAt' | 'fetchedAt' | 'requestedAt',
  before: Date,
  from: number,
): Promise<Window> {
  const projection = { [time]: 1, challengeId: 1, status: 1 };
  const behind = { _id: { $gt: integer(from) } };
  const found = await db.collection<Aged>(name).find(behind, { projection }).sort({ _id: 1 }).limit(WINDOW).toArray();
  const old = found.filter((document) => document[time] < before);
  return { old, next: old.length > 0 && found.length === WINDOW ? (found.at(-1)?._id ?? null) : null };
}

const idsOf = (documents: readonly { readonly _id: number }[]) => documents.map(({ _id }) => _id);

/** Removes the old ones that may go. */
async function purgeAged(
  db: Db,
  name: CollectionName,
  mayGo: Filter<Aged>,
  before: Date,
  from: number,
): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, name, 'createdAt', before, from);
  if (old.length === 0) return DONE;
  const { deletedCount } = await db.collection<Aged>(name).deleteMany({ _id: { $in: idsOf(old) }, ...mayGo });
  return { removed: deletedCount, next };
}

async function purgeMetrics(db: Db, before: Date, from: number): Promise<PurgeStep> {
  const metrics = collection(db, 'metrics');
  const { old, next } = await windowFrom(db, 'metrics', 'fetchedAt', before, from);
  if (old.length === 0) return DONE;
  const latest = await Promise.all(
    [...new Set(old.map(({ challengeId }) => challengeId))].map((challengeId) =>
      metrics.findOne({ challengeId }, { sort: { fetchedAt: -1, _id: -1 }, projection: { _id: 1 } }),
    ),
  );
  const kept = new Set(latest.map((snapshot) => snapshot?._id));
  const gone = idsOf(old).filter((id) => !kept.has(id));
  return { removed: (await metrics.deleteMany({ _id: { $in: gone } })).deletedCount, next };
}

/** One fetch at a time, since it may have thousands of likers: the fetch itself goes after the last of them. */
async function purgeLikers(db: Db, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, 'likersFetches', 'requestedAt', before, from);
  for (const fetch of old) {
    if (!(await isSuperseded(db, fetch))) continue;
    const likers = collection(db, 'likers');
    const found = await likers
      .find({ fetchId: fetch._id })
      .limit(WINDOW)
      .project<{ _id: number }>({ _id: 1 })
      .toArray();
    const { deletedCount } = await likers.deleteMany({ _id: { $in: idsOf(found) } });
    if (found.length === WINDOW) return { removed: deletedCount, next: from };
    const { deletedCount: fetches } = await collection(db, 'likersFetches').deleteOne({ _id: fetch._id });
    return { removed: deletedCount + fetches, next: from };
  }
  return { removed: 0, next };
}

async function isSuperseded(db: Db, { _id, challengeId, requestedAt, status }: Aged): Promise<boolean> {
  const newer: Filter<Aged> = {
    challengeId,
    $or: [{ requestedAt: { $gt: requestedAt } }, { requestedAt, _id: { $gt: _id } }],
    ...(status === 'succeeded' ? { status } : {}),
  };
  const found = await db.collection<Aged>('likersFetches').findOne(newer, { projection: { _id: 1 } });
  return found !== null;
}

interface Expiring {
  readonly _id: string | number;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly status: string;
  readonly period: string;
}

/** What an index by age finds: every step begins again. */
async function purgeIndexed(db: Db, name: CollectionName, filter: Filter<Expiring>): Promise<PurgeStep> {
  const target = db.collection<Expiring>(name);
  const found = await target
    .find(filter, { projection: { _id: 1 } })
    .limit(WINDOW)
    .toArray();
  if (found.length === 0) return DONE;
  const { deletedCount } = await target.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return { removed: deletedCount, next: found.length === WINDOW ? 0 : null };
}

/** Those to webhooks stay while they are pending; a subscriber may never come back. */
const DELIVERIES = { $or: [{ status: { $ne: 'pending' } }, { target: { $type: 'string' } }] };

const STEPS: Readonly<Record<RetainedKind, (db: Db, before: Date, from: number) => Promise<PurgeStep>>> = {
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

export function createRetentionStore(connection: Connection): RetentionStore {
  return {
    purge: (kind, before, from) => connection.run((db) => STEPS[kind](db, instant(before), from)),
  };
}
