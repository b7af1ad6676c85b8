/** The outbox inside the attempt documents. `outboxAt` marks those that hold entries, for a small index. */
import type { Db } from 'mongodb';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { HandedOver, PendingOutbox } from '../../core/ports/attempt-store.ts';
import { type AttemptDocument, collection } from './documents.ts';
import { gathered } from './gathered.ts';
import { repeatOnClash } from './repeat.ts';
import { integer, texts } from './values.ts';

/** Any date is later. That a field exists is no range that an index could narrow. */
const EARLIEST = new Date(0);

type OutboxView = Pick<AttemptDocument, '_id' | 'outbox'>;

export async function pendingOutbox(db: Db, limit: number): Promise<PendingOutbox[]> {
  const attempts = collection(db, 'attempts');
  for (;;) {
    const marked = await attempts
      .find({ outboxAt: { $gte: EARLIEST } })
      .sort({ outboxAt: 1, _id: 1 })
      .limit(limit)
      .project<OutboxView>({ outbox: 1 })
      .toArray();
    const empty = marked.filter(({ outbox }) => outbox.length === 0);
    // A mark that a crash left on an empty outbox would hide others behind it.
    if (empty.length > 0) {
      await unmark(
        db,
        empty.map(({ _id }) => _id),
      );
    }
    if (empty.length === 0 || empty.length < marked.length) {
      return marked
        .filter(({ outbox }) => outbox.length > 0)
        .map(({ _id, outbox }) => ({ attemptId: _id, entries: outbox }));
    }
  }
}

/** Reads the outbox of one attempt; calls that come together are one command. */
export const outboxOf = gathered<number, readonly OutboxEntry[]>(async (db, attemptIds) => {
  const found = await collection(db, 'attempts')
    .find({ _id: { $in: [...new Set(attemptIds)] } })
    .project<OutboxView>({ outbox: 1 })
    .toArray();
  const byId = new Map(found.map(({ _id, outbox }) => [_id, outbox]));
  return attemptIds.map((id) => byId.get(id) ?? []);
});

/** Two commands, however many attempts. */
export async function acknowledge(db: Db, handedOver: readonly HandedOver[]): Promise<void> {
  const updates = handedOver.flatMap(({ attemptId, entryIds }) => {
    if (entryIds.length === 0) return [];
    const update = { $pull: { outbox: { id: { $in: texts(entryIds) } } } };
    return [{ updateOne: { filter: { _id: integer(attemptId) }, update } }];
  });
  if (updates.length === 0) return;
  // In the order in which transitions lock them.
  updates.sort((a, b) => a.updateOne.filter._id - b.updateOne.filter._id);
  await repeatOnClash(() => collection(db, 'attempts').bulkWrite(updates, { ordered: false }));
  await unmark(
    db,
    updates.map(({ updateOne }) => updateOne.filter._id),
  );
}

/** Takes the marks off where the outbox is still empty: a transition in between puts entries and mark there in one write. */
async function unmark(db: Db, attemptIds: number[]): Promise<void> {
  const empty = { _id: { $in: attemptIds }, outbox: { $size: 0 } };
  await repeatOnClash(() => collection(db, 'attempts').updateMany(empty, { $unset: { outboxAt: '' } }));
}
