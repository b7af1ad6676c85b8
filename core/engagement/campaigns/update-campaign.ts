import { DomainError } from '../../errors.ts';
import type { CampaignChanges } from '../../ports/campaign-store.ts';
import { releaseNext, releaseOfDay } from '../attempts/release-held.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Campaign, CampaignWithChallenge } from './campaign.ts';
import { checkDates, checkLimits, checkRules, INSTRUCTIONS } from './create-campaign.ts';
import { requireCampaign } from './find-campaign.ts';

export interface UpdateCampaignInput {
  readonly campaignId: number;
  /** An `instructionText` of null is the sentence that fits the action. */
  readonly changes: {
    readonly [Name in Exclude<keyof CampaignChanges, 'instructionText' | 'isActive' | 'publishedBy'>]?:
      | CampaignChanges[Name]
      | undefined;
  } & { readonly instructionText?: string | null | undefined };
}

/** Lost races before the caller is told to try again; each means that another caller made progress. */
const MAX_TRIES = 10;

/**
 * Changes what is given; a value that is stored already is no change. The points stay once a creator is verified, so every creator of a
 * campaign gets the same. The dates stay once the campaign was ended.
 * @throws DomainError `NOT_FOUND`; `INVALID_REQUEST` for dates in the wrong order, and limits that no reward fits into; `CONFLICT` for points or dates that stay
 */
export function updateCampaign(deps: Needs<'campaigns' | 'attempts', 'queue'>) {
  const { campaigns } = deps.storage;
  return async ({ campaignId, changes }: UpdateCampaignInput): Promise<CampaignWithChallenge> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await requireCampaign(deps.storage, campaignId);
      const wanted = whatDiffers(before, changes);
      if (Object.keys(wanted).length === 0) return before;
      checkRules(before.challenge.action, wanted.rules);
      if ((wanted.limits ?? wanted.pointsReward) != null) checkLimits({ ...before.campaign, ...wanted });
      checkChange(before.campaign, wanted);
      const after = await campaigns.update(before.campaign, wanted);
      if (after === 'points-fixed') {
        const isOfPoints = wanted.pointsReward !== undefined;
        const what = isOfPoints
          ? 'the points'
          : '`terms`, `countHidden`, rules, requirements and whether there are `limits`';
        const message = `A creator was verified: ${what} stay as they are. Create another campaign for other ${isOfPoints ? 'points' : 'ones'}.`;
        throw new DomainError('CONFLICT', message, { details: { pointsReward: before.campaign.pointsReward } });
      }
      if (after === null) continue;
      // Those who wait are paid as far as there is room now.
      if (wanted.limits !== undefined) await releaseNext(deps, after.challenge.id);
      const [was, is] = [before, after].map(({ campaign }) => campaign.limits?.pointsPerCreatorAndDay);
      if (was !== is) await releaseOfDay(deps, after.challenge);
      return after;
    }
    throw new DomainError('CONFLICT', 'The campaign is being changed by others at the moment; try again.');
  };
}

function whatDiffers(
  { campaign, challenge }: CampaignWithChallenge,
  { instructionText, ...changes }: UpdateCampaignInput['changes'],
): CampaignChanges {
  const { instructionText: text, countHidden = false, rules, requires } = challenge;
  const ofChallenge = { instructionText: text, countHidden, rules, requires };
  const stored = { limits: null, terms: null, ...campaign, ...ofChallenge };
  const draw = campaign.terms?.draw;
  const given = {
    ...changes,
    // The commitment was published: the draw stays.
    terms: changes.terms === undefined || draw === undefined ? changes.terms : { ...changes.terms, draw },
    instructionText: instructionText === null ? INSTRUCTIONS[challenge.action] : instructionText,
  };
  const names = Object.keys(given) as (keyof typeof given)[];
  return Object.fromEntries(
    names
      .filter((name) => given[name] !== undefined && isOther(given[name], stored[name] ?? null))
      .map((name) => [name, given[name]]),
  );
}

const isOther = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);

/** @throws DomainError `CONFLICT`, `INVALID_REQUEST` */
function checkChange({ isActive, startsAt, endsAt }: Campaign, changes: CampaignChanges): void {
  if (changes.startsAt === undefined && changes.endsAt === undefined) return;
  if (!isActive) throw new DomainError('CONFLICT', 'The campaign was ended: its dates stay as they are.');
  checkDates({ startsAt, endsAt, ...changes });
}
