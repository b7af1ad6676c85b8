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
import { isDuplicateKey } from './failures.ts';
import { repeatOnClash } from './repeat.ts';

/** No process stands still for longer and writes then. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** Notes in one step. There are at most two of a number. */
const WINDOW = 500;

export async function notePurge(db: Db, kind: PurgeKind, target: number): Promise<void> {
  const note: PurgeDocument = { _id: `${kind}:${target}`, kind, target, at: new Date() };
  await collection(db, 'purges')
    .insertOne(note)
    .catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
}

export async function runPurge(db: Db, kind: PurgeKind, target: number): Promise<void> {
  const note = await collection(db, 'purges').findOne({ _id: `${kind}:${target}` });
  if (note === null) throw new Error('A purge is noted before it runs.');
  await remove(db, [note]);
}

/** Takes up purges that a crash cut short. */
export async function resumePurges(db: Db): Promise<void> {
  const notes = await collection(db, 'purges')
    .find({ done: { $exists: false } })
    .toArray();
  await purgeGone(db, notes);
}

/** Takes up purges, and removes what came after them, for the notes behind a target. */
export async function purgeLeftovers(db: Db, from: number): Promise<PurgeStep> {
  const found = await collection(db, 'purges')
    .find({ target: { $gt: from } })
    .sort({ target: 1 })
    .limit(WINDOW)
    .toArray();
  // The other note of the last number may be in the next window.
  const last = found.length === WINDOW ? found.at(-1)?.target : undefined;
  const notes = found.filter(({ target }) => target !== last);
  const removed = await purgeGone(db, notes);
  const old = notes.filter(({ done }) => done !== undefined && done.getTime() < Date.now() - KEPT_MS);
  if (old.length > 0) await collection(db, 'purges').deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
  return { removed, next: last === undefined ? null : last - 1 };
}

/** Those of the notes whose target is gone. Of a deletion that was refused, or is under way, it stands. */
export async function ofGone(db: Db, notes: readonly PurgeDocument[]): Promise<readonly PurgeDocument[]> {
  const byKind = Map.groupBy(notes, ({ kind }) => kind);
  const [challengeIds, webhookIds] = [targetsOf(byKind.get('challenge') ?? []), targetsOf(byKind.get('webhook') ?? [])];
  const standing = { challenge: new Set<number>(), webhook: new Set<number>() };
  if (challengeIds.length > 0) {
    const found = await collection(db, 'campaigns')
      .find({ 'challenge.id': { $in: challengeIds } })
      .project<{ challenge: { id: number } }>({ _id: 0, 'challenge.id': 1 })
      .toArray();
    for (const { challenge } of found) standing.challenge.add(challenge.id);
  }
  if (webhookIds.length > 0) {
    const found = await collection(db, 'webhooks')
      .find({ _id: { $in: webhookIds } })
      .project<{ _id: number }>({ _id: 1 })
      .toArray();
    for (const { _id } of found) standing.webhook.add(_id);
  }
  return notes.filter(({ kind, target }) => !standing[kind].has(target));
}

async function purgeGone(db: Db, notes: readonly PurgeDocument[]): Promise<number> {
  return remove(db, await ofGone(db, notes));
}

/** Removes what hangs on targets that are gone. Numbers are never given out again: they stay gone. */
async function remove(db: Db, gone: readonly PurgeDocument[]): Promise<number> {
  const byKind = Map.groupBy(gone, ({ kind }) => kind);
  const removed =
    (await removeOfChallenges(db, byKind.get('challenge') ?? [])) +
    (await removeOfWebhooks(db, byKind.get('webhook') ?? []));
  const undone = gone.filter(({ done }) => done === undefined).map(({ _id }) => _id);
  if (undone.length > 0) {
    const done = { $set: { done: new Date() } };
    await repeatOnClash(() => collection(db, 'purges').updateMany({ _id: { $in: undone } }, done));
  }
  return removed;
}

async function removeOfWebhooks(db: Db, gone: readonly PurgeDocument[]): Promise<number> {
  if (gone.length === 0) return 0;
  return (await collection(db, 'deliveries').deleteMany({ webhookId: { $in: targetsOf(gone) } })).deletedCount;
}

/** Those that name the challenge themselves. */
const OF_CHALLENGE = ['attempts', 'comments', 'commentBatches', 'metrics'] as const;

async function removeOfChallenges(db: Db, gone: readonly PurgeDocument[]): Promise<number> {
  if (gone.length === 0) return 0;
  const $in = targetsOf(gone);
  let removed = 0;
  for (const name of OF_CHALLENGE) {
    removed += (await db.collection(name).deleteMany({ challengeId: { $in } })).deletedCount;
  }
  for (const name of ['sweeps', 'matchingProgress'] as const) {
    removed += (await db.collection<{ _id: number }>(name).deleteMany({ _id: { $in } })).deletedCount;
  }
  return removed + (await removeLikers(db, gone));
}

/** Likers name their fetch alone. So the note keeps the fetches: likers may be stored when their fetch is gone. */
async function removeLikers(db: Db, gone: readonly PurgeDocument[]): Promise<number> {
  const fetches = await collection(db, 'likersFetches')
    .find({ challengeId: { $in: targetsOf(gone) } })
    .project<{ _id: number; challengeId: number }>({ challengeId: 1 })
    .toArray();
  for (const [challengeId, some] of Map.groupBy(fetches, (fetch) => fetch.challengeId)) {
    const kept = { $addToSet: { fetches: { $each: some.map(({ _id }) => _id) } } };
    await repeatOnClash(() => collection(db, 'purges').updateOne({ _id: `challenge:${challengeId}` }, kept));
  }
  const ids = [...gone.flatMap((note) => note.fetches ?? []), ...fetches.map(({ _id }) => _id)];
  if (ids.length === 0) return 0;
  const likers = await collection(db, 'likers').deleteMany({ fetchId: { $in: ids } });
  const own = { _id: { $in: fetches.map(({ _id }) => _id) } };
  return (
    likers.deletedCount +
    (fetches.length === 0 ? 0 : (await collection(db, 'likersFetches').deleteMany(own)).deletedCount)
  );
}

function targetsOf(notes: readonly PurgeDocument[]): number[] {
  return notes.map(({ target }) => target);
}
