import { DomainError } from '../../errors.ts';
import { authorKeys } from '../../platforms/author-key.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import type { Stores } from '../../ports/storage.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { CommentRules } from '../campaigns/terms.ts';
import type { StoredComment } from '../challenge-data/comment.ts';
import { judgeComments } from './judge-comments.ts';
import { type KnowPublishersDeps, knowPublishers } from './know-publishers.ts';
import { needsPublishers, type UnmetRule } from './unmet-rules.ts';

export interface PreviewRulesInput {
  readonly campaignId: number;
  /** The challenge's own if left out; null: none. */
  readonly rules?: CommentRules | null | undefined;
  /** Most comments that are shown. */
  readonly limit: number;
}

type Example = Pick<StoredComment, 'username' | 'commentText' | 'commentedAt'> & {
  readonly unmetRules: readonly UnmetRule[];
};

/** Comments that are looked at, the newest ones. */
export const MOST_JUDGED = 10_000;
const ROUND = 2_500;

/**
 * Tells which stored comments meet rules, and which rules the others fail. Writes nothing, and reads the post only to learn who published
 * it, if the rules ask for that. @throws DomainError `NOT_FOUND`; `INVALID_REQUEST` for a challenge that asks for likes
 */
export function previewRules(
  deps: Stores<'campaigns' | 'comments'> & Pick<KnowPublishersDeps, 'platforms' | 'logger'>,
) {
  const { comments, campaigns } = deps.storage;
  const withoutWriting = { ...deps, campaigns: { update: async () => null } };
  return async (input: PreviewRulesInput, call: Pick<PlatformCallOptions, 'signal' | 'caller'> = {}) => {
    const { campaign, challenge } = await requireCampaign({ campaigns }, input.campaignId);
    if (challenge.action === 'like')
      throw new DomainError('INVALID_REQUEST', 'The challenge asks for likes: there are no comments to judge.');
    const { rules = challenge.rules ?? null } = input;
    const asked = await knowPublishers(withoutWriting, { campaign, challenge: { ...challenge, rules } }, call);
    const unmet: Partial<Record<UnmetRule, number>> = {};
    const authors = new Set<string>();
    const [counting, failing]: [Example[], Example[]] = [[], []];
    let [judged, matching, total] = [0, 0, 0];
    for (let [seen, last] = [0, undefined as StoredComment | undefined]; seen < MOST_JUDGED; ) {
      call.signal?.throwIfAborted();
      const after = last && { id: last.id, at: last.commentedAt };
      const page = await comments.page(challenge.id, { page: 1, limit: ROUND, after });
      total = page.total;
      const seenByOthers = page.items.filter(
        ({ withheld }) => !withheld || (withheld === 'hidden' && challenge.countHidden),
      );
      for (const [comment, failed] of await judgeComments(comments, asked, seenByOthers)) {
        judged += 1;
        if (failed.length === 0) {
          matching += 1;
          authors.add(authorKeys(comment)[0] ?? '');
        }
        for (const rule of failed) unmet[rule] = (unmet[rule] ?? 0) + 1;
        const { username, commentText, commentedAt } = comment;
        const shown = failed.length === 0 ? counting : failing;
        if (shown.length < input.limit) shown.push({ username, commentText, commentedAt, unmetRules: failed });
      }
      seen += page.items.length;
      last = page.items.at(-1);
      if (page.items.length < ROUND) break;
    }
    const publishersKnown = !needsPublishers(asked.challenge) || asked.challenge.publishedBy !== undefined;
    const counts = { comments: total, judged, matching, matchingAuthors: authors.size, unmet };
    // The newest that count and then the newest that fail; half of them each, if there are enough.
    const half = Math.max(Math.ceil(input.limit / 2), input.limit - failing.length);
    const examples = [...counting.slice(0, half), ...failing].slice(0, input.limit);
    return { campaignId: campaign.id, ...counts, publishersKnown, examples };
  };
}
