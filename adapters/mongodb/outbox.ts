/** The outboxes inside the documents of attempts and accounts. `outboxAt` marks those that hold entries, for a small index. */
import type { Collection, Db } from 'mongodb';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import { repeatOnClash } from './repeat.ts';
import { integers, texts } from './values.ts';

/** Any date is later. That a field exists is no range that an index could narrow. */
const EARLIEST = new Date(0);

type Owners = 'attempts' | 'socialAccounts';

/** What attempts and accounts have in common. */
interface Owner<Entry = OutboxEntry> {
  readonly _id: number;
  /** Accounts that were never announced have none. */
  readonly outbox?: readonly Entry[];
  readonly outboxAt?: Date;
}

/** Entries of one owner, by its id. */
export interface Pending<Entry> {
  readonly ownerId: number;
  readonly entries: readonly Entry[];
}

interface HandedOver {
  readonly ownerId: number;
  readonly entryIds: readonly string[];
}

function ownersIn(db: Db, name: Owners): Collection<Owner> {
  return db.collection<Owner>(name);
}

/** Owners that hold entries, oldest first. `Entry` is what was written there. */
export async function pendingOutbox<Entry = OutboxEntry>(
  db: Db,
  name: Owners,
  limit: number,
): Promise<Pending<Entry>[]> {
  for (;;) {
    const marked = await ownersIn(db, name)
      .find({ outboxAt: { $gte: EARLIEST } })
      .sort({ outboxAt: 1, _id: 1 })
      .limit(limit)
      .project<Pick<Owner<Entry>, '_id' | 'outbox'>>({ outbox: 1 })
      .toArray();
    const pending = marked.map(({ _id, outbox = [] }) => ({ ownerId: _id, entries: outbox }));
    const empty = pending.filter(({ entries }) => entries.length === 0);
    // A mark that a crash left on an empty outbox would hide others behind it.
    if (empty.length > 0) {
      await unmark(
        db,
        name,
        empty.map(({ ownerId }) => ownerId),
      );
    }
    if (empty.length === 0 || empty.length < marked.length) return pending.filter(({ entries }) => entries.length > 0);
  }
}

/** Those of these owners that hold entries. */
export async function outboxesOf(db: Db, name: Owners, ids: readonly number[]): Promise<Pending<OutboxEntry>[]> {
  const found = ownersIn(db, name).find({ _id: { $in: integers(ids) }, outboxAt: { $gte: EARLIEST } });
  const owners = await found.project<Pick<Owner, '_id' | 'outbox'>>({ outbox: 1 }).toArray();
  return owners.map(({ _id, outbox = [] }) => ({ ownerId: _id, entries: outbox }));
}

/** Removes entries, and the mark of an outbox that is empty then: one write of each owner, in one command if all are. */
export async function acknowledge(db: Db, name: Owners, handedOver: readonly HandedOver[]): Promise<void> {
  const some = handedOver.filter(({ entryIds }) => entryIds.length > 0);
  if (some.length === 0) return;
  // In the order in which transitions lock them.
  const _id = { $in: integers(some.map(({ ownerId }) => ownerId)).sort((a, b) => a - b) };
  const entryIds = texts(some.flatMap((each) => each.entryIds));
  const holdsOthers = { $elemMatch: { id: { $nin: entryIds } } };
  const owners = ownersIn(db, name);
  const { matchedCount } = await repeatOnClash(() =>
    owners.updateMany({ _id, outbox: { $not: holdsOthers } }, { $set: { outbox: [] }, $unset: { outboxAt: '' } }),
  );
  if (matchedCount === some.length) return;
  await repeatOnClash(() => owners.updateMany({ _id, 'outbox.id': { $in: entryIds } }, without(entryIds)));
}

function without(entryIds: readonly string[]) {
  const isKept = { $not: [{ $in: ['$$this.id', { $literal: entryIds }] }] };
  const outbox = { $filter: { input: '$outbox', cond: isKept } };
  return [{ $set: { outbox } }, { $set: { outboxAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', '$outboxAt'] } } }];
}

/** Takes the marks off outboxes that are still empty: a write in between puts entries and mark there in one go. */
async function unmark(db: Db, name: Owners, ids: number[]): Promise<void> {
  const empty = { _id: { $in: ids }, outbox: { $size: 0 } };
  await repeatOnClash(() => ownersIn(db, name).updateMany(empty, { $unset: { outboxAt: '' } }));
}
