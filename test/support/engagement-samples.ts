/** Plain domain objects for tests of the engagement core. */
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import type { AttemptContext } from '../../core/engagement/attempts/attempt-command.ts';
import { newAttempt } from '../../core/engagement/attempts/new-attempt.ts';
import type { Campaign, Challenge } from '../../core/engagement/campaigns/campaign.ts';
import { newCampaign, newChallenge } from '../contract/storage/samples.ts';

export const T0 = new Date('2026-03-01T12:00:00.000Z');

export function sampleCampaign(changes: Partial<Campaign> = {}): Campaign {
  return { id: 5, ...newCampaign({ brandId: 3, createdAt: T0 }), ...changes };
}

export function sampleChallenge(changes: Partial<Challenge> = {}): Challenge {
  return { id: 9, campaignId: 5, ...newChallenge(), ...changes };
}

export function sampleAttempt(changes: Partial<Attempt> = {}): Attempt {
  return { id: 77, ...newAttempt({ userId: 11, challengeId: 9, username: 'alice', now: T0 }), ...changes };
}

export function sampleContext(changes: Partial<AttemptContext> = {}): AttemptContext {
  let ids = 0;
  return {
    campaign: sampleCampaign(),
    challenge: sampleChallenge(),
    creator: { id: 11, externalId: 'ext-11' },
    username: 'alice',
    now: T0,
    newId: () => `id-${++ids}`,
    ...changes,
  };
}
