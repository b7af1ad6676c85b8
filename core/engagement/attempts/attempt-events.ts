/** Webhook events of an attempt (docs/specification/engagement.md#events). */

import type { Campaign, Challenge } from '../campaigns/campaign.ts';
import type { Creator } from '../creators/creator.ts';
import type { AttemptEvent, AttemptEventName, WebhookEventData } from '../webhooks/outbox.ts';
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

/** Builds an event; `timestamp` is when the transition happened that it announces. */
export function attemptEvent(
  facts: EventFacts,
  attemptId: number,
  timestamp: Date,
  event: AttemptEventName,
  extra: Pick<WebhookEventData, 'commentText' | 'points' | 'reason' | 'removal' | 'unmetRules'>,
): AttemptEvent {
  return {
    event,
    timestamp,
    brandId: facts.campaign.brandId,
    data: {
      challengeId: facts.challenge.id,
      userId: facts.creator.id,
      externalUserId: facts.creator.externalId,
      username: facts.username,
      platform: facts.challenge.platform,
      campaignTitle: facts.campaign.title,
      attemptId,
      ...extra,
    },
  };
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
 * The event as it was announced, made again from the stored attempt. `name` must be among `eligibleEvents(attempt)`.
 */
export function replayedEvent(attempt: Attempt, facts: EventFacts, name: AttemptEventName): AttemptEvent {
  const at = (time: Date | null) => time ?? attempt.updatedAt;
  switch (name) {
    case 'creator.verified': {
      const comment = attempt.matchedComment;
      const extra = comment ? { commentText: comment.commentText } : {};
      return attemptEvent(facts, attempt.id, at(attempt.verifiedAt), name, extra);
    }
    case 'reward.issued':
      return attemptEvent(facts, attempt.id, at(attempt.rewardedAt), name, {
        points: entriesOf(attempt)[0]?.points ?? 0,
      });
    case 'reward.reversed': {
      const { at: time = null, points = 0 } = reversalOf(attempt) ?? {};
      return attemptEvent(facts, attempt.id, at(time), name, { points: 0 - points });
    }
    case 'verification.failed':
      return attemptEvent(facts, attempt.id, enteredAt(attempt), name, {
        reason: rulesOf(attempt.state).terminal ? 'terminal' : 'retryable',
        ...unmetIn(attempt),
      });
    case 'engagement.removed': {
      const { at: time = null, how: removal = 'removed' } = removalOf(attempt) ?? {};
      const { commentText = '' } = attempt.matchedComment ?? {};
      return attemptEvent(facts, attempt.id, at(time), name, { commentText, removal });
    }
  }
}

/** What a failure tells of the creator's nearest comment. */
export function unmetIn({ unmetRules }: Pick<Attempt, 'unmetRules'>): Pick<WebhookEventData, 'unmetRules'> {
  return unmetRules == null ? {} : { unmetRules };
}

/** When the attempt came into its state. */
function enteredAt({ state, stateHistory, updatedAt }: Attempt): Date {
  const before = stateHistory.findLastIndex((entry) => entry.state !== state);
  return stateHistory[before + 1]?.at ?? updatedAt;
}
