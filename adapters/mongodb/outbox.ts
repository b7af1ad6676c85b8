/** The outboxes inside the documents of their owners. `outboxAt` marks those that hold entries, for a small index. */
import type { Collection, Db } from 'mongodb';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { OutboxOwner, OutboxStore, PendingOutbox } from '../../core/ports/outbox-store.ts';
import type { Connection } from './database.ts';
import { ANY_DATE } from './indexes.ts';
import { repeatOnClash } from './repeat.ts';
import { integer, text, texts } from './values.ts';

/** Collections of owners. */
const OWNERS = ['attempts', 'socialAccounts', 'canaries'] as const;
type Owners = (typeof OWNERS)[number];

/** What owners have in common. */
interface Owner {
  readonly _id: number | string;
  readonly outbox: readonly OutboxEntry[];
  readonly outboxAt?: Date;
}

interface Found extends PendingOutbox {
  readonly id: Owner['_id'];
  readonly at: Date;
}

type HandedOver = Parameters<OutboxStore['acknowledge']>[0];

export function createOutboxStore(connection: Connection): OutboxStore {
  return {
    pending: (limit) =>
      connection.run(async (db) => {
        const found = await Promise.all(OWNERS.map((name) => pendingOf(db, name, integer(limit))));
        return found
          .flat()
          .sort((one, other) => one.at.getTime() - other.at.getTime())
          .slice(0, limit)
          .map(({ owner, entries }) => ({ owner, entries }));
      }),

    acknowledge: (handedOver) =>
      connection.run(async (db) => {
        const some = handedOver.filter(({ entryIds }) => entryIds.length > 0);
        for (const [name, own] of Map.groupBy(some, ({ owner }) => collectionOf(owner))) {
          await acknowledge(db, name, own);
        }
      }),
  };
}

function ownersIn(db: Db, name: Owners): Collection<Owner> {
  return db.collection<Owner>(name);
}

function collectionOf(owner: OutboxOwner): Owners {
  const name = OWNERS.find((each) => text(owner).startsWith(`${each}:`));
  if (name === undefined) throw new TypeError('No owner of an outbox has this name.');
  return name;
}

async function pendingOf(db: Db, name: Owners, limit: number): Promise<Found[]> {
  for (;;) {
    const marked = await ownersIn(db, name)
      .find({ outboxAt: ANY_DATE })
      .sort({ outboxAt: 1, _id: 1 })
      .limit(limit)
      .project<Owner>({ outbox: 1, outboxAt: 1 })
      .toArray();
    const pending = marked.map(({ _id, outbox, outboxAt: at = ANY_DATE.$gte }) => {
      return { id: _id, owner: `${name}:${_id}` as const, entries: outbox, at };
    });
    const empty = pending.filter(({ entries }) => entries.length === 0).map(({ id }) => id);
    // A mark that a crash left on an empty outbox would hide others behind it.
    if (empty.length > 0) await unmark(db, name, empty);
    if (empty.length === 0 || empty.length < marked.length) return pending.filter(({ entries }) => entries.length > 0);
  }
}

/** Removes entries, and the mark of an outbox that is empty then: one write of each owner, in one command if all are. */
async function acknowledge(db: Db, name: Owners, some: HandedOver): Promise<void> {
  const ids = some.map(({ owner }) => owner.slice(name.length + 1));
  // In the order in which transitions lock them.
  const $in = name === 'canaries' ? texts(ids).sort() : ids.map((id) => integer(Number(id))).sort((a, b) => a - b);
  const _id = { $in };
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
async function unmark(db: Db, name: Owners, ids: Owner['_id'][]): Promise<void> {
  const empty = { _id: { $in: ids }, outbox: { $size: 0 } };
  await repeatOnClash(() => ownersIn(db, name).updateMany(empty, { $unset: { outboxAt: '' } }));
}
