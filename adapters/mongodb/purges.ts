/**
 * Removing what hangs on a deleted campaign or webhook takes several writes, without a transaction. A note is written
 * first, then the target is deleted in one write, then the rest follows. After a crash the next `open()` takes it up.
 *
 * The note stays for a week. A process that stood still may write something for the target later and die before it looks whether
 * the target is still there. So the targets of all notes are looked at again and again, hundreds in a command.
 */
import type { Db } from 'mongodb';
import type { PurgeStep } from '../../core/ports/retention-store.ts';
import { collection, type PurgeDocument, type PurgeKind } from './documents.ts';
import { repeatOnClash } from './repeat.ts';

/** No process stands still for longer and writes then. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** Notes in one step. There are at most two of a number. */
const WINDOW = 500;

const TARGETS = {
  challenge: { collection: 'campaigns', id: 'challenge.id' },
  webhook: { collection: 'webhooks', id: '_id' },
} as const satisfies Record<PurgeKind, object>;

/** Fields that name the target, by collection. */
const HANGING = {
  challenge: {
    attempts: 'challengeId',
    comments: 'challengeId',
    metrics: 'challengeId',
    sweeps: '_id',
    likersFetches: 'challengeId',
  },
  webhook: { deliveries: 'target' },
} as const satisfies Record<PurgeKind, object>;

export async function notePurge(db: Db, kind: PurgeKind, target: number): Promise<void> {
  const note = { $setOnInsert: { kind, target, at: new Date() } };
  await repeatOnClash(() => collection(db, 'purges').updateOne({ _id: `${kind}:${target}` }, note, { upsert: true }));
}

/** Removes what hangs on targets that are gone. Numbers are never given out again: they stay gone. */
export async function removeHanging(db: Db, kind: PurgeKind, targets: readonly number[]): Promise<number> {
  const $in = [...targets];
  let removed = 0;
  if (kind === 'challenge') {
    // Likers name their fetch alone, so they go before it.
    const fetches = await collection(db, 'likersFetches').distinct('_id', { challengeId: { $in } });
    removed += (await collection(db, 'likers').deleteMany({ fetchId: { $in: fetches } })).deletedCount;
  }
  for (const [name, field] of Object.entries(HANGING[kind])) {
    removed += (await db.collection(name).deleteMany({ [field]: { $in } })).deletedCount;
  }
  return removed;
}

/** Takes up purges that a crash cut short. */
export async function resumePurges(db: Db): Promise<void> {
  for (let from: number | null = 0; from !== null; ) from = (await purgeLeftovers(db, from)).next;
}

/** Takes up purges, and removes what came after them, for the notes behind a target. */
export async function purgeLeftovers(db: Db, from: number): Promise<PurgeStep> {
  const purges = collection(db, 'purges');
  const found = await purges
    .find({ target: { $gt: from } })
    .sort({ target: 1 })
    .limit(WINDOW)
    .toArray();
  // The other note of the last number may be in the next window.
  const last = found.length === WINDOW ? found.at(-1)?.target : undefined;
  const notes = found.filter(({ target }) => target !== last);
  let removed = 0;
  for (const [kind, gone] of Map.groupBy(await ofGone(db, notes), (note) => note.kind)) {
    removed += await removeHanging(db, kind, targetsOf(gone));
  }
  const old = notes.filter(({ at }) => at.getTime() < Date.now() - KEPT_MS);
  if (old.length > 0) await purges.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
  return { removed, next: last === undefined ? null : last - 1 };
}

/** Those of the notes whose target is gone. Of a deletion that was refused, or is under way, it stands. */
async function ofGone(db: Db, notes: readonly PurgeDocument[]): Promise<readonly PurgeDocument[]> {
  const standing = new Set<string>();
  for (const [kind, some] of Map.groupBy(notes, (note) => note.kind)) {
    const { collection: name, id } = TARGETS[kind];
    const found = await db.collection(name).distinct(id, { [id]: { $in: targetsOf(some) } });
    for (const target of found) standing.add(`${kind}:${target}`);
  }
  return notes.filter(({ _id }) => !standing.has(_id));
}

function targetsOf(notes: readonly PurgeDocument[]): number[] {
  return notes.map(({ target }) => target);
}
