/** Whether a creator's account is what a challenge requires. */
import type { AccountRequirements } from '../campaigns/terms.ts';
import { isOutOfReach, isPermanent } from '../challenge-data/platform-failure.ts';
import type { ProfileData, SocialAccount } from '../creators/creator.ts';
import { REQUIREMENT_NAMES, type Requirement } from '../rules/unmet-rules.ts';

/** What the link and its profile tell of an account; what the profile does not tell is unknown. */
export type AccountFacts = Pick<SocialAccount, 'profileData' | 'ownershipProven'>;

export interface AccountVerdict {
  /** `unknown`: it may be met, and the campaign waits until that is known. */
  readonly kind: 'met' | 'unmet' | 'unknown';
  /** What is not met, or what is not known; empty if met. */
  readonly names: readonly Requirement[];
}

export const MET: AccountVerdict = { kind: 'met', names: [] };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Judges an account by what is known of it. What is not known counts as the campaign says; by default it waits. */
export function judgeAccount(requires: AccountRequirements, facts: AccountFacts, now: Date): AccountVerdict {
  const answers = answersOf(requires, facts, now);
  const namesOf = (answer: boolean | null) => REQUIREMENT_NAMES.filter((name) => answers[name] === answer);
  const [unmet, unknown] = [namesOf(false), namesOf(null)];
  const { unknown: counts = 'wait' } = requires;
  const failing = counts === 'fail' ? [...unmet, ...unknown] : unmet;
  if (failing.length > 0) return { kind: 'unmet', names: failing };
  return counts === 'wait' && unknown.length > 0 ? { kind: 'unknown', names: unknown } : MET;
}

/** Whether each requirement is met; null if that is not known. */
function answersOf(
  requires: AccountRequirements,
  { profileData, ownershipProven }: AccountFacts,
  now: Date,
): Readonly<Record<Requirement, boolean | null>> {
  const { followers, posts, is_private: isPrivate, created_at: createdAt } = profileData;
  const age = createdAt === undefined ? undefined : (now.getTime() - Date.parse(createdAt)) / DAY_MS;
  return {
    followers: isAtLeast(followers, requires.minFollowers),
    posts: isAtLeast(posts, requires.minPosts),
    'account-age': isAtLeast(age, requires.minAccountAgeDays),
    private: requires.public !== true || (isPrivate === undefined ? null : !isPrivate),
    'not-proven': requires.provenOnly !== true || ownershipProven,
  };
}

function isAtLeast(value: number | undefined, least: number | undefined): boolean | null {
  if (least === undefined) return true;
  return value === undefined ? null : value >= least;
}

/** Whether the profile has to be read before the account can be judged. */
export function needsProfile({ minFollowers, minPosts, minAccountAgeDays, ...flags }: AccountRequirements): boolean {
  return flags.public === true || [minFollowers, minPosts, minAccountAgeDays].some((least) => least !== undefined);
}

/**
 * The profile as it is now, for a claim. What is stored, if reading it again will bring nothing else.
 * @throws the platform's transient failures
 */
export async function profileNow(account: SocialAccount, read: () => Promise<ProfileData>): Promise<SocialAccount> {
  try {
    return { ...account, profileData: await read() };
  } catch (error) {
    if (!isPermanent(error) && !isOutOfReach(error)) throw error;
    return account;
  }
}
