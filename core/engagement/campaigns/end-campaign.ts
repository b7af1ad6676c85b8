import { DomainError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Campaign } from './campaign.ts';
import { campaignNotFound } from './find-campaign.ts';

export interface EndCampaignDeps {
  readonly storage: Pick<Storage, 'campaigns'>;
  readonly clock: Clock;
}

export type EndedCampaign = Campaign & { readonly isActive: false; readonly endsAt: Date };

/**
 * Ends a campaign now, unless it has ended earlier; idempotent. Attempts and rewards stay, but nothing can be claimed any
 * more. @throws DomainError `NOT_FOUND`
 */
export function endCampaign(deps: EndCampaignDeps) {
  return async (campaignId: number): Promise<EndedCampaign> => {
    const now = deps.clock.now();
    const campaign = await deps.storage.campaigns.end(campaignId, now);
    if (campaign === null) throw campaignNotFound(campaignId);
    return { ...campaign, isActive: false, endsAt: campaign.endsAt ?? now };
  };
}

/**
 * Removes a campaign that nobody has tried, with its challenge, stored comments, likers and metrics.
 * @throws DomainError `NOT_FOUND`, `CAMPAIGN_HAS_ATTEMPTS`
 */
export function deleteCampaign(deps: Pick<EndCampaignDeps, 'storage'>) {
  return async (campaignId: number): Promise<void> => {
    const outcome = await deps.storage.campaigns.delete(campaignId);
    if (outcome === 'not-found') throw campaignNotFound(campaignId);
    if (outcome === 'has-attempts') {
      throw new DomainError(
        'CAMPAIGN_HAS_ATTEMPTS',
        'The campaign has attempts and cannot be deleted; end it instead.',
      );
    }
  };
}
