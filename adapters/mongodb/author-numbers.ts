/** The numbers of the accounts that wrote comments. Comments of earlier releases, and of lists that tell none, have no number. */
import type { Db } from 'mongodb';
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import { type CommentDocument, collection } from './documents.ts';
import { repeatOnClash } from './repeat.ts';
import { text } from './values.ts';
import { writeBulk } from './write-bulk.ts';

/** Gives stored comments without a number the one that is told now. */
export async function addNumbers(db: Db, challengeId: number, told: ReadonlyMap<string, NewComment>): Promise<void> {
  const ids = [...told.values()].flatMap(({ platformCommentId, authorId }) =>
    authorId == null ? [] : platformCommentId,
  );
  if (ids.length === 0) return;
  const comments = collection(db, 'comments');
  const without = await comments
    .find({ challengeId, platformCommentId: { $in: ids }, authorId: { $exists: false } })
    .project<Pick<CommentDocument, '_id' | 'platformCommentId'>>({ platformCommentId: 1 })
    .toArray();
  if (without.length === 0) return;
  // Also before: what dies in between leaves nothing that the next run passes over.
  await compareAnew(db, challengeId);
  await writeBulk(
    comments,
    without.map(({ _id, platformCommentId }) => ({
      updateOne: {
        filter: { _id, authorId: { $exists: false } },
        update: { $set: { authorId: text(told.get(platformCommentId)?.authorId ?? '') } },
      },
    })),
  );
  await compareAnew(db, challengeId);
}

/** Lets the next run compare everything again. One that is under way saves no more. */
async function compareAnew(db: Db, challengeId: number): Promise<void> {
  const anew = { $set: { rule: '', linkedUpTo: 0, handlesAfter: '' }, $inc: { revision: 1 } };
  const progress = collection(db, 'matchingProgress');
  await repeatOnClash(() => progress.updateOne({ _id: challengeId }, anew, { upsert: true }));
}
