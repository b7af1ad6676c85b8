/** Whether a comment or like is kept: for how long before the reward and after it, and what comes of it. Pure. */
import type { RewardTerms } from '../campaigns/terms.ts';
import type { Withheld } from '../challenge-data/comment.ts';
import type { AttemptEventName } from '../webhooks/outbox.ts';
import { type Attempt, entriesOf } from './attempt.ts';
import type { AttemptContext, Change, Decision } from './attempt-command.ts';
import { jobEntry, move, noted, stay } from './next-state.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long an undecided check waits for the next one, and how long a hidden comment may be shown again. */
export const CHECK_AGAIN_MS = 6 * 60 * 60 * 1_000;
/** The longer a check stays undecided, the rarer it gets: up to once a week. */
const LONGEST_WAIT_MS = 7 * DAY_MS;

type Terms = RewardTerms | null | undefined;

/** When what happened to an attempt. */
type Times = Pick<Attempt, 'verifiedAt' | 'lastVerificationAt' | 'rewardedAt'>;

/** The end of the time before the reward; null once the creator was seen again after it, and if nothing is to be kept. */
export const heldUntil = (attempt: Times, terms: Terms) => endOf(attempt, attempt.verifiedAt, terms?.holdDays);

/** As `heldUntil`, of the time after the reward. */
export const recheckedAt = (attempt: Times, terms: Terms) => endOf(attempt, attempt.rewardedAt, terms?.recheckDays);

function endOf(attempt: Times, from: Date | null, days: number | undefined): Date | null {
  const { lastVerificationAt: seenAt } = attempt;
  if (days === undefined || from === null || seenAt === null || !wasSeen(attempt)) return null;
  const end = new Date(from.getTime() + days * DAY_MS);
  return seenAt < end ? end : null;
}

/** An attempt that an admin verified was never seen on the platform, so there is nothing to look for. */
export function wasSeen({ verifiedAt, lastVerificationAt: seenAt }: Times): boolean {
  return verifiedAt !== null && seenAt !== null && seenAt >= verifiedAt;
}

/** Whether it matters that the comment or like is gone now. */
export function isWatched(attempt: Attempt, terms: Terms): boolean {
  if (attempt.removedAt != null) return false;
  if (attempt.state === 'verified') return heldUntil(attempt, terms) !== null;
  if (attempt.state !== 'rewarded') return false;
  return terms?.recheckDays === undefined ? terms?.reverseOnRemoval === true : attempt.checkAt != null;
}

/** Without the note that the comment is deleted or hidden. */
export function withoutNote(attempt: Attempt): Attempt {
  if (attempt.matchedComment === null) return attempt;
  const { removed: _, ...matchedComment } = attempt.matchedComment;
  return { ...attempt, matchedComment };
}

/** The comment or like is there. Before the end of its time it is looked for again then. */
export function seenAgain(before: Attempt, context: AttemptContext): Change {
  const { now, campaign } = context;
  const attempt = before.matchedComment?.removed?.how === 'hidden' ? withoutNote(before) : before;
  const seen = { ...attempt, lastVerificationAt: now };
  const isHeld = attempt.state === 'verified';
  const checkAt = isHeld ? heldUntil(seen, campaign.terms) : recheckedAt(seen, campaign.terms);
  if (checkAt !== null) return noted(attempt, { checkAt });
  const reason = isHeld ? `still there after ${campaign.terms?.holdDays} days` : 'still there after the reward';
  const held = attempt.held?.why === 'holding' ? null : attempt.held;
  const changes = { lastVerificationAt: now, checkAt, ...(held !== undefined && { held }) };
  return move(attempt, context, attempt.state, reason, changes);
}

/**
 * The comment or like is gone: no reward any more, or the points are taken back if the campaign says so. The job that follows a
 * reversal gives the place back.
 */
export function gone(
  attempt: Attempt,
  { at, how }: { readonly at: Date; readonly how: Withheld },
  context: AttemptContext,
): Decision & Change {
  const { now, newId, campaign } = context;
  const { id: attemptId, matchedComment: comment, pointsAwarded: points } = attempt;
  const news: readonly AttemptEventName[] = comment?.removed === undefined ? ['engagement.removed'] : [];
  const changes = {
    matchedComment: comment && { ...comment, removed: comment.removed ?? { at, how } },
    removedAt: at,
    checkAt: null,
  };
  const what = how === 'hidden' ? 'hidden' : 'gone';
  if (attempt.state === 'verified') {
    const held = { why: 'gone', since: now } as const;
    return stay(attempt, context, `${what} before the reward`, { ...changes, held }, news);
  }
  if (!campaign.terms?.reverseOnRemoval) {
    return stay(attempt, context, `${what} after the reward, which stays`, changes, news);
  }
  const entries = [...entriesOf(attempt), { at: now, points: 0 - points, reason: 'reversal', note: what } as const];
  const reversal = { ...changes, entries, pointsAwarded: 0 };
  const reason = `${what} after the reward: ${points} points taken back`;
  const reversed = stay(attempt, context, reason, reversal, [...news, 'reward.reversed']);
  return { ...reversed, outbox: [...reversed.outbox, jobEntry(newId(), { type: 'issue-reward', attemptId })] };
}

/** The end of the time in which the attempt is; null after it. */
const dueOf = (attempt: Attempt, terms: Terms) => heldUntil(attempt, terms) ?? recheckedAt(attempt, terms);

/** Whether the attempt is in no such time. */
export const isOver = (attempt: Attempt, terms: Terms) => dueOf(attempt, terms) === null;

/** Nobody knows: it is looked for again, later each time. */
export function undecidedCheck(attempt: Attempt, context: AttemptContext, scale = 1): Change {
  const due = dueOf(attempt, context.campaign.terms)?.getTime();
  const late = context.now.getTime() - (due ?? context.now.getTime());
  const wait = Math.max(CHECK_AGAIN_MS * scale, Math.min(late / 4, LONGEST_WAIT_MS));
  return noted(attempt, { checkAt: new Date(context.now.getTime() + wait) });
}
