/** What a reward takes of what its campaign may pay, and how it is given back. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Place } from '../../ports/place-store.ts';
import type { Stores } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { authorKeyOf } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import type { Hold } from './attempt-command.ts';
import type { EventFacts } from './attempt-events.ts';
import type { Candidate } from './candidates.ts';

/** Storages keep who was rewarded of a campaign with limits side by side. */
export const MOST_REWARDS = 100_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

interface RewardPlace extends Pick<Place, 'key' | 'amount'>, Hold {
  readonly atMost: number;
}

type Found = Pick<CampaignWithChallenge, 'campaign'>;

/** With what the attempt's account is known by, if the challenge rewards an account only once; see `accountKeys`. */
type FoundAccount = CampaignWithChallenge & { readonly accountKeys: readonly string[] };

export const rewardsKey = ({ campaign }: Found) => `rewards:campaign:${campaign.id}`;

/** How many rewards the campaign pays. Its points stay from the first one on, so a budget of points is a number of rewards. */
export function mostRewards({ limits, pointsReward }: Found['campaign']): number {
  const { maxRewards = MOST_REWARDS, pointsBudget } = limits ?? {};
  const budget =
    pointsBudget === undefined || pointsReward === 0 ? MOST_REWARDS : Math.floor(pointsBudget / pointsReward);
  return Math.min(maxRewards, budget, MOST_REWARDS);
}

/** The places of a reward that is issued at a time, in the order in which they are taken. */
function placesOf(attempt: Pick<Attempt, 'userId'>, found: FoundAccount, at: Date): readonly RewardPlace[] {
  const once = (key: string): RewardPlace => ({ key, amount: 1, atMost: 1, why: 'taken' });
  // Last, so that who holds an account is not held by a limit.
  return [...limitsOf(attempt, found, at), ...found.accountKeys.map(once)];
}

function limitsOf({ userId }: Pick<Attempt, 'userId'>, found: Found, at: Date): readonly RewardPlace[] {
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

/** What no second reward of the challenge may have: the account's handle and number, and the comment. */
export async function accountKeys(
  deps: Stores<'creators'>,
  { userId, matchedComment }: Pick<Attempt, 'userId' | 'matchedComment'>,
  { challenge, username }: Pick<EventFacts, 'challenge' | 'username'>,
): Promise<readonly string[]> {
  const { id, platform, requires } = challenge;
  if (requires?.oneRewardPerAccount !== true) return [];
  const links = await deps.storage.creators.accountsOf(userId);
  const link = links.find((one) => one.platform === platform && one.platformUsername === username);
  const accounts = [...new Set([username, ...(link === undefined ? [] : [authorKeyOf(link)])])];
  const { platformCommentId: comment } = matchedComment ?? {};
  return [
    // No handle is left when the creator is erased.
    ...accounts.map((key) => `account:challenge:${id}:${bytesToHex(sha256(utf8ToBytes(key)))}`),
    ...(comment === undefined ? [] : [`comment:challenge:${id}:${comment}`]),
  ];
}

/** Takes the places of a reward in turn. Null if the attempt has them all; else what it is held with. */
export async function takePlaces(
  deps: Stores<'places'>,
  attempt: Attempt,
  found: FoundAccount,
  at: Date,
): Promise<Hold | null> {
  const { id: holder, revision } = attempt;
  for (const { key, amount, atMost, ...hold } of placesOf(attempt, found, at)) {
    if (!(await deps.storage.places.take({ key, holder, revision, amount, atMost }))) return hold;
  }
  return null;
}

/** Tells which of these candidates would have the places of a reward, in turn, after those that it was asked about before. Takes none. */
export function previewPlaces(deps: Stores<'creators' | 'places'>, found: CampaignWithChallenge) {
  const used = new Map<string, number>();
  const usedOf = (key: string) => used.get(key) ?? 0;
  return async (candidates: readonly Candidate[], at: Date): Promise<ReadonlySet<Candidate>> => {
    const asking = candidates.map(async ({ creator, match, link: { platformUsername: username } }) => {
      const attempt = { userId: creator.id, matchedComment: match.comment };
      const keys = await accountKeys(deps, attempt, { ...found, username });
      return placesOf(attempt, { ...found, accountKeys: keys }, at);
    });
    const asked = await Promise.all(asking);
    const keys = new Set(asked.flatMap((places) => places.map(({ key }) => key)));
    const unread = [...keys].filter((key) => !used.has(key));
    await Promise.all(unread.map(async (key) => used.set(key, await deps.storage.places.used(key))));
    const paid = candidates.filter((_, index) => {
      const places = asked[index] ?? [];
      const hasRoom = places.every(({ key, amount, atMost }) => usedOf(key) + amount <= atMost);
      if (hasRoom) for (const { key, amount } of places) used.set(key, usedOf(key) + amount);
      return hasRoom;
    });
    return new Set(paid);
  };
}

/**
 * Gives back what the attempt has taken up to its revision. Only after a move has made sure that no run which read that revision, or an
 * earlier one, can still pay.
 */
export async function giveBack(deps: Stores<'places'>, attempt: Attempt, found: FoundAccount, at: Date): Promise<void> {
  const { id: holder, revision } = attempt;
  for (const { key } of placesOf(attempt, found, at)) await deps.storage.places.release({ key, holder, revision });
}
