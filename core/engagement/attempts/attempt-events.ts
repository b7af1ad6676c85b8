/** Webhook events of an attempt (docs/specification/engagement.md#events). */
import type { Campaign, Challenge } from '../campaigns/campaign.ts';
import type { Creator } from '../creators/creator.ts';
import { attemptEntry } from '../webhooks/message-id.ts';
import type { AttemptEvent, AttemptEventName, OutboxEntry, WebhookEventData } from '../webhooks/outbox.ts';
import { type Attempt, entriesOf, type MatchedComment } from './attempt.ts';
import { rulesOf } from './states.ts';

/** What every event of an attempt tells besides the attempt itself. */
export interface EventFacts {
  readonly campaign: Campaign;
  readonly challenge: Challenge;
  readonly creator: Pick<Creator, 'id' | 'externalId'>;
  /** The creator's handle on the challenge's platform. */
  readonly username: string;
}

/** The events that an attempt has announced and that may be sent again, in their order. */
export function eligibleEvents(attempt: Attempt): readonly AttemptEventName[] {
  return [
    ...rulesOf(attempt.state).announces,
    ...(removalOf(attempt) === undefined ? [] : (['engagement.removed'] as const)),
    ...(reversalOf(attempt) === undefined ? [] : (['reward.reversed'] as const)),
  ];
}

const reversalOf = (attempt: Attempt) => entriesOf(attempt).find(({ reason }) => reason === 'reversal');

/** How and when the comment or like went. */
function removalOf({ matchedComment, removedAt }: Attempt): MatchedComment['removed'] {
  if (matchedComment !== null) return matchedComment.removed;
  return removedAt == null ? undefined : { at: removedAt, how: 'removed' };
}

/**
 * The event of this name, which follows from the attempt as it is stored: one that is sent again is as it was announced. `event` must be
 * among `eligibleEvents(attempt)`.
 */
export function attemptEvent(attempt: Attempt, facts: EventFacts, event: AttemptEventName): AttemptEvent {
  const { campaign, challenge, creator, username } = facts;
  const { at, ...told } = toldBy(attempt, event);
  return {
    event,
    timestamp: at ?? attempt.updatedAt,
    brandId: campaign.brandId,
    data: {
      challengeId: challenge.id,
      userId: creator.id,
      externalUserId: creator.externalId,
      username,
      platform: challenge.platform,
      campaignTitle: campaign.title,
      attemptId: attempt.id,
      ...told,
    },
  };
}

/** The outbox entries that announce these events. */
export function announced(
  attempt: Attempt,
  facts: EventFacts,
  events: readonly AttemptEventName[],
): readonly OutboxEntry[] {
  return events.map((event) => attemptEntry(attemptEvent(attempt, facts, event)));
}

/** When it happened, and what the event tells of it, in the order of the specification. */
function toldBy(attempt: Attempt, event: AttemptEventName): Partial<WebhookEventData> & { readonly at: Date | null } {
  const { matchedComment: comment, unmetRules } = attempt;
  switch (event) {
    case 'creator.verified':
      return { at: attempt.verifiedAt, ...(comment && { commentText: comment.commentText }) };
    case 'reward.issued':
      return { at: attempt.rewardedAt, points: entriesOf(attempt)[0]?.points ?? 0 };
    case 'reward.reversed': {
      const { at = null, points = 0 } = reversalOf(attempt) ?? {};
      return { at, points: 0 - points };
    }
    case 'verification.failed': {
      const reason = rulesOf(attempt.state).terminal ? 'terminal' : 'retryable';
      return { at: enteredAt(attempt), reason, ...(unmetRules && { unmetRules }) };
    }
    case 'engagement.removed': {
      const { at = null, how: removal = 'removed' } = removalOf(attempt) ?? {};
      return { at, commentText: comment?.commentText ?? '', removal };
    }
  }
}

/** When the attempt came into its state. */
function enteredAt({ state, stateHistory, updatedAt }: Attempt): Date {
  const before = stateHistory.findLastIndex((entry) => entry.state !== state);
  return stateHistory[before + 1]?.at ?? updatedAt;
}
