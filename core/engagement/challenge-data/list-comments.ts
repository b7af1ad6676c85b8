import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Storage } from '../../ports/storage.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { StoredComment } from './comment.ts';

export interface ListCommentsDeps {
  readonly storage: Pick<Storage, 'campaigns' | 'comments'>;
}

/** The stored comments of a challenge, newest first; the platform is not asked. @throws DomainError `NOT_FOUND` */
export function listComments(deps: ListCommentsDeps) {
  return async (challengeId: number, page: PageRequest): Promise<Page<StoredComment>> => {
    const found = await deps.storage.comments.page(challengeId, page);
    if (found.total === 0) await requireChallenge(deps.storage, challengeId);
    return found;
  };
}
