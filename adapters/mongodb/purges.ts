/**
 * Removing what hangs on a deleted campaign or webhook takes several writes, without a transaction. A note is written
 * first, then the target is deleted in one write, then the rest follows. After a crash the next `open()` takes it up.
 */
import type { Db } from 'mongodb';
import { collection, type PurgeDocument, type PurgeKind } from './documents.ts';
import { isDuplicateKey } from './failures.ts';

/** A note whose target still stands belongs to a deletion under way, or to one that was refused; older ones are refused ones. */
const STALE_MS = 3_600_000;

export async function notePurge(db: Db, kind: PurgeKind, target: number): Promise<void> {
  const note: PurgeDocument = { _id: `${kind}:${target}`, kind, target, at: new Date() };
  await collection(db, 'purges')
    .insertOne(note)
    .catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
}

export async function runPurge(db: Db, kind: PurgeKind, target: number): Promise<void> {
  if (kind === 'webhook') {
    await collection(db, 'deliveries').deleteMany({ webhookId: target });
  } else {
    // Only one that was inserted by a creation which then crashed, after its campaign was gone.
    await collection(db, 'attempts').deleteMany({ challengeId: target });
    await collection(db, 'comments').deleteMany({ challengeId: target });
    await collection(db, 'commentBatches').deleteMany({ challengeId: target });
    await collection(db, 'sweeps').deleteOne({ _id: target });
    await collection(db, 'matchingProgress').deleteOne({ _id: target });
    await collection(db, 'metrics').deleteMany({ challengeId: target });
    const fetches = await collection(db, 'likersFetches').find({ challengeId: target }).project({ _id: 1 }).toArray();
    // The fetches go last: they are what finds the likers.
    await collection(db, 'likers').deleteMany({ fetchId: { $in: fetches.map((fetch) => Number(fetch._id)) } });
    await collection(db, 'likersFetches').deleteMany({ challengeId: target });
  }
  await collection(db, 'purges').deleteOne({ _id: `${kind}:${target}` });
}

/** Takes up purges that a crash cut short. */
export async function resumePurges(db: Db): Promise<void> {
  for (const note of await collection(db, 'purges').find().toArray()) {
    const stands =
      note.kind === 'webhook'
        ? await collection(db, 'webhooks').findOne({ _id: note.target })
        : await collection(db, 'campaigns').findOne({ 'challenge.id': note.target });
    if (stands === null) await runPurge(db, note.kind, note.target);
    else if (Date.now() - note.at.getTime() > STALE_MS) await collection(db, 'purges').deleteOne({ _id: note._id });
  }
}
