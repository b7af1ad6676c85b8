/** Reading campaigns: list, detail, summary, participants. */

import type { Caller } from '../../access/token.ts';
import { DomainError } from '../../errors.ts';
import type { ChallengeSummary, ParticipantRow } from '../../ports/attempt-store.ts';
import type { Page, PageRequest, Storage } from '../../ports/storage.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { lastHandle } from '../attempts/load-facts.ts';
import type { AttemptState } from '../attempts/states.ts';
import type { Campaign, CampaignWithChallenge } from './campaign.ts';

export interface ReadCampaignDeps {
  readonly storage: Pick<Storage, 'campaigns' | 'attempts' | 'creators'>;
}

/** Newest first; ended and coming ones too. */
export function listCampaigns({ storage }: ReadCampaignDeps) {
  return (page: PageRequest): Promise<Page<Campaign>> => storage.campaigns.list(page);
}

export interface CampaignDetail extends CampaignWithChallenge {
  /** The attempt of the creator who asks; null for every other caller and before the first attempt. */
  readonly myAttempt: Attempt | null;
}

/** @throws DomainError `NOT_FOUND` */
export function getCampaign({ storage }: ReadCampaignDeps) {
  return async (input: { readonly campaignId: number; readonly caller: Caller | null }): Promise<CampaignDetail> => {
    const found = await requireCampaign(storage, input.campaignId);
    const { caller } = input;
    if (caller?.role !== 'creator' || caller.externalId === null) return { ...found, myAttempt: null };
    const creator = await storage.creators.findByExternalId(caller.externalId);
    const myAttempt = creator && (await storage.attempts.findByCreator(found.challenge.id, creator.id));
    return { ...found, myAttempt };
  };
}

export interface CampaignSummary extends ChallengeSummary {
  readonly campaignId: number;
}

/** Attempts by state and what was issued. @throws DomainError `NOT_FOUND` */
export function summariseCampaign({ storage }: ReadCampaignDeps) {
  return async (campaignId: number): Promise<CampaignSummary> => {
    const { challenge } = await requireCampaign(storage, campaignId);
    return { campaignId, ...(await storage.attempts.summary(challenge.id)) };
  };
}

export interface ListResultsInput extends PageRequest {
  readonly campaignId: number;
  readonly state?: AttemptState | undefined;
}

/**
 * The campaign's attempts with their creators, by attempt id; with the handle that the attempt was last seen with rather
 * than another one of the creator. @throws DomainError `NOT_FOUND`
 */
export function listResults({ storage }: ReadCampaignDeps) {
  return async ({ campaignId, state, page, limit }: ListResultsInput): Promise<Page<ParticipantRow>> => {
    const { challenge } = await requireCampaign(storage, campaignId);
    const filter = state === undefined ? {} : { state };
    const { items, total } = await storage.attempts.participants(challenge.id, challenge.platform, filter, {
      page,
      limit,
    });
    const named = items.map((row) => ({ ...row, platformUsername: lastHandle(row.attempt) || row.platformUsername }));
    return { items: named, total };
  };
}

async function requireCampaign(storage: Pick<Storage, 'campaigns'>, id: number): Promise<CampaignWithChallenge> {
  const found = await storage.campaigns.find(id);
  if (found === null) throw campaignNotFound(id);
  return found;
}

export function campaignNotFound(id: number): DomainError {
  return new DomainError('NOT_FOUND', `There is no campaign ${id}.`);
}
