/**
 * Purges by age, a window of documents at a time. Ids grow with time, so the oldest documents come first, and collections with
 * frequent writes need no index by time.
 */
import type { Collection, Db, Filter } from 'mongodb';
import type { PurgeStep, RetainedKind, RetentionStore } from '../../core/ports/retention-store.ts';
import type { Connection } from './database.ts';
import { type CollectionName, collection, type Documents } from './documents.ts';
import { resumeFollowed } from './link-accounts.ts';
import { purgeLeftovers } from './purges.ts';
import { instant, integer } from './values.ts';

const WINDOW = 500;
const DONE: PurgeStep = { removed: 0, next: null };

interface Window<D> {
  /** Those of the window that are old enough. */
  readonly old: readonly D[];
  /** Where the next window begins; null when this was the last one, or nothing in it was old enough. */
  readonly next: number | null;
}

type Numbered = { [N in CollectionName]: Documents[N] extends { _id: number } ? N : never }[CollectionName];

async function windowFrom<N extends Numbered>(
  db: Db,
  name: N,
  fields: { readonly time: keyof Documents[N] & string; readonly others?: readonly (keyof Documents[N] & string)[] },
  before: Date,
  from: number,
): Promise<Window<Documents[N]>> {
  const { time, others = [] } = fields;
  // Sound: these collections have numbers for ids, and only what is projected is read.
  const source = collection(db, name) as unknown as Collection<{ _id: number }>;
  const found = await source
    .find({ _id: { $gt: integer(from) } }, { projection: Object.fromEntries([time, ...others].map((key) => [key, 1])) })
    .sort({ _id: 1 })
    .limit(WINDOW)
    .toArray();
  const documents = found as unknown as Documents[N][];
  const old = documents.filter((document) => (document[time] as Date) < before);
  const last = found.at(-1)?._id;
  return { old, next: old.length > 0 && found.length === WINDOW && last !== undefined ? last : null };
}

const idsOf = (documents: readonly { readonly _id: number }[]) => documents.map(({ _id }) => _id);

async function purgeDeliveries(db: Db, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, 'deliveries', { time: 'createdAt' }, before, from);
  if (old.length === 0) return DONE;
  const over: Filter<Documents['deliveries']> = {
    _id: { $in: idsOf(old) },
    $or: [{ status: { $ne: 'pending' } }, { target: { $type: 'string' } }],
  };
  return { removed: (await collection(db, 'deliveries').deleteMany(over)).deletedCount, next };
}

async function purgeJobs(db: Db, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(db, 'jobs', { time: 'createdAt' }, before, from);
  if (old.length === 0) return DONE;
  const dead = { _id: { $in: idsOf(old) }, status: 'dead' as const };
  return { removed: (await collection(db, 'jobs').deleteMany(dead)).deletedCount, next };
}

async function purgeMetrics(db: Db, before: Date, from: number): Promise<PurgeStep> {
  const metrics = collection(db, 'metrics');
  const { old, next } = await windowFrom(db, 'metrics', { time: 'fetchedAt', others: ['challengeId'] }, before, from);
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
  const fields = { time: 'requestedAt', others: ['challengeId', 'status'] } as const;
  const { old, next } = await windowFrom(db, 'likersFetches', fields, before, from);
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

async function isSuperseded(db: Db, fetch: Documents['likersFetches']): Promise<boolean> {
  const { _id, challengeId, requestedAt, status } = fetch;
  const newer: Filter<Documents['likersFetches']> = {
    challengeId,
    $or: [{ requestedAt: { $gt: requestedAt } }, { requestedAt, _id: { $gt: _id } }],
    ...(status === 'succeeded' ? { status } : {}),
  };
  return (await collection(db, 'likersFetches').findOne(newer, { projection: { _id: 1 } })) !== null;
}

interface Expiring {
  readonly _id: string | number;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly status: string;
  readonly period: string;
}

/** What an index by age finds: every step begins again. */
async function purgeIndexed<N extends 'auditLog' | 'connectionRequests' | 'idempotencyKeys' | 'usage'>(
  db: Db,
  name: N,
  filter: Filter<Expiring>,
): Promise<PurgeStep> {
  const target = db.collection<Expiring>(name);
  const found = await target
    .find(filter, { projection: { _id: 1 } })
    .limit(WINDOW)
    .toArray();
  if (found.length === 0) return DONE;
  const { deletedCount } = await target.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return { removed: deletedCount, next: found.length === WINDOW ? 0 : null };
}

const STEPS: Readonly<Record<RetainedKind, (db: Db, before: Date, from: number) => Promise<PurgeStep>>> = {
  deliveries: purgeDeliveries,
  jobs: purgeJobs,
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
