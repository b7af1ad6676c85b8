import type { LeaderboardRow } from '../../ports/attempt-store.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Stores } from '../../ports/storage.ts';
import { requireBrand } from './own-brand.ts';

/** Creators by the points that the campaigns of a brand brought them. @throws DomainError `NOT_FOUND` */
export function readLeaderboard({ storage }: Stores<'brands' | 'attempts'>) {
  return async (brandId: number, page: PageRequest): Promise<Page<LeaderboardRow>> => {
    await requireBrand(storage.brands, brandId);
    return storage.attempts.leaderboard(brandId, page);
  };
}
