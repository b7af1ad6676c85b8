/** Rewards that wait for room in the limits of their campaigns: who is tried when. */
import { inPieces } from '../../bulk.ts';
import type { NewJob } from '../../ports/job-queue.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Attempt } from './attempt.ts';
import { attemptsOf } from './find-attempt.ts';
import { mostRewards, rewardsKey } from './reward-places.ts';

const BATCH = 500;

const rewardJob = ({ id }: Attempt): NewJob => ({
  type: 'issue-reward',
  key: `issue-reward:held:${id}`,
  payload: { attemptId: id },
});

/** It waits for others of its campaign, and not for another day. Once that has come, a check puts it in line. */
export function isInLine({ held, checkAt }: Pick<Attempt, 'held' | 'checkAt'>): boolean {
  return held?.why === 'limit' && checkAt == null;
}

/** Starts the reward of the first that waits, which starts the next one if it is paid. Returns whether any waits. */
export async function releaseNext(deps: Needs<'attempts', 'queue'>, challengeId: number): Promise<boolean> {
  const jobs = (await deps.storage.attempts.inLine(challengeId, 1)).map(rewardJob);
  if (jobs.length > 0) await deps.queue.enqueue(jobs);
  return jobs.length > 0;
}

/** Starts the rewards that wait for another day: what a creator may get on one was changed. */
export async function releaseOfDay(deps: Needs<'attempts', 'queue'>, challenge: Challenge): Promise<void> {
  for await (const held of attemptsOf(deps.storage, challenge, { held: 'limit' })) {
    await deps.queue.enqueue(held.filter((attempt) => !isInLine(attempt)).map(rewardJob));
  }
}

/**
 * Starts the rewards for which there is room. To be called every now and then, by one process at a time: what
 * gives room back starts the next reward itself, unless its process dies. Returns how many it started.
 */
export function releaseHeld(deps: Needs<'attempts' | 'campaigns' | 'places', 'queue'>) {
  const { attempts, campaigns, places } = deps.storage;
  return async (): Promise<number> => {
    let started = 0;
    for await (const challengeIds of inPieces<number>((last = 0) => attempts.challengesInLine(last, BATCH))) {
      for (const challengeId of challengeIds) {
        const found = await campaigns.find({ challengeId });
        const hasRoom = found !== null && (await places.used(rewardsKey(found))) < mostRewards(found.campaign);
        if (hasRoom && (await releaseNext(deps, challengeId))) started += 1;
      }
    }
    return started;
  };
}
