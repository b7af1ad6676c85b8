/** What storage would hold if nothing had been read before a time: by this, somebody is seen again or not. */
import type { AuthorKey } from '../../platforms/author-key.ts';
import type { PlatformDescriptor } from '../../platforms/descriptor.ts';
import type { Storage } from '../../ports/storage.ts';
import type { StoredComment } from '../challenge-data/comment.ts';
import type { MatchingStorage } from './matching.ts';

/**
 * Of comments and likers those that were met since a time. Where sweeps do not read all replies, one that was not told to be gone is taken
 * for met. With `only`, of comments that one alone.
 */
export function readSince(
  { comments, likers }: Pick<Storage, 'comments' | 'likers'>,
  { sweepsReplies }: Pick<PlatformDescriptor, 'sweepsReplies'>,
  { since, only }: { readonly since: Date; readonly only?: string },
): MatchingStorage {
  async function ofAuthors(challengeId: number, authors: readonly AuthorKey[], countHidden?: boolean) {
    const found = await comments.ofAuthors(challengeId, authors, countHidden);
    const ids = [...found.values()].flatMap((own) => own.map(({ platformCommentId }) => platformCommentId));
    const chosen = only === undefined ? ids : ids.filter((id) => id === only);
    const met = await comments.knownAmong(challengeId, [...new Set(chosen)], since);
    const isUnread = ({ platformCommentId: id, isReply }: StoredComment) =>
      isReply === true && !sweepsReplies && (only ?? id) === id;
    const isMet = (comment: StoredComment) => met.has(comment.platformCommentId) || isUnread(comment);
    return new Map([...found].map(([author, own]) => [author, own.filter(isMet)] as const));
  }
  return {
    comments: {
      ofAuthors,
      async earliestByAuthors(challengeId, authors, which, countHidden) {
        const found = await ofAuthors(challengeId, authors, countHidden);
        const earliest = [...found].flatMap(([author, own]) => {
          const first = which === undefined ? own[0] : own.find(({ authorId }) => authorId == null);
          return first === undefined ? [] : [[author, first] as const];
        });
        return new Map(earliest);
      },
      firstOfTexts: (challengeId, keys) => comments.firstOfTexts(challengeId, keys),
      // An ended link has forgotten the account that its comment was matched by.
      knownAmong: async () => new Set(),
      sweep: (challengeId) => comments.sweep(challengeId),
    },
    likers: {
      async findFetch(which) {
        const fetch = await likers.findFetch(which);
        return fetch === null || (fetch.startedAt ?? fetch.requestedAt) < since ? null : fetch;
      },
      among: (which, accounts) => likers.among(which, accounts),
    },
  };
}
