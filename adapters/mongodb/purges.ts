/**
 * Removing what hangs on a deleted campaign or webhook takes several writes, without a transaction. A note is written
 * first, then the target is deleted in one write, then the rest follows. After a crash the next `open()` takes it up.
 *
 * The note stays for a week. A process that stood still may write something for the target later and die before it looks whether
 * the target is still there. So the targets of all notes are looked at again and again, hundreds in a command.
 */
import type { PurgeStep } from '../../core/ports/retention-store.ts';
import type { PurgeKind } from './documents.ts';
import type { Database } from './items.ts';

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

export async function notePurge(db: Database, kind: PurgeKind, target: number): Promise<void> {
  await db.purges.upsert({ _id: `${kind}:${target}` }, { $setOnInsert: { kind, target, at: new Date() } });
}

/** Removes what hangs on targets that are gone. Numbers are never given out again: they stay gone. */
export async function removeHanging(db: Database, kind: PurgeKind, targets: readonly number[]): Promise<number> {
  if (targets.length === 0) return 0;
  const $in = [...targets];
  // Likers name their fetch alone, so they go before it.
  const fetches = kind === 'challenge' ? await db.likersFetches.ids({ challengeId: { $in } }) : [];
  let removed = fetches.length > 0 ? await db.likers.deleteAll({ fetchId: { $in: fetches } }) : 0;
  for (const [name, field] of Object.entries(HANGING[kind])) {
    removed += (await db.collection(name).deleteMany({ [field]: { $in } })).deletedCount;
  }
  return removed;
}

/** Takes up purges that a crash cut short. */
export async function resumePurges(db: Database): Promise<void> {
  for (let from: number | null = 0; from !== null; ) from = (await purgeLeftovers(db, from)).next;
}

/** Takes up purges, and removes what came after them, for the notes behind a target. */
export async function purgeLeftovers(db: Database, from: number): Promise<PurgeStep> {
  const found = await db.purges.list({ target: { $gt: from } }, { sort: { target: 1 }, limit: WINDOW });
  // The other note of the last number may be in the next window.
  const last = found.length === WINDOW ? found.at(-1)?.target : undefined;
  const notes = found.filter(({ target }) => target !== last);
  let removed = 0;
  for (const [kind, some] of Map.groupBy(notes, (note) => note.kind)) {
    const targets = some.map(({ target }) => target);
    // Of a deletion that was refused, or is under way, the target stands.
    const { collection, id } = TARGETS[kind];
    const standing = new Set(await db.collection(collection).distinct(id, { [id]: { $in: targets } }));
    const gone = targets.filter((target) => !standing.has(target));
    removed += await removeHanging(db, kind, gone);
  }
  const old = notes.filter(({ at }) => at.getTime() < Date.now() - KEPT_MS).map(({ _id }) => _id);
  if (old.length > 0) await db.purges.deleteAll({ _id: { $in: old } });
  return { removed, next: last === undefined ? null : last - 1 };
}
