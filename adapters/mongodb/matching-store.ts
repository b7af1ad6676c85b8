import type { Condition, Db, Document } from 'mongodb';
import { atMost } from '../../core/bulk.ts';
import type { LinkedCreator } from '../../core/engagement/creators/creator.ts';
import { type AuthorKey, keysOf, numberIn, numberKey, splitKeys } from '../../core/platforms/author-key.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { CommentBatch, Link, MatchingProgress, MatchingStore } from '../../core/ports/matching-store.ts';
import { challengeStands } from './attempt-gate.ts';
import { creatorsById } from './creator-store.ts';
import type { Connection } from './database.ts';
import { type AccountDocument, type CommentDocument, collection } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import { knownIn, ownedBy, toAccount } from './link-documents.ts';
import { lastLink } from './link-numbers.ts';
import { integer, integers, text, texts } from './values.ts';

/** Most handles, ids or batches in one call. */
const MOST = 1_000;
/** Longer than any write of a batch takes: one that is open for longer belongs to a process that died. */
const OPEN_MS = 3_600_000;

const bounded = <T>(items: readonly T[]): readonly T[] => atMost(items, MOST, 'handles, ids or batches');

export function createMatchingStore(connection: Connection): MatchingStore {
  return {
    progress: (challengeId) =>
      connection.run(async (db): Promise<MatchingProgress | null> => {
        const stored = await collection(db, 'matchingProgress').findOne({ _id: integer(challengeId) });
        if (stored === null) return null;
        const { _id, ...rest } = stored;
        return { challengeId: _id, ...rest };
      }),

    save: ({ challengeId, rule, linkedUpTo, handlesAfter, revision }) =>
      connection.run(async (db) => {
        if (!(await challengeStands(db, integer(challengeId)))) return false;
        const target = collection(db, 'matchingProgress');
        const progress = {
          rule: text(rule),
          linkedUpTo: integer(linkedUpTo),
          handlesAfter: handlesAfter === null ? null : text(handlesAfter),
          revision: integer(revision),
        };
        const saved =
          revision === 1
            ? await target.insertOne({ _id: challengeId, ...progress }).then(
                () => true,
                (error: unknown) => {
                  if (isDuplicateKey(error)) return false;
                  throw error;
                },
              )
            : (await target.replaceOne({ _id: challengeId, revision: revision - 1 }, progress)).matchedCount === 1;
        if (await challengeStands(db, challengeId)) return saved;
        await target.deleteOne({ _id: challengeId });
        return false;
      }),

    newBatches: (challengeId) =>
      connection.run(async (db) => {
        const batches = await collection(db, 'commentBatches')
          .find({ challengeId: integer(challengeId) })
          .sort({ _id: 1 })
          .toArray();
        const longAgo = Date.now() - OPEN_MS;
        return batches.map(
          ({ _id, lastId, openSince }): CommentBatch => ({
            firstId: _id,
            lastId,
            isComplete: openSince === undefined || openSince.getTime() < longAgo,
          }),
        );
      }),

    authorsIn: (challengeId, batches) =>
      connection.run(async (db) => {
        // Nothing but the range is asked for, so that it is the index of ids that answers.
        const ranges = bounded(batches).map(({ firstId, lastId }) => ({
          $gte: integer(firstId),
          $lte: integer(lastId),
        }));
        const found = await Promise.all(
          ranges.map((_id) =>
            collection(db, 'comments')
              .find({ _id })
              .project<Pick<CommentDocument, 'challengeId' | 'author' | 'authorId'>>({
                _id: 0,
                challengeId: 1,
                author: 1,
                authorId: 1,
              })
              .toArray(),
          ),
        );
        const own = found.flat().filter((comment) => comment.challengeId === challengeId);
        return [...new Set(own.flatMap(({ author, authorId }) => keysOf(author, authorId)))];
      }),

    settle: (challengeId, batches) =>
      connection.run(async (db) => {
        const ids = integers(bounded(batches).map(({ firstId }) => firstId));
        await collection(db, 'commentBatches').deleteMany({ challengeId: integer(challengeId), _id: { $in: ids } });
      }),

    authors: (challengeId, after, limit) =>
      connection.run((db) =>
        nextKeys(
          after,
          (last) => nextIn(db, 'comments', { challengeId: integer(challengeId) }, ['authorId', last], limit),
          (last) => nextIn(db, 'comments', { challengeId: integer(challengeId) }, ['author', last], limit),
        ),
      ),

    likers: (fetchId, after, limit) =>
      connection.run((db) =>
        nextKeys(
          after,
          (last) => nextIn(db, 'likers', { fetchId: integer(fetchId) }, ['igUserId', last], limit),
          (last) => nextIn(db, 'likers', { fetchId: integer(fetchId) }, ['handle', last], limit),
        ),
      ),

    lastLink: (platform) => connection.run((db) => lastLink(db, text(platform) as PlatformName)),

    links: (platform, after, limit) =>
      connection.run(async (db) => {
        // Numbers follow each other mostly, and a range is quick even if the server does not read in the order of the index.
        const near = await linksIn(db, platform, { $gt: integer(after), $lte: after + integer(limit) }, limit);
        return near.length > 0 ? near : await linksIn(db, platform, { $gt: after }, limit);
      }),

    countLinks: (platform, after, atMost) =>
      connection.run((db) =>
        collection(db, 'socialAccounts').countDocuments(
          { platform: { $eq: platform }, disconnectedAt: null, linkNumber: { $gt: integer(after) } },
          { limit: integer(atMost) },
        ),
      ),

    creatorsByAuthors: (platform, authors) =>
      connection.run(async (db) => {
        const { handles, numbers } = splitKeys(texts(bounded(authors)));
        const ways = [
          { handle: { $in: [...handles] } },
          { ownedAccount: { $in: numbers.map((number) => ownedBy(platform, number)) } },
          { rememberedAccount: { $in: [...numbers] } },
        ].slice(0, numbers.length === 0 ? 1 : 3);
        const found = await Promise.all(
          ways.map((way) =>
            collection(db, 'socialAccounts')
              .find({ ...way, platform: { $eq: platform }, disconnectedAt: null })
              .project<{ creatorId: number }>({ _id: 0, creatorId: 1 })
              .toArray(),
          ),
        );
        return [...new Set(found.flat().map(({ creatorId }) => creatorId))];
      }),

    linksOf: (platform, creatorIds) =>
      connection.run(async (db) => {
        const ids = integers([...new Set(bounded(creatorIds))]);
        // A creator has few accounts: leaving the rest to this process keeps the server to the index that starts with creators.
        const [accounts, creators] = await Promise.all([
          collection(db, 'socialAccounts')
            .find({ creatorId: { $in: ids }, platform: { $eq: platform } })
            .toArray(),
          creatorsById(db, ids),
        ]);
        const active = accounts.filter(({ disconnectedAt }) => disconnectedAt === null);
        active.sort((a, b) => a.creatorId - b.creatorId || a._id - b._id);
        return active.flatMap((account): LinkedCreator[] => {
          const creator = creators.get(account.creatorId);
          return creator === undefined ? [] : [{ creator, account: toAccount(account) }];
        });
      }),
  };
}

/** Active links with numbers in a range, in ascending order. */
async function linksIn(db: Db, platform: PlatformName, linkNumber: Condition<number>, limit: number): Promise<Link[]> {
  const found = await collection(db, 'socialAccounts')
    .find({ platform: { $eq: platform }, linkNumber, disconnectedAt: null })
    .sort({ linkNumber: 1 })
    .limit(limit)
    .project<
      Pick<AccountDocument, 'creatorId' | 'handle' | 'platform' | 'ownedAccount' | 'rememberedAccount'> & {
        linkNumber: number;
      }
    >({
      _id: 0,
      linkNumber: 1,
      creatorId: 1,
      handle: 1,
      platform: 1,
      ownedAccount: 1,
      rememberedAccount: 1,
    })
    .toArray();
  return found.map(({ linkNumber: number, creatorId, handle, ...known }) => ({
    number,
    creatorId,
    handle,
    accountId: knownIn({ ...known }),
  }));
}

/** The next distinct values of a field behind one of them; texts only, and not the empty one. */
async function nextIn(
  db: Db,
  name: 'comments' | 'likers',
  list: Document,
  [field, after]: readonly ['author' | 'authorId' | 'handle' | 'igUserId', string],
  limit: number,
): Promise<readonly string[]> {
  const found = await db
    .collection(name)
    .find({ ...list, [field]: { $gt: text(after) } })
    .sort({ [field]: 1 })
    .limit(integer(limit))
    .project<Record<string, string>>({ _id: 0, [field]: 1 })
    .toArray();
  return [...new Set(found.flatMap((each) => each[field] ?? []))];
}

/** The next keys after one of them: numbers, then handles. */
async function nextKeys(
  after: AuthorKey | '',
  numbersAfter: (number: string) => Promise<readonly string[]>,
  handlesAfter: (handle: string) => Promise<readonly string[]>,
): Promise<readonly AuthorKey[]> {
  const number = after === '' ? '' : numberIn(after);
  const numbers = number === null ? [] : await numbersAfter(number);
  if (numbers.length > 0) return numbers.map(numberKey);
  return await handlesAfter(number === null ? after : '');
}
