import { noSuch } from '../../errors.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from './campaign.ts';

/** @throws DomainError `NOT_FOUND` */
export async function requireCampaign(
  storage: Pick<Storage, 'campaigns'>,
  campaignId: number,
): Promise<CampaignWithChallenge> {
  const found = await storage.campaigns.find(campaignId);
  if (found === null) throw noSuch('campaign', campaignId);
  return found;
}

/** The challenge with its campaign. @throws DomainError `NOT_FOUND` */
export async function requireChallenge(
  storage: { readonly campaigns: Pick<Storage['campaigns'], 'find'> },
  challengeId: number,
): Promise<CampaignWithChallenge> {
  const found = await storage.campaigns.find({ challengeId });
  if (found === null) throw noSuch('challenge', challengeId);
  return found;
}
