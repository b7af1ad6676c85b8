import { DomainError } from '../../errors.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from './campaign.ts';

/** @throws DomainError `NOT_FOUND` */
export async function requireCampaign(
  storage: Pick<Storage, 'campaigns'>,
  campaignId: number,
): Promise<CampaignWithChallenge> {
  const found = await storage.campaigns.find(campaignId);
  if (found === null) throw campaignNotFound(campaignId);
  return found;
}

/** The challenge with its campaign. @throws DomainError `NOT_FOUND` */
export async function requireChallenge(
  storage: { readonly campaigns: Pick<Storage['campaigns'], 'find'> },
  challengeId: number,
): Promise<CampaignWithChallenge> {
  const found = await storage.campaigns.find({ challengeId });
  if (found === null) throw challengeNotFound(challengeId);
  return found;
}

export function campaignNotFound(campaignId: number): DomainError {
  return new DomainError('NOT_FOUND', `There is no campaign ${campaignId}.`);
}

export function challengeNotFound(challengeId: number): DomainError {
  return new DomainError('NOT_FOUND', `There is no challenge ${challengeId}.`);
}
