/** What a reward takes of what its campaign may pay, and how it is given back. */
import type { Place } from '../../ports/place-store.ts';
import type { Stores } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import type { Attempt } from './attempt.ts';
import type { Hold } from './attempt-command.ts';

/** Storages keep who was rewarded of a campaign with limits side by side. */
export const MOST_REWARDS = 100_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

interface RewardPlace extends Pick<Place, 'key' | 'amount'>, Hold {
  readonly atMost: number;
}

type Found = Pick<CampaignWithChallenge, 'campaign'>;

export const rewardsKey = ({ campaign }: Found) => `rewards:campaign:${campaign.id}`;

/** How many rewards the campaign pays. Its points stay from the first one on, so a budget of points is a number of rewards. */
export function mostRewards({ limits, pointsReward }: Found['campaign']): number {
  const { maxRewards = MOST_REWARDS, pointsBudget } = limits ?? {};
  const budget =
    pointsBudget === undefined || pointsReward === 0 ? MOST_REWARDS : Math.floor(pointsBudget / pointsReward);
  return Math.min(maxRewards, budget, MOST_REWARDS);
}

/** The places of a reward that is issued at a time, in the order in which they are taken. */
function placesOf({ userId }: Attempt, found: Found, at: Date): readonly RewardPlace[] {
  const { brandId, limits, pointsReward: amount } = found.campaign;
  if (limits == null) return [];
  const day = at.toISOString().slice(0, 10);
  return [
    {
      key: `points:brand:${brandId}:creator:${userId}:${day}`,
      amount,
      atMost: limits.pointsPerCreatorAndDay ?? Number.MAX_SAFE_INTEGER,
      why: 'limit',
      note: 'the points of the day are used up',
      checkAt: new Date(Date.parse(day) + DAY_MS),
    },
    { key: rewardsKey(found), amount: 1, atMost: mostRewards(found.campaign), why: 'limit' },
  ];
}

/** Takes the places of a reward in turn. Null if the attempt has them all; else what it is held with. */
export async function takePlaces(
  deps: Stores<'places'>,
  attempt: Attempt,
  found: Found,
  at: Date,
): Promise<Hold | null> {
  const { id: holder, revision } = attempt;
  for (const { key, amount, atMost, ...hold } of placesOf(attempt, found, at)) {
    if (!(await deps.storage.places.take({ key, holder, revision, amount, atMost }))) return hold;
  }
  return null;
}

/**
 * Gives back what the attempt has taken up to its revision. Only after a move has made sure that no run which read that revision, or an
 * earlier one, can still pay.
 */
export async function giveBack(deps: Stores<'places'>, attempt: Attempt, found: Found, at: Date): Promise<void> {
  const { id: holder, revision } = attempt;
  for (const { key } of placesOf(attempt, found, at)) await deps.storage.places.release({ key, holder, revision });
}
