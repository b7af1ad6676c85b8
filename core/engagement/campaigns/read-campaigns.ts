/** Reading campaigns: list, detail, summary, participants. */

import type { Caller } from '../../access/token.ts';
import { DomainError } from '../../errors.ts';
import type { ChallengeSummary, ParticipantFilter, ParticipantRow } from '../../ports/attempt-store.ts';
import type { CampaignFilter, CampaignState } from '../../ports/campaign-store.ts';
import type { Page, PageRequest, Storage, Stores } from '../../ports/storage.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { lastHandle } from '../attempts/load-facts.ts';
import { rewardsKey } from '../attempts/reward-places.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Campaign, CampaignWithChallenge } from './campaign.ts';
import { requireCampaign } from './find-campaign.ts';

export interface ListCampaignsInput extends Omit<CampaignFilter, 'state' | 'attemptOf'> {
  /** How the campaigns stand now. */
  readonly state?: CampaignState | undefined;
  /** Those in which this caller, a creator, has an attempt. */
  readonly ofCaller?: Caller | null | undefined;
}

/**
 * Ended and coming ones too, unless the filter leaves them out.
 * @throws DomainError `INVALID_REQUEST` if the campaigns of a caller are wanted who is no creator
 */
export function listCampaigns(deps: Needs<'campaigns' | 'attempts' | 'creators', 'clock'>) {
  const { campaigns, creators } = deps.storage;
  return async (
    page: PageRequest,
    { state, ofCaller, ...filter }: ListCampaignsInput = {},
  ): Promise<Page<Campaign>> => {
    const standing = state === undefined ? {} : { state: { name: state, now: deps.clock.now() } };
    if (ofCaller === undefined) return campaigns.list(page, { ...filter, ...standing });
    if (ofCaller?.role !== 'creator' || ofCaller.externalId === null) {
      throw new DomainError(
        'INVALID_REQUEST',
        'Invalid request: query.mine: only the token of a creator has campaigns.',
      );
    }
    const creator = await creators.find({ externalId: ofCaller.externalId });
    if (creator === null) return { items: [], total: 0 };
    return campaigns.list(page, { ...filter, ...standing, attemptOf: creator.id });
  };
}

export interface CampaignDetail extends CampaignWithChallenge {
  /** The attempt of the creator who asks; null for every other caller and before the first attempt. */
  readonly myAttempt: Attempt | null;
  /** What of the limits is used. */
  readonly limitsUsed?: { readonly rewards: number; readonly points: number };
}

/** @throws DomainError `NOT_FOUND` */
export function getCampaign(deps: Stores<'campaigns' | 'attempts' | 'creators' | 'places'>) {
  return async (input: { readonly campaignId: number; readonly caller: Caller | null }): Promise<CampaignDetail> => {
    const stored = await requireCampaign(deps.storage, input.campaignId);
    const found = { ...stored, ...(await limitsUsed(deps.storage, stored)) };
    const { role, externalId = null } = input.caller ?? {};
    const { attempts, creators } = deps.storage;
    const creator = role === 'creator' && externalId !== null ? await creators.find({ externalId }) : null;
    const myAttempt = creator && (await attempts.find({ challengeId: found.challenge.id, userId: creator.id }));
    return { ...found, myAttempt };
  };
}

async function limitsUsed({ places }: Pick<Storage, 'places'>, found: CampaignWithChallenge) {
  if (found.campaign.limits == null) return {};
  const rewards = await places.used(rewardsKey(found));
  return { limitsUsed: { rewards, points: rewards * found.campaign.pointsReward } };
}

export interface CampaignSummary extends ChallengeSummary {
  readonly campaignId: number;
}

/** Attempts by state and what was issued. @throws DomainError `NOT_FOUND` */
export function summariseCampaign(deps: Stores<'campaigns' | 'attempts' | 'creators'>) {
  return async (campaignId: number): Promise<CampaignSummary> => {
    const { challenge } = await requireCampaign(deps.storage, campaignId);
    return { campaignId, ...(await deps.storage.attempts.summary(challenge.id)) };
  };
}

export interface ListResultsInput extends PageRequest, Pick<ParticipantFilter, 'state' | 'signal' | 'held' | 'sort'> {
  readonly campaignId: number;
  /** Only creators whose external id, display name or handle on the platform begins with it. */
  readonly text?: string | undefined;
}

/** Creators that a text may find; a longer one finds the others. */
const MOST_FOUND = 1_000;

/**
 * The campaign's attempts with their creators. Each has the handle that the attempt was last seen with,
 * rather than another one of the creator. @throws DomainError `NOT_FOUND`
 */
export function listResults(deps: Stores<'campaigns' | 'attempts' | 'creators'>) {
  return async (input: ListResultsInput): Promise<Page<ParticipantRow>> => {
    const { campaignId, text, page, limit, after, ...filter } = input;
    const { attempts, creators } = deps.storage;
    const { id, platform } = (await requireCampaign(deps.storage, campaignId)).challenge;
    const named = text === undefined ? null : await creators.search({ text, platform, limit: MOST_FOUND });
    const which = named === null ? filter : { ...filter, userIds: named.map((creator) => creator.id) };
    const { items, total } = await attempts.participants(id, platform, which, { page, limit, after });
    const rows = items.map((row) => ({ ...row, platformUsername: lastHandle(row.attempt) || row.platformUsername }));
    return { items: rows, total };
  };
}
