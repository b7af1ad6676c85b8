/**
 * Numbers of links, so that a reader who has seen all up to one number need look at later ones only
 * (`MatchingStore.lastLink`). A number is taken before its document is written. Until it is, the counter holds it as open, in
 * the very update that takes it, and nothing from it on counts as seen.
 */
import type { Db } from 'mongodb';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import { collection } from './documents.ts';
import { gathered } from './gathered.ts';
import { writeBulk } from './write-bulk.ts';

const COUNTER = 'links';
/** Longer than any write of a link takes: a number that is open for longer was taken by a process that died. */
const OPEN_MS = 3_600_000;
/** Links that get their numbers together. */
const BATCH = 1_000;

/** Numbers that were taken together; they stay open until the last of their links is written. */
interface Taken {
  readonly first: number;
  open: number;
}

/** Calls that come together take their numbers in one command. */
const takeOne = gathered<null, { readonly linkNumber: number; readonly taken: Taken }>(async (db, calls) => {
  const taken: Taken = { first: await take(db, calls.length), open: calls.length };
  return calls.map((_, index) => ({ linkNumber: taken.first + index, taken }));
});

/** Writes a link under a number of its own. */
export async function withLinkNumber<T>(db: Db, write: (linkNumber: number) => Promise<T>): Promise<T> {
  const { linkNumber, taken } = await takeOne(db, null);
  try {
    return await write(linkNumber);
  } finally {
    taken.open -= 1;
    if (taken.open === 0) await close(db, taken.first);
  }
}

/** See `MatchingStore.lastLink`. Links of earlier releases get their numbers first. */
export async function lastLink(db: Db, platform: PlatformName): Promise<number> {
  while (await numberSome(db, platform));
  const counter = await collection(db, 'counters').findOne({ _id: COUNTER });
  if (counter === null) return 0;
  const longAgo = new Date(Date.now() - OPEN_MS);
  const open = counter.open ?? [];
  const underWay = open.filter(({ since }) => since >= longAgo).map(({ number }) => number);
  if (underWay.length < open.length) {
    await collection(db, 'counters').updateOne({ _id: COUNTER }, { $pull: { open: { since: { $lt: longAgo } } } });
  }
  return underWay.reduce((last, number) => Math.min(last, number - 1), counter.value);
}

/** False if every active link has its number. */
async function numberSome(db: Db, platform: PlatformName): Promise<boolean> {
  const accounts = collection(db, 'socialAccounts');
  const found = await accounts
    .find({ platform, disconnectedAt: null, linkNumber: { $exists: false } })
    .limit(BATCH)
    .project<{ _id: number }>({ _id: 1 })
    .toArray();
  if (found.length === 0) return false;
  const first = await take(db, found.length);
  try {
    await writeBulk(
      accounts,
      found.map(({ _id }, index) => ({
        updateOne: { filter: { _id, linkNumber: { $exists: false } }, update: { $set: { linkNumber: first + index } } },
      })),
    );
  } finally {
    await close(db, first);
  }
  return true;
}

/** Takes `count` consecutive numbers, held open under the first of them. */
async function take(db: Db, count: number): Promise<number> {
  const entry = { number: { $add: ['$value', 1] }, since: new Date() };
  const counter = await collection(db, 'counters').findOneAndUpdate(
    { _id: COUNTER },
    [
      {
        $set: {
          value: { $add: ['$value', count] },
          open: { $concatArrays: [{ $ifNull: ['$open', []] }, [entry]] },
        },
      },
    ],
    { returnDocument: 'after' },
  );
  if (counter === null) throw new Error(`The counter "${COUNTER}" is missing: open() seeds it.`);
  return counter.value - count + 1;
}

/** Numbers whose documents are written are no longer open; those of calls that come together go in one command. */
const close = gathered<number, void>(async (db, numbers) => {
  await collection(db, 'counters').updateOne({ _id: COUNTER }, { $pull: { open: { number: { $in: [...numbers] } } } });
  return numbers.map(() => undefined);
});
