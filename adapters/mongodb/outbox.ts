/** The outboxes inside the documents of their owners. `outboxAt` marks those that hold entries, for a small index. */
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { OutboxOwner, OutboxStore, PendingOutbox } from '../../core/ports/outbox-store.ts';
import { ANY_DATE } from './indexes.ts';
import type { Database } from './items.ts';
import { repeatOnClash } from './repeat.ts';
import { integer, text, texts } from './values.ts';

/** Collections of owners. */
const OWNERS = ['attempts', 'socialAccounts', 'canaries', 'brandConnections'] as const;
type Owners = (typeof OWNERS)[number];

/** What owners have in common. */
interface Owner {
  readonly _id: number | string;
  readonly outbox: readonly OutboxEntry[];
  readonly outboxAt?: Date;
}

interface Found extends PendingOutbox {
  readonly at: Date;
}

type HandedOver = Parameters<OutboxStore['acknowledge']>[0];

/** The outbox of a new document. */
export function kept<Entry extends OutboxEntry>(entries: readonly Entry[], at: Date) {
  return { outbox: [...entries], ...(entries.length > 0 && { outboxAt: at }) };
}

/** Adds entries in an update. */
export function added<Entry extends OutboxEntry>(entries: readonly Entry[], at: Date) {
  return entries.length === 0 ? {} : { $push: { outbox: { $each: [...entries] } }, $min: { outboxAt: at } };
}

export function createOutboxStore(db: Database): OutboxStore {
  return {
    async pending(limit) {
      const found = await Promise.all(OWNERS.map((name) => pendingOf(db, name, integer(limit))));
      return found
        .flat()
        .sort((one, other) => one.at.getTime() - other.at.getTime())
        .slice(0, limit)
        .map(({ owner, entries }) => ({ owner, entries }));
    },

    async acknowledge(handedOver) {
      const some = handedOver.filter(({ entryIds }) => entryIds.length > 0);
      for (const [name, own] of Map.groupBy(some, ({ owner }) => collectionOf(owner))) await acknowledge(db, name, own);
    },
  };
}

function collectionOf(owner: OutboxOwner): Owners {
  const name = OWNERS.find((each) => text(owner).startsWith(`${each}:`));
  if (name === undefined) throw new TypeError('No owner of an outbox has this name.');
  return name;
}

async function pendingOf(db: Database, name: Owners, limit: number): Promise<Found[]> {
  const pending = { outboxAt: ANY_DATE, outbox: { $ne: [] } };
  const order = { sort: { outboxAt: 1, _id: 1 }, limit, projection: { outbox: 1, outboxAt: 1 } } as const;
  const found = await db.collection<Owner>(name).find(pending, order).toArray();
  return found.map(({ _id, outbox, outboxAt: at = ANY_DATE.$gte }) => {
    return { owner: `${name}:${_id}` as const, entries: outbox, at };
  });
}

/** Removes entries, and the mark of an outbox that is empty then: one write of each owner, in one command if all are. */
async function acknowledge(db: Database, name: Owners, some: HandedOver): Promise<void> {
  const ids = some.map(({ owner }) => owner.slice(name.length + 1));
  // In the order in which transitions lock them.
  const $in = name === 'canaries' ? texts(ids).sort() : ids.map((id) => integer(Number(id))).sort((a, b) => a - b);
  const _id = { $in };
  const entryIds = texts(some.flatMap((each) => each.entryIds));
  const holdsOthers = { $elemMatch: { id: { $nin: entryIds } } };
  const owners = db.collection<Owner>(name);
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
