import type { Db, Document, Filter } from 'mongodb';
import { atMost } from '../../core/bulk.ts';
import type { NewComment, StoredComment, SweepProgress } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
import { challengeStands } from './attempt-gate.ts';
import { completeAuthors } from './author-numbers.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type CommentDocument, collection, withId } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { checked, chunks, instant, integer, text, texts } from './values.ts';

/** Most authors in one call of `earliestByAuthors`. */
const MAX_AUTHORS = 1_000;

const EARLIEST = { commentedAt: 1, _id: 1 } as const;
const NONE: ReadonlyMap<string, StoredComment> = new Map();

function toComment({ author, metAt, ...comment }: CommentDocument): StoredComment {
  return withId(comment);
}

/** The first comment of each author in an order, by handle or by number. */
async function firstBy(
  db: Db,
  by: 'author' | 'authorId',
  chosen: Filter<CommentDocument>,
  order: Document,
): Promise<ReadonlyMap<string, StoredComment>> {
  const found = await collection(db, 'comments')
    .aggregate<{ first: CommentDocument }>([
      { $match: chosen },
      { $sort: order },
      { $group: { _id: `$${by}`, first: { $first: '$$ROOT' } } },
    ])
    .toArray();
  return new Map(found.map(({ first }) => [first[by] ?? '', toComment(first)]));
}

function foundFor(
  authors: readonly AuthorKey[],
  find: (author: AuthorKey) => StoredComment | undefined,
): ReadonlyMap<AuthorKey, StoredComment> {
  return new Map(
    authors.flatMap((author) => {
      const found = find(author);
      return found === undefined ? [] : [[author, found] as const];
    }),
  );
}

export function createCommentStore(connection: Connection): CommentStore {
  return {
    insertNew: (challengeId, comments, now, progress) =>
      connection.run(async (db) => {
        if (!(await challengeStands(db, integer(challengeId)))) return 0;
        let inserted = 0;
        for (const chunk of chunks(comments)) inserted += await insertChunk(db, challengeId, chunk, now);
        // The purge of a campaign that is deleted meanwhile may have looked for comments before.
        if (!(await challengeStands(db, challengeId))) {
          await collection(db, 'comments').deleteMany({ challengeId });
          return 0;
        }
        if (progress !== undefined) await saveSweep(db, progress);
        return inserted;
      }),

    page: (challengeId, page) =>
      connection.run(async (db) => {
        const chosen = { challengeId: integer(challengeId) };
        const order = { direction: -1, by: 'commentedAt' } as const;
        const { items, total } = await readPage(collection(db, 'comments'), chosen, order, page);
        return { items: items.map(toComment), total };
      }),

    knownAmong: (challengeId, platformCommentIds, since) =>
      connection.run(async (db) => {
        return await knownAmong(db, integer(challengeId), texts(platformCommentIds), since && instant(since));
      }),

    earliestByAuthors: (challengeId, authors, which) =>
      connection.run(async (db) => {
        const { handles, numbers } = splitKeys(texts(atMost(authors, MAX_AUTHORS, 'handles or numbers')));
        const author = { challengeId: integer(challengeId), author: { $in: handles.map(normaliseHandle) } };
        if (which === 'unnumbered') {
          const byHandle = await firstBy(db, 'author', { ...author, authorId: null }, { _id: 1 });
          return foundFor(handles, (handle) => byHandle.get(normaliseHandle(handle)));
        }
        // In the order of the index: sorted by time alone, all of them would be sorted in memory.
        const [byHandle, byNumber] = await Promise.all([
          handles.length === 0 ? NONE : firstBy(db, 'author', author, { author: 1, ...EARLIEST }),
          numbers.length === 0
            ? NONE
            : firstBy(db, 'authorId', { challengeId, authorId: { $in: [...numbers] } }, { authorId: 1, ...EARLIEST }),
        ]);
        return foundFor(authors, (one) => {
          const number = numberIn(one);
          return number === null ? byHandle.get(normaliseHandle(one)) : byNumber.get(number);
        });
      }),

    sweep: (challengeId) =>
      connection.run(async (db) => {
        const progress = await collection(db, 'sweeps').findOne({ _id: integer(challengeId) });
        if (progress === null) return null;
        const { _id, ...rest } = progress;
        return { challengeId: _id, ...rest };
      }),

    beginSweep: (start, last) => connection.run((db) => beginSweep(db, start, last)),

    saveSweep: (progress) => connection.run((db) => saveSweep(db, progress)),
  };
}

async function beginSweep(db: Db, start: SweepProgress, last: SweepProgress | null): Promise<boolean> {
  const { challengeId, ...rest } = start;
  if (!(await challengeStands(db, integer(challengeId)))) return false;
  const sweeps = collection(db, 'sweeps');
  const document = checked({ ...rest });
  if (last === null) {
    const inserted = await sweeps.insertOne({ _id: challengeId, ...document }).catch(failUnlessDuplicate);
    if (inserted === null) return false;
  } else {
    const unchanged = { _id: challengeId, lease: integer(last.lease), updatedAt: instant(last.updatedAt) };
    const { matchedCount } = await sweeps.replaceOne(unchanged, document);
    if (matchedCount === 0) return false;
  }
  return removeIfGone(db, challengeId);
}

async function saveSweep(db: Db, { challengeId, ...progress }: SweepProgress): Promise<void> {
  if (!(await challengeStands(db, integer(challengeId)))) return;
  const sweeps = collection(db, 'sweeps');
  const mine = { _id: challengeId, lease: { $lte: integer(progress.lease) } };
  const document = checked({ ...progress });
  const replace = () => repeatOnClash(() => sweeps.replaceOne(mine, document));
  if ((await replace()).matchedCount === 0) {
    const inserted = await sweeps.insertOne({ _id: challengeId, ...document }).catch(failUnlessDuplicate);
    // What another call has just stored may be of this sweep, too.
    if (inserted === null && (await replace()).matchedCount === 0) throw new SweepTakenOver();
  }
  await removeIfGone(db, challengeId);
}

function failUnlessDuplicate(error: unknown): null {
  if (!isDuplicateKey(error)) throw error;
  return null;
}

/** False if the challenge was deleted meanwhile; then its progress goes, too. */
async function removeIfGone(db: Db, challengeId: number): Promise<boolean> {
  if (await challengeStands(db, challengeId)) return true;
  await collection(db, 'sweeps').deleteOne({ _id: challengeId });
  return false;
}

async function knownAmong(
  db: Db,
  challengeId: number,
  ids: readonly string[],
  since?: Date,
): Promise<ReadonlySet<string>> {
  const known = await collection(db, 'comments')
    .find({ challengeId, platformCommentId: { $in: [...ids] } })
    .project<Pick<CommentDocument, 'platformCommentId' | 'createdAt' | 'metAt'>>({
      _id: 0,
      platformCommentId: 1,
      createdAt: 1,
      metAt: 1,
    })
    .toArray();
  const met = known.filter(({ createdAt, metAt }) => since === undefined || (metAt ?? createdAt) >= since);
  return new Set(met.map(({ platformCommentId }) => platformCommentId));
}

async function insertChunk(db: Db, challengeId: number, comments: readonly NewComment[], now: Date): Promise<number> {
  const byId = new Map(comments.map((comment) => [text(comment.platformCommentId), comment] as const).reverse());
  const known = await knownAmong(db, challengeId, [...byId.keys()]);
  if (known.size > 0) {
    const met = { challengeId, platformCommentId: { $in: [...known] }, createdAt: { $lt: instant(now) } };
    await collection(db, 'comments').updateMany(met, { $set: { metAt: now } });
    await completeAuthors(db, challengeId, byId);
  }
  for (const id of known) byId.delete(id);
  if (byId.size === 0) return 0;
  const firstId = await reserveIds(db, 'comments', byId.size);
  const documents = [...byId.values()].reverse().map(
    (comment, index): CommentDocument => ({
      _id: firstId + index,
      challengeId,
      platformCommentId: comment.platformCommentId,
      username: comment.username,
      author: normaliseHandle(comment.username),
      authorId: comment.authorId == null ? null : text(comment.authorId),
      commentText: comment.commentText,
      commentedAt: comment.commentedAt,
      createdAt: now,
    }),
  );
  const inserted = await insertMissing(db, 'comments', documents, ['challengeId', 'platformCommentId']);
  return inserted.size;
}
