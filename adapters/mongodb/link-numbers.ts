/**
 * Numbers of links, so that a reader who has seen all up to one number need look at later ones only
 * (`MatchingStore.lastLink`). A number is taken before its document is written. Until it is, the counter holds it as open, in
 * the very update that takes it, and nothing from it on counts as seen.
 */
import type { Db } from 'mongodb';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import { collection } from './documents.ts';
import { repeatOnClash } from './repeat.ts';
import { writeBulk } from './write-bulk.ts';

const COUNTER = 'links';
/** Longer than any write of a link takes: a number that is open for longer was taken by a process that died. */
const OPEN_MS = 3_600_000;
/** Links that get their numbers together. */
const BATCH = 1_000;

/** Writes links under numbers of their own, the first of which it is given. */
export async function withLinkNumbers<T>(db: Db, count: number, write: (first: number) => Promise<T>): Promise<T> {
  const first = await take(db, count);
  try {
    return await write(first);
  } finally {
    await close(db, first);
  }
}

export function withLinkNumber<T>(db: Db, write: (linkNumber: number) => Promise<T>): Promise<T> {
  return withLinkNumbers(db, 1, write);
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
  const counter = await repeatOnClash(() =>
    collection(db, 'counters').findOneAndUpdate(
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
    ),
  );
  if (counter === null) throw new Error(`The counter "${COUNTER}" is missing: open() seeds it.`);
  return counter.value - count + 1;
}

async function close(db: Db, number: number): Promise<void> {
  await repeatOnClash(() => collection(db, 'counters').updateOne({ _id: COUNTER }, { $pull: { open: { number } } }));
}
