/** What is stored about the comments and likers of a post; the platform is not asked. */
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Stores } from '../../ports/storage.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { LikersFetch, StoredComment, StoredLiker } from './comment.ts';

/** The stored comments of a challenge, newest first; the platform is not asked. @throws DomainError `NOT_FOUND` */
export function listComments(deps: Stores<'campaigns' | 'comments'>) {
  return async (challengeId: number, page: PageRequest): Promise<Page<StoredComment>> => {
    const found = await deps.storage.comments.page(challengeId, page);
    if (found.total === 0) await requireChallenge(deps.storage, challengeId);
    return found;
  };
}

/** The most recently requested fetch; null when none was. @throws DomainError `NOT_FOUND` */
export function readLikersStatus(deps: Stores<'campaigns' | 'likers'>) {
  return async (challengeId: number): Promise<LikersFetch | null> => {
    await requireChallenge(deps.storage, challengeId);
    return deps.storage.likers.findFetch({ challengeId });
  };
}

export type LikersList = Awaited<ReturnType<ReturnType<typeof listLikers>>>;

/** A page of the most recent fetch that succeeded, with that fetch; null when none has. @throws DomainError `NOT_FOUND` */
export function listLikers(deps: Stores<'campaigns' | 'likers'>) {
  return async (challengeId: number, page: PageRequest) => {
    const { challenge } = await requireChallenge(deps.storage, challengeId);
    const fetch = await deps.storage.likers.findFetch({ challengeId, status: 'succeeded' });
    const none: Page<StoredLiker> = { items: [], total: 0 };
    return { challenge, fetch, ...(fetch === null ? none : await deps.storage.likers.page(fetch.id, page)) };
  };
}
