import { bytesToHex } from '@noble/hashes/utils.js';
import { gathered } from '../../gather.ts';
import type { Stores } from '../../ports/storage.ts';
import { readLots } from '../campaigns/draw-winners.ts';
import type { Attempt } from './attempt.ts';
import type { Hold } from './attempt-command.ts';
import { attemptsOf } from './find-attempt.ts';
import { lastHandle, loadAttemptFacts } from './load-facts.ts';
import { type AttemptDeps, tryMove } from './move-attempt.ts';
import { jobEntry } from './next-state.ts';
import { isInLine } from './release-held.ts';
import { accountKeys, giveBack, takePlaces } from './reward-places.ts';
import { rulesOf } from './states.ts';
import { goneAmong, type StillThereDeps } from './still-there.ts';
import { whyHeld } from './why-held.ts';

export type IssueRewardDeps = AttemptDeps & StillThereDeps & Stores<'draws' | 'places'>;

/** What rewards of one moment share. */
interface Together extends IssueRewardDeps {
  readonly lotOf: ReturnType<typeof readLots>;
  /** The first two that wait for a place. */
  readonly inLine: (challengeId: number) => Promise<readonly Attempt[] | undefined>;
  readonly run: (payload: { readonly attemptId: number }) => Promise<void>;
}

/**
 * Issues the points of a verified attempt, or holds it: the handler of `issue-reward` jobs. Exactly once, however often it runs: the
 * transition from `verified` has one winner, and every later run finds the attempt rewarded.
 */
export function issueReward(deps: IssueRewardDeps) {
  const lotOf = readLots(deps.storage);
  const fixPoints = gathered(async (challengeIds: readonly number[]) => {
    await Promise.all(challengeIds.map((id) => deps.storage.campaigns.fixPoints(id)));
    return new Map<number, never>();
  });
  // Of a burst at one challenge all see the same line.
  const inLine = gathered(async (challengeIds: readonly number[]) => {
    const lines = challengeIds.map(async (id) => [id, await deps.storage.attempts.inLine(id, 2)] as const);
    return new Map(await Promise.all(lines));
  });
  const together = { ...deps, lotOf, inLine, run };
  return run;
  async function run({ attemptId }: { readonly attemptId: number }): Promise<void> {
    for (;;) {
      const attempt = await deps.storage.attempts.find(attemptId);
      if (attempt !== null && isReversed(attempt)) {
        for (const id of await freedByReversal(deps, attempt)) await run({ attemptId: id });
        return;
      }
      if (attempt === null || rulesOf(attempt.state).awaits !== 'issue-reward') return;
      // What is read of the campaign after this holds for every later reward too.
      await fixPoints(attempt.challengeId);
      // If others moved the attempt meanwhile, it is decided again.
      if (await tryIssue(together, attempt)) return;
    }
  }
}

/**
 * False if others moved the attempt meanwhile, gave its account back, or drew. Places are taken before the move that pays. A move that
 * holds it counts its revision up: no other run that read it as it was can pay then, and what all of them took is given back.
 */
async function tryIssue(deps: Together, attempt: Attempt): Promise<boolean> {
  const { lotOf } = deps;
  // The handle of the verification's announcement, also when the creator has linked another one since.
  const facts = await rewardFacts(deps, attempt);
  const draw = facts.campaign.terms?.draw;
  const lot = draw && (await lotOf(draw.commitment, attempt.id));
  const now = deps.clock.now();
  const line = facts.campaign.limits == null ? [] : await deps.inLine(attempt.challengeId);
  const next = line?.find(({ id }) => id !== attempt.id);
  // Nobody overtakes those who were verified before and wait.
  const hasTurn = next === undefined || isBefore(attempt, next);
  const hold: Hold | null =
    whyHeld(attempt, facts.campaign, lot) ??
    (await whyGone(deps, attempt, facts)) ??
    (hasTurn ? await takePlaces(deps, attempt, facts, now) : { why: 'limit' });
  const leavesLine = isInLine(attempt) && !(hold?.why === 'limit' && hold.checkAt == null);
  // In the write of the move: if the process dies, the next one in line is started all the same.
  const also = leavesLine && next !== undefined ? [rewardOf(deps, next)] : [];
  const command = hold === null ? ({ type: 'issue-reward' } as const) : ({ type: 'hold', ...hold } as const);
  const moved = await tryMove(deps, attempt, facts, { command, also });
  if (moved === null) {
    // A run that was late by so much that others paid and took the points back has taken places again.
    const current = await deps.storage.attempts.find(attempt.id);
    if (current !== null && isReversed(current)) await giveBack(deps, attempt, facts, now);
    return false;
  }
  if (hold !== null) await giveBack(deps, attempt, facts, now);
  // It had a place for a moment, in which others saw none.
  const waiting = hold?.why === 'taken' && facts.campaign.limits != null ? await nextInLine(deps, attempt) : [];
  for (const attemptId of waiting) await deps.run({ attemptId });
  // A run that gave the account back meanwhile may have missed this attempt.
  if (hold?.why === 'taken') return await isTaken(deps, facts);
  // Drawn meanwhile: who releases the participants may have missed this one.
  return draw === undefined || hold?.why !== 'draw' || (await lotOf(draw.commitment, attempt.id)) === 'open';
}

async function rewardFacts(deps: IssueRewardDeps, attempt: Attempt) {
  const facts = await loadAttemptFacts(deps.storage, attempt, lastHandle(attempt));
  return { ...facts, accountKeys: await accountKeys(deps, attempt, facts) };
}
type RewardFacts = Awaited<ReturnType<typeof rewardFacts>>;

/** What is paid at once was just seen, unless it was told to be gone. What has waited may have gone meanwhile. */
async function whyGone(deps: IssueRewardDeps, attempt: Attempt, facts: RewardFacts): Promise<Hold | null> {
  const { held, review, matchedComment } = attempt;
  if (held == null && review == null && matchedComment?.removed === undefined) return null;
  const removal = (await goneAmong(deps, facts, [attempt])).get(attempt);
  return removal === undefined ? null : { why: 'gone', removal };
}

async function isTaken({ storage: { places } }: IssueRewardDeps, { accountKeys: keys }: RewardFacts): Promise<boolean> {
  return (await Promise.all(keys.map((key) => places.used(key)))).some((used) => used > 0);
}

function isBefore(one: Attempt, other: Attempt): boolean {
  const [a, b] = [one, other].map(({ verifiedAt }) => verifiedAt?.getTime() ?? 0) as [number, number];
  return a < b || (a === b && one.id < other.id);
}

const rewardOf = ({ random }: IssueRewardDeps, { id: attemptId }: Attempt) =>
  jobEntry(bytesToHex(random.bytes(16)), { type: 'issue-reward', attemptId });

function isReversed({ entries }: Attempt): boolean {
  return entries?.some(({ reason }) => reason === 'reversal') ?? false;
}

/** Gives the places of the reward back. Returns whose turn it may be then: who has the same account or comment, and the next in line. */
async function freedByReversal(deps: IssueRewardDeps, attempt: Attempt): Promise<readonly number[]> {
  const facts = await rewardFacts(deps, attempt);
  await giveBack(deps, attempt, facts, attempt.rewardedAt ?? attempt.updatedAt);
  const freed = new Set(facts.accountKeys);
  const ids: number[] = [];
  if (freed.size > 0) {
    for await (const some of attemptsOf(deps.storage, facts.challenge, { held: 'taken' })) {
      const ownKeys = (one: Attempt) => accountKeys(deps, one, { ...facts, username: lastHandle(one) ?? '' });
      const keys = await Promise.all(some.map(ownKeys));
      ids.push(...some.filter((_, at) => keys[at]?.some((key) => freed.has(key))).map(({ id }) => id));
    }
  }
  return [...ids, ...(await nextInLine(deps, attempt))];
}

async function nextInLine({ storage }: IssueRewardDeps, { challengeId }: Attempt): Promise<readonly number[]> {
  return (await storage.attempts.inLine(challengeId, 1)).map(({ id }) => id);
}
