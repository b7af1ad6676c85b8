import { afterEach, beforeEach } from 'vitest';
import type { CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import { createEngagementWorld, type EngagementWorld, type EngagementWorldOptions } from './engagement-world.ts';
import { openTestStorage, type StorageKind } from './storage.ts';

interface WorldOfTestOptions extends Omit<EngagementWorldOptions, 'storage'> {
  /** The storage of a server; SQLite in memory by default. */
  readonly on?: StorageKind;
}

/** Each test of the block gets a world of its own. Returns the world of the test that runs. */
export function worldOfEachTest({ on, ...options }: WorldOfTestOptions = {}): EngagementWorld {
  const world = {} as EngagementWorld;
  let close: () => Promise<void>;
  beforeEach(async () => {
    const made = on && (await openTestStorage(on));
    Object.assign(world, await createEngagementWorld({ ...options, ...(made && { storage: made.storage }) }));
    close = async () => {
      await world.close();
      await made?.close();
    };
  });
  afterEach(() => close());
  return world;
}

/** A minute later the creator claims, for the first time or again, and the claim is decided. Returns the attempt. */
export async function claimAs(world: EngagementWorld, { challenge }: CampaignWithChallenge, name: string) {
  const { id: challengeId } = challenge;
  const creator = await world.creator(name);
  const open = await world.storage.attempts.find({ challengeId, userId: creator.id });
  const { id } = open ?? (await world.attempt(challengeId, name));
  world.pass(60_000);
  await world.claim(challengeId, id);
  await world.settle();
  return world.getAttempt({ challengeId, attemptId: id });
}
