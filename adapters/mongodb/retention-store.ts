/**
 * Purges by age, a window of documents at a time. Ids grow with time, so the oldest documents come first, and collections with
 * frequent writes need no index by time.
 */
import type { Filter } from 'mongodb';
import type { PurgeStep, RetainedKind, RetentionStore } from '../../core/ports/retention-store.ts';
import type { Database, Items } from './items.ts';
import { resumeFollowed } from './link-accounts.ts';
import { purgeLeftovers } from './purges.ts';
import { instant, integer } from './values.ts';

const WINDOW = 500;

interface Window<D> {
  /** Those of the window that are old enough. */
  readonly old: readonly D[];
  /** Where the next window begins; null when this was the last one, or nothing in it was old enough. */
  readonly next: number | null;
}

async function windowFrom<D extends { _id: number }, Time extends keyof D & string>(
  { raw }: Items<D, object>,
  time: Time,
  before: Date,
  from: number,
): Promise<Window<D>> {
  const projection = { [time]: 1, challengeId: 1, status: 1 };
  const behind = { _id: { $gt: integer(from) } } as Filter<D>;
  const found = (await raw.find(behind, { projection, sort: { _id: 1 }, limit: WINDOW }).toArray()) as D[];
  const old = found.filter((document) => (document[time] as Date) < before);
  return { old, next: old.length > 0 && found.length === WINDOW ? (found.at(-1)?._id ?? null) : null };
}

const idsOf = (documents: readonly { readonly _id: number }[]) => ({ $in: documents.map(({ _id }) => _id) });

/** Removes the old ones that may go. */
async function purgeAged<D extends { _id: number; createdAt: Date }>(
  items: Items<D, object>,
  mayGo: Filter<D>,
  before: Date,
  from: number,
): Promise<PurgeStep> {
  const { old, next } = await windowFrom(items, 'createdAt', before, from);
  return { removed: await items.deleteAll({ _id: idsOf(old), ...mayGo } as Filter<D>), next };
}

async function purgeMetrics({ metrics }: Database, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(metrics, 'fetchedAt', before, from);
  const latestOf = (challengeId: number) =>
    metrics.raw.findOne({ challengeId }, { sort: { fetchedAt: -1, _id: -1 }, projection: { _id: 1 } });
  const latest = await Promise.all([...new Set(old.map(({ challengeId }) => challengeId))].map(latestOf));
  const gone = old.filter(({ _id }) => !latest.some((kept) => kept?._id === _id));
  return { removed: await metrics.deleteAll({ _id: idsOf(gone) }), next };
}

/** One fetch at a time, since it may have thousands of likers: the fetch itself goes after the last of them. */
async function purgeLikers({ likers, likersFetches }: Database, before: Date, from: number): Promise<PurgeStep> {
  const { old, next } = await windowFrom(likersFetches, 'requestedAt', before, from);
  for (const { _id, challengeId, requestedAt, status } of old) {
    const newer = { $or: [{ requestedAt: { $gt: requestedAt } }, { requestedAt, _id: { $gt: _id } }] };
    if (!(await likersFetches.exists({ challengeId, ...newer, ...(status === 'succeeded' && { status }) }))) continue;
    const found = await likers.ids({ fetchId: _id }, { limit: WINDOW });
    const removed = await likers.deleteAll({ _id: { $in: found } });
    if (found.length === WINDOW) return { removed, next: from };
    const isRemoved = await likersFetches.delete({ _id });
    return { removed: removed + Number(isRemoved), next: from };
  }
  return { removed: 0, next };
}

/** What an index by age finds: every step begins again. */
async function purgeIndexed<D extends { _id: string | number }>(
  items: Items<D, object>,
  filter: Filter<D>,
): Promise<PurgeStep> {
  const found = await items.ids(filter, { limit: WINDOW });
  const removed = await items.deleteAll({ _id: { $in: found } } as Filter<D>);
  return { removed, next: found.length === WINDOW ? 0 : null };
}

/** Those to webhooks stay while they are pending; a subscriber may never come back. */
const DELIVERIES = { $or: [{ status: { $ne: 'pending' as const } }, { target: { $type: 'string' as const } }] };

const STEPS: Readonly<Record<RetainedKind, (db: Database, before: Date, from: number) => Promise<PurgeStep>>> = {
  deliveries: (db, before, from) => purgeAged(db.deliveries, DELIVERIES, before, from),
  jobs: (db, before, from) => purgeAged(db.jobs, { status: 'dead' }, before, from),
  metrics: purgeMetrics,
  likers: purgeLikers,
  connections: (db, before) => purgeIndexed(db.connectionRequests, { expiresAt: { $lt: before } }),
  unconnected: (db, before) =>
    purgeIndexed(db.connectionRequests, { status: { $in: ['pending', 'failed'] }, expiresAt: { $lt: before } }),
  usage: (db, before) => purgeIndexed(db.usage, { period: { $lt: before.toISOString().slice(0, 7) } }),
  idempotency: (db, before) => purgeIndexed(db.idempotencyKeys, { expiresAt: { $lt: before } }),
  audit: (db, before) => purgeIndexed(db.auditLog, { at: { $lt: before } }),
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
