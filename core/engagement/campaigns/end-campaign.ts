import { DomainError, noSuch } from '../../errors.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Campaign } from './campaign.ts';
import { requireCampaign } from './find-campaign.ts';

export type EndedCampaign = Campaign & { readonly isActive: false; readonly endsAt: Date };

/**
 * Ends a campaign now, unless it has ended earlier; idempotent. Attempts and rewards stay, but nothing can be claimed any
 * more. @throws DomainError `NOT_FOUND`
 */
export function endCampaign(deps: Needs<'campaigns', 'clock'>) {
  return async (campaignId: number): Promise<EndedCampaign> => {
    const { campaigns } = deps.storage;
    const now = deps.clock.now();
    for (;;) {
      const { campaign } = await requireCampaign(deps.storage, campaignId);
      if (!campaign.isActive) return { ...campaign, isActive: false, endsAt: campaign.endsAt ?? now };
      const endsAt = campaign.endsAt !== null && campaign.endsAt < now ? campaign.endsAt : now;
      const ended = await campaigns.update(campaign, { isActive: false, endsAt });
      // Null: others have changed it meanwhile.
      if (ended !== null && ended !== 'points-fixed') return { ...ended.campaign, isActive: false, endsAt };
    }
  };
}

/**
 * Removes a campaign that nobody has tried, with its challenge, stored comments, likers and metrics.
 * @throws DomainError `NOT_FOUND`, `CAMPAIGN_HAS_ATTEMPTS`
 */
export function deleteCampaign(deps: Needs<'campaigns'>) {
  return async (campaignId: number): Promise<void> => {
    const outcome = await deps.storage.campaigns.delete(campaignId);
    if (outcome === 'not-found') throw noSuch('campaign', campaignId);
    if (outcome === 'has-attempts') {
      throw new DomainError(
        'CAMPAIGN_HAS_ATTEMPTS',
        'The campaign has attempts and cannot be deleted; end it instead.',
      );
    }
  };
}
