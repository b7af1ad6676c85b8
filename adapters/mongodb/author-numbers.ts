/** The numbers of the accounts that wrote comments. Comments of lists that tell none have no number. */
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { Database } from './items.ts';
import { text } from './values.ts';
import { writeBulk } from './write-bulk.ts';

/** Gives stored comments without a number, or without a handle, the one that is told now. */
export async function completeAuthors(
  { comments }: Database,
  challengeId: number,
  told: ReadonlyMap<string, NewComment>,
): Promise<void> {
  const lacking = { $or: [{ authorId: null }, { username: '' }] };
  const incomplete = await comments.list({ challengeId, platformCommentId: { $in: [...told.keys()] }, ...lacking });
  const updates = incomplete.flatMap(({ id: _id, platformCommentId, ...stored }) => {
    const { username: handle = '', authorId: number } = told.get(platformCommentId) ?? {};
    const named = { username: text(handle), author: normaliseHandle(handle) };
    return [
      ...(stored.authorId === null && number != null
        ? [{ filter: { _id, authorId: null }, update: { $set: { authorId: text(number) } } }]
        : []),
      ...(stored.username === '' && handle !== '' ? [{ filter: { _id, username: '' }, update: { $set: named } }] : []),
    ];
  });
  await writeBulk(
    comments.raw,
    updates.map((updateOne) => ({ updateOne })),
  );
}
