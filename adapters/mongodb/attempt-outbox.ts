/** The outbox inside the attempt documents. `outboxAt` marks those that hold entries, for a small index. */
import type { Db } from 'mongodb';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { PendingOutbox } from '../../core/ports/attempt-store.ts';
import { type AttemptDocument, collection } from './documents.ts';
import { texts } from './values.ts';

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
    for (const { _id } of empty) await unmark(db, _id);
    if (empty.length === 0 || empty.length < marked.length) {
      return marked
        .filter(({ outbox }) => outbox.length > 0)
        .map(({ _id, outbox }) => ({ attemptId: _id, entries: outbox }));
    }
  }
}

export async function outboxOf(db: Db, attemptId: number): Promise<OutboxEntry[]> {
  const attempt = await collection(db, 'attempts').findOne({ _id: attemptId }, { projection: { outbox: 1 } });
  return attempt?.outbox ?? [];
}

export async function acknowledge(db: Db, attemptId: number, entryIds: readonly string[]): Promise<void> {
  if (entryIds.length === 0) return;
  await collection(db, 'attempts').updateOne(
    { _id: attemptId },
    { $pull: { outbox: { id: { $in: texts(entryIds) } } } },
  );
  await unmark(db, attemptId);
}

/** Takes the mark off if the outbox is still empty: a transition in between puts entries and mark there in one write. */
async function unmark(db: Db, attemptId: number): Promise<void> {
  await collection(db, 'attempts').updateOne({ _id: attemptId, outbox: { $size: 0 } }, { $unset: { outboxAt: '' } });
}
