/** The numbers of the accounts that wrote comments. Comments of lists that tell none have no number. */
import type { Db } from 'mongodb';
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentDocument, collection } from './documents.ts';
import { text } from './values.ts';
import { writeBulk } from './write-bulk.ts';

/** Gives stored comments without a number, or without a handle, the one that is told now. */
export async function completeAuthors(
  db: Db,
  challengeId: number,
  told: ReadonlyMap<string, NewComment>,
): Promise<void> {
  const comments = collection(db, 'comments');
  const incomplete = await comments
    .find({
      challengeId,
      platformCommentId: { $in: [...told.keys()] },
      $or: [{ authorId: null }, { username: '' }],
    })
    .project<Pick<CommentDocument, '_id' | 'platformCommentId' | 'username' | 'authorId'>>({
      platformCommentId: 1,
      username: 1,
      authorId: 1,
    })
    .toArray();
  const updates = incomplete.flatMap((stored) => {
    const { username: handle = '', authorId: number } = told.get(stored.platformCommentId) ?? {};
    const { _id } = stored;
    const named = { username: text(handle), author: normaliseHandle(handle) };
    return [
      ...(stored.authorId === null && number != null
        ? [{ filter: { _id, authorId: null }, update: { $set: { authorId: text(number) } } }]
        : []),
      ...(stored.username === '' && handle !== '' ? [{ filter: { _id, username: '' }, update: { $set: named } }] : []),
    ];
  });
  if (updates.length === 0) return;
  await writeBulk(
    comments,
    updates.map((updateOne) => ({ updateOne })),
  );
}
