/** Why a verified attempt is not rewarded yet, or never. */
import type { Campaign, CampaignWithChallenge } from '../campaigns/campaign.ts';
import type { Lot } from '../campaigns/draw.ts';
import type { Attempt, HeldReason } from './attempt.ts';
import type { Hold } from './attempt-command.ts';
import { heldUntil } from './keeping.ts';

/** Whether nothing can keep a verified attempt from its reward: then verification and reward are one write. */
export function paysAtOnce({ campaign, challenge }: CampaignWithChallenge): boolean {
  return campaign.limits == null && campaign.terms == null && challenge.requires?.oneRewardPerAccount !== true;
}

/**
 * What keeps the attempt from its reward now, of what the campaign's terms ask. Places are asked for after it. `lot` is how a draw fell
 * on it, if the campaign has one.
 */
export function whyHeld(attempt: Attempt, { terms }: Campaign, lot?: Lot): Hold | null {
  // Only an approval brings it back, once it is there again.
  if (attempt.held?.why === 'gone') return attempt.held;
  const decision = attempt.review?.decision;
  if (decision === 'refuse') return { why: 'refused' };
  if (lot === 'open') return { why: 'draw' };
  if (lot === 'lost') return { why: 'not-drawn' };
  if (decision === 'hold' || (decision === undefined && isReviewed(attempt, terms))) return { why: 'review' };
  const checkAt = heldUntil(attempt, terms);
  return checkAt === null ? null : { why: 'holding', checkAt };
}

function isReviewed({ signals }: Attempt, terms: Campaign['terms']): boolean {
  return terms?.review === 'all' || (terms?.review === 'signals' && (signals?.length ?? 0) > 0);
}

/** For the creator and the brand. */
const WORDS: Readonly<Record<HeldReason, string>> = {
  holding: 'The reward comes once the comment or like was seen again.',
  limit: 'A limit of the campaign is reached. The reward comes if there is room again.',
  taken: 'This account or comment was rewarded already. The reward comes if those points are taken back.',
  review: 'The reward waits for an approval.',
  refused: 'The reward was refused.',
  draw: 'The rewards are drawn by lot.',
  'not-drawn': 'The lot fell on others.',
  gone: 'The comment or like is gone.',
};

/** What keeps an attempt from its reward, with the reason in words; undefined if nothing does. */
export function heldOf({ held }: Pick<Attempt, 'held'>) {
  return held ? { why: held.why, message: WORDS[held.why], since: held.since } : undefined;
}
