/** What became of a creator: all attempts, and what was sent about them. */
import { noSuch } from '../../errors.ts';
import type { BrandPoints, RewardsOf } from '../../ports/attempt-store.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Stores } from '../../ports/storage.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { Delivery } from '../webhooks/webhook.ts';

/** An attempt, and what it was at. */
export interface AttemptAtCampaign extends CampaignWithChallenge {
  readonly attempt: Attempt;
}

type HistoryDeps = Stores<'creators' | 'campaigns' | 'attempts' | 'deliveries'>;

/** Newest first. @throws DomainError `NOT_FOUND` */
export function listCreatorAttempts(deps: HistoryDeps) {
  const { storage } = deps;
  return async (userId: number, page: PageRequest): Promise<Page<AttemptAtCampaign>> => {
    if ((await storage.creators.find(userId)) === null) throw noSuch('creator', userId);
    return withCampaigns(storage, await storage.attempts.ofCreator(userId, page));
  };
}

/** The points of a creator: the sums by brand, and a page of the rewards that they come from, newest first. */
export interface CreatorPoints extends Page<AttemptAtCampaign> {
  readonly byBrand: readonly BrandPoints[];
}

/**
 * A brand reads its own rewards. It is not told whether there is a creator who has none of it.
 * @throws DomainError `NOT_FOUND`
 */
export function readCreatorPoints(deps: HistoryDeps) {
  const { storage } = deps;
  return async (userId: number, page: PageRequest, own: { readonly brandId?: number }): Promise<CreatorPoints> => {
    const { brandId } = own;
    const only: RewardsOf = { rewardedBy: brandId === undefined ? 'all' : { brandId } };
    if (brandId === undefined && (await storage.creators.find(userId)) === null) throw noSuch('creator', userId);
    const [byBrand, attempts] = await Promise.all([
      storage.attempts.pointsByBrand(userId, only),
      storage.attempts.ofCreator(userId, page, only),
    ]);
    return { byBrand, ...(await withCampaigns(storage, attempts)) };
  };
}

async function withCampaigns(
  storage: HistoryDeps['storage'],
  { items, total }: Page<Attempt>,
): Promise<Page<AttemptAtCampaign>> {
  // A campaign with attempts stays.
  const found = items.map(async (attempt) => ({ attempt, ...(await requireChallenge(storage, attempt.challengeId)) }));
  return { items: await Promise.all(found), total };
}

/** The newest 100 about the newest 100 attempts, newest first. @throws DomainError `NOT_FOUND` */
export function listCreatorDeliveries(deps: HistoryDeps) {
  const { storage } = deps;
  return async (userId: number): Promise<readonly Delivery[]> => {
    if ((await storage.creators.find(userId)) === null) throw noSuch('creator', userId);
    const { items } = await storage.attempts.ofCreator(userId, { page: 1, limit: 100 });
    const attemptIds = items.map(({ id }) => id);
    return attemptIds.length === 0 ? [] : storage.deliveries.search({ attemptIds }, 100);
  };
}
