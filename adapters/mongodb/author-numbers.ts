/** What stored comments lack and a later reading tells: the numbers of their authors above all. */
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import { textKeyOf } from '../../core/engagement/rules/comment-text.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { Database } from './items.ts';
import { text } from './values.ts';

/** Gives stored comments without a number, or without a handle, the one that is told now. */
export async function completeAuthors(
  { comments }: Database,
  challengeId: number,
  told: ReadonlyMap<string, NewComment>,
): Promise<void> {
  const isScoped = [...told.values()].some(({ scopedAuthorId }) => scopedAuthorId != null);
  const unscoped = { scopedAuthorId: { $exists: false } };
  const unanswered = { isReply: { $exists: false } };
  const lacking = {
    $or: [
      { authorId: null },
      { username: '' },
      unanswered,
      { textKey: { $exists: false }, commentText: { $gt: '' } },
      ...(isScoped ? [unscoped] : []),
    ],
  };
  const incomplete = await comments.list({ challengeId, platformCommentId: { $in: [...told.keys()] }, ...lacking });
  const updates = incomplete.flatMap(({ id: _id, platformCommentId, ...stored }) => {
    const given = told.get(platformCommentId);
    const { username: handle = '', authorId: number, scopedAuthorId: scoped, commentText = '' } = given ?? {};
    const named = { username: text(handle), author: normaliseHandle(handle) };
    const textKey = textKeyOf(commentText);
    const isUnscoped = stored.scopedAuthorId === undefined && scoped != null;
    const isSameText = { textKey: { $exists: false }, commentText: { $in: ['', text(commentText)] } };
    const setIf = (filter: object, $set: object) => ({ filter: { _id, ...filter }, update: { $set } });
    return [
      ...(stored.authorId === null && number != null ? [setIf({ authorId: null }, { authorId: text(number) })] : []),
      ...(given?.isReply === undefined ? [] : [setIf(unanswered, { isReply: given.isReply })]),
      ...(textKey === null ? [] : [setIf(isSameText, { textKey })]),
      ...(isUnscoped ? [setIf(unscoped, { scopedAuthorId: text(scoped) })] : []),
      ...(stored.username === '' && handle !== ''
        ? [setIf({ username: '', commentText: '' }, { commentText: text(commentText) }), setIf({ username: '' }, named)]
        : []),
    ];
  });
  await comments.writeAll(updates.map((updateOne) => ({ updateOne })));
}
