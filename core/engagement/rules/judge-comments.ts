/** Stored comments and the rules of their challenge. */
import { askInPieces, MOST_ASKED } from '../../bulk.ts';
import type { AuthorKey } from '../../platforms/author-key.ts';
import { areOtherAccounts } from '../../platforms/author-key.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { StoredComment } from '../challenge-data/comment.ts';
import { authorKeysOf, knownAccountId, type SocialAccount } from '../creators/creator.ts';
import { textKeyOf } from './comment-text.ts';
import { type Asked, createJudge, type UnmetRule } from './unmet-rules.ts';

type Comments = Pick<CommentStore, 'earliestByAuthors' | 'ofAuthors' | 'firstOfTexts'>;

/** Characters that are judged before others have their turn. */
const TURN = 20_000;

/** What each of these comments of the challenge does not meet. */
export async function judgeComments(
  comments: Pick<CommentStore, 'firstOfTexts'>,
  asked: Asked,
  given: readonly StoredComment[],
): Promise<ReadonlyMap<StoredComment, readonly UnmetRule[]>> {
  const judge = createJudge(asked);
  const judged = new Map<StoredComment, readonly UnmetRule[]>();
  let size = 0;
  for (const comment of given) {
    judged.set(comment, judge(comment));
    size += comment.commentText.length;
    if (size < TURN) continue;
    size = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (asked.challenge.rules?.ownText !== true) return judged;
  const meeting = given.filter((comment) => judged.get(comment)?.length === 0);
  for (const copy of await copiesAmong(comments, asked.challenge.id, meeting)) judged.set(copy, ['same-text']);
  return judged;
}

type Written = Pick<StoredComment, 'commentText' | 'username' | 'authorId' | 'scopedAuthorId'>;

/** Of these comments of a challenge those whose words somebody else has written before. */
export async function copiesAmong<C extends Written>(
  comments: Pick<CommentStore, 'firstOfTexts'>,
  challengeId: number,
  given: readonly C[],
): Promise<readonly C[]> {
  const others = given.flatMap((comment) => {
    const key = textKeyOf(comment.commentText);
    return key === null ? [] : [{ comment, key }];
  });
  const keys = others.map(({ key }) => key);
  const found = await askInPieces(keys, (some) => comments.firstOfTexts(challengeId, some));
  const firsts = new Map(found);
  return others.flatMap(({ comment, key }) => {
    const first = firsts.get(key);
    return first === undefined || isSameAuthor(first, comment) ? [] : [comment];
  });
}

function isSameAuthor(one: Written, other: Written): boolean {
  if (one.authorId != null && other.authorId != null) return one.authorId === other.authorId;
  if (areOtherAccounts(one.scopedAuthorId, other.scopedAuthorId)) return false;
  const isSameId = one.scopedAuthorId != null && one.scopedAuthorId === other.scopedAuthorId;
  return isSameId || normaliseHandle(one.username) === normaliseHandle(other.username);
}

/** As `CommentStore.earliestByAuthors`, of the comments that meet the rules of the challenge. */
export async function earliestThatCounts(
  comments: Comments,
  asked: Asked,
  authors: readonly AuthorKey[],
  which?: 'unnumbered',
): Promise<ReadonlyMap<AuthorKey, StoredComment>> {
  const { id, rules, countHidden } = asked.challenge;
  if (!rules) return comments.earliestByAuthors(id, authors, which, countHidden);
  const found = await comments.ofAuthors(id, authors, countHidden);
  const judged = await judgeComments(comments, asked, [...found.values()].flat());
  const counts = (comment: StoredComment) =>
    judged.get(comment)?.length === 0 && (which === undefined || comment.authorId == null);
  const earliest = new Map<AuthorKey, StoredComment>();
  for (const [author, own] of found) {
    const [first] = own.filter(counts).sort((a, b) => (which === undefined ? 0 : a.id - b.id));
    if (first !== undefined) earliest.set(author, first);
  }
  return earliest;
}

/** What the comment that comes closest does not meet, among all of the authors of these links; null if they have none. */
export async function nearestMiss(
  comments: Comments,
  asked: Asked,
  links: readonly SocialAccount[],
): Promise<readonly UnmetRule[] | null> {
  const { id, countHidden } = asked.challenge;
  const keys = [...new Set(links.flatMap((link) => [...authorKeysOf(link), link.platformUsername]))];
  const found = await comments.ofAuthors(id, keys.slice(0, MOST_ASKED), countHidden);
  const own = links.flatMap((link) => {
    // By its handle a link has what is not known to be another account's.
    const byHandle = (found.get(link.platformUsername) ?? []).filter(
      ({ authorId, scopedAuthorId }) =>
        (authorId == null || [null, authorId].includes(knownAccountId(link))) &&
        !areOtherAccounts(scopedAuthorId, link.scopedAccountId),
    );
    return [
      ...byHandle,
      ...authorKeysOf(link).flatMap((key) => (key === link.platformUsername ? [] : (found.get(key) ?? []))),
    ];
  });
  const misses = [...(await judgeComments(comments, asked, own)).values()].filter((unmet) => unmet.length > 0);
  return misses.sort((one, other) => one.length - other.length)[0] ?? null;
}
