/** When attempts may be made and claimed, when claims are checked again, and when attempts run out. */
import { DomainError } from '../../errors.ts';
import type { Attempt } from './attempt.ts';
import { isBeingVerified, rulesOf } from './states.ts';

/** How long a creator has from the first claim on, unless the campaign ends first. */
export const VERIFICATION_WINDOW_MS = 7 * 24 * 60 * 60 * 1000;
/**
 * A verification that is under way at the deadline may still finish: the claim was made in time. After this grace a
 * pending attempt is taken for lost and expires like the others.
 */
export const PENDING_GRACE_MS = 10 * 60 * 1000;
/** An undecided claim is checked a last time this long before its deadline. */
export const LAST_CHECK_BEFORE_MS = 10 * 60 * 1000;

/** True while the campaign takes attempts and claims: active and inside its dates. */
export function isOpen(
  campaign: { readonly isActive: boolean; readonly startsAt: Date | null; readonly endsAt: Date | null },
  now: Date,
): boolean {
  return (
    campaign.isActive &&
    (campaign.startsAt === null || campaign.startsAt <= now) &&
    (campaign.endsAt === null || now < campaign.endsAt)
  );
}

/** The refusal of an attempt or a claim outside a campaign's life. */
export function campaignInactive(campaignId: number): DomainError {
  return new DomainError('CAMPAIGN_INACTIVE', 'The campaign was ended, has not started yet, or is past its end.', {
    details: { campaignId },
  });
}

/** The deadline that a claim sets: the first one stays. */
export function deadlineOfClaim(attempt: Attempt, campaign: { readonly endsAt: Date | null }, now: Date): Date {
  return attempt.verificationDeadline ?? earlier(new Date(now.getTime() + VERIFICATION_WINDOW_MS), campaign.endsAt);
}

/** When a claimed attempt runs out: its own deadline or the campaign's end, which may have been moved forward since. */
export function effectiveDeadline(attempt: Attempt, campaign: { readonly endsAt: Date | null }): Date | null {
  return attempt.verificationDeadline && earlier(attempt.verificationDeadline, campaign.endsAt);
}

/** The attempt as it is shown: with its effective deadline. */
export function withDeadline(attempt: Attempt, campaign: { readonly endsAt: Date | null }): Attempt {
  return { ...attempt, verificationDeadline: effectiveDeadline(attempt, campaign) };
}

/** When an attempt with this deadline expires in its state: verifications under way have their grace. */
export function expiresAt(attempt: Attempt, deadline: Date): Date {
  const grace = isBeingVerified(rulesOf(attempt.state)) ? PENDING_GRACE_MS : 0;
  return new Date(deadline.getTime() + grace);
}

const MINUTE_MS = 60 * 1_000;
/** A list that ended early is mostly whole again soon; one that stays short is asked for twice a day. */
const DELAYS_MS = [15, 60, 3 * 60, 6 * 60, 12 * 60].map((minutes) => minutes * MINUTE_MS);

export interface RecheckPolicy {
  /** Scales the delays between checks; 1 by default. */
  readonly recheckScale?: number;
}

/** How long an undecided claim waits for its next check, in milliseconds. */
export function recheckDelay({ recheck }: Pick<Attempt, 'recheck'>, { recheckScale = 1 }: RecheckPolicy): number {
  const delay = DELAYS_MS[Math.min(recheck?.count ?? 0, DELAYS_MS.length - 1)] ?? 0;
  return delay * recheckScale;
}

/** When an undecided claim is checked again: after `recheckInMs`, or just before its deadline if that is sooner. */
export function timeOfRecheck(deadline: Date | null, now: Date, recheckInMs: number): Date {
  const end = deadline?.getTime() ?? Infinity;
  const lastCheck = end - LAST_CHECK_BEFORE_MS;
  return new Date(Math.min(now.getTime() + recheckInMs, now.getTime() < lastCheck ? lastCheck : end));
}

function earlier(a: Date, b: Date | null): Date {
  return b === null ? a : new Date(Math.min(a.getTime(), b.getTime()));
}
