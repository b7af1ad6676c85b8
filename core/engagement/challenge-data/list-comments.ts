import { DomainError } from '../../errors.ts';
import type { CampaignStore } from '../../ports/campaign-store.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { StoredComment } from './comment.ts';

export interface ListCommentsDeps {
  readonly campaigns: Pick<CampaignStore, 'findByChallenge'>;
  readonly comments: Pick<CommentStore, 'page'>;
}

/** The stored comments of a challenge, newest first; the platform is not asked. @throws DomainError `NOT_FOUND` */
export function listComments(deps: ListCommentsDeps) {
  return async (challengeId: number, page: PageRequest): Promise<Page<StoredComment>> => {
    const found = await deps.comments.page(challengeId, page);
    if (found.total === 0 && (await deps.campaigns.findByChallenge(challengeId)) === null) {
      throw new DomainError('NOT_FOUND', `There is no challenge ${challengeId}.`);
    }
    return found;
  };
}
