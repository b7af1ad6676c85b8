import { afterEach, beforeEach } from 'vitest';
import type { CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import { createEngagementWorld, type EngagementWorld } from './engagement-world.ts';
import { openTestStorage } from './storage.ts';

/** Each test of the block gets a world of its own on a real storage. */
export function onStorage(kind: Parameters<typeof openTestStorage>[0], use: (world: EngagementWorld) => void): void {
  let close: () => Promise<void>;
  beforeEach(async () => {
    const made = await openTestStorage(kind);
    const world = await createEngagementWorld({ storage: made.storage });
    close = async () => {
      await world.close();
      await made.close();
    };
    use(world);
  });
  afterEach(() => close());
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
