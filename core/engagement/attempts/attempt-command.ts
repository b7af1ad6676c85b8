/** What can happen to an attempt, and what the state machine answers. */
import type { DomainError } from '../../errors.ts';
import type { Withheld } from '../challenge-data/comment.ts';
import type { UnmetRule } from '../rules/unmet-rules.ts';
import type { OutboxEntry } from '../webhooks/outbox.ts';
import type { Attempt, Held, MatchedComment, Review, SignalName } from './attempt.ts';
import type { EventFacts } from './attempt-events.ts';

export type AttemptCommand =
  /** The creator went to the post. */
  | { readonly type: 'open-target' }
  /** The creator says it is done: verify. */
  | { readonly type: 'claim'; readonly why?: string }
  /** Verification found the creator; `comment` is null for a like, and `note` is for the history. */
  | {
      readonly type: 'record-match';
      readonly comment: MatchedComment | null;
      readonly note?: string | null;
      readonly signals?: readonly SignalName[] | undefined;
    }
  /** Verification read the post and did not find the creator; `why` is for the history. `unmet`: see `Attempt.unmetRules`. */
  | { readonly type: 'record-no-match'; readonly why?: string | null; readonly unmet?: readonly UnmetRule[] | null }
  /**
   * The verification came to no decision, which says nothing about the creator. The claim is handed back, and checked again
   * after `recheckInMs`, or just before the deadline if that is sooner. `why` is a short reason for the history.
   */
  | {
      readonly type: 'hand-back';
      readonly why: string;
      readonly recheckInMs: number;
      readonly unmet?: readonly UnmetRule[] | null;
    }
  /** The time of the next check has come, or there is something new to look at. */
  | { readonly type: 'recheck'; readonly isNews?: boolean }
  /** The verification deadline has passed. */
  | { readonly type: 'expire' }
  | { readonly type: 'force-verify'; readonly comment: MatchedComment | null }
  | { readonly type: 'issue-reward' }
  /** Something keeps the attempt from its reward; see `whyHeld`. */
  | ({ readonly type: 'hold' } & Hold)
  /** A person decides about the reward. `isBack`: what was gone is there again. */
  | { readonly type: 'review'; readonly review: Review; readonly isBack?: boolean };

/** What keeps an attempt from its reward, and when that is looked at again. */
export interface Hold extends Pick<Held, 'why' | 'note'> {
  readonly checkAt?: Date | null;
  /** Of a comment or like that is `gone`. */
  readonly removal?: Withheld;
}

export interface AttemptContext extends EventFacts {
  readonly now: Date;
  /** Makes the unique id of an outbox entry with a job. */
  readonly newId: () => string;
}

/** The attempt after a change, and what is announced or run because of it. */
export interface Change {
  readonly after: Attempt;
  readonly outbox: readonly OutboxEntry[];
}

export type Decision =
  | ({ readonly kind: 'moved' } & Change)
  /** The command was carried out before; there is nothing to write. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly error: DomainError };
