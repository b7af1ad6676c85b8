/** What the rules of the state machine (`decide`) are made of. */
import { DomainError } from '../../errors.ts';
import type { OutboxEntry } from '../webhooks/outbox.ts';
import type { Attempt, NewAttempt } from './attempt.ts';
import type { AttemptContext, Decision } from './attempt-command.ts';
import { type AttemptState, rulesOf } from './states.ts';

/** The attempt in a state, what is announced of it, and the job that it waits for then. */
export function move(
  attempt: Attempt,
  context: AttemptContext,
  to: AttemptState,
  reason: string,
  changes: Partial<Attempt> = {},
  events: readonly OutboxEntry[] = [],
): Decision {
  const after = moved(attempt, context, to, reason, changes);
  return { kind: 'moved', after, outbox: [...events, ...jobsOf(to, attempt.id, context)] };
}

/** As `move`, without an outbox. */
export function moved<A extends NewAttempt>(
  attempt: A,
  context: AttemptContext,
  to: AttemptState,
  reason: string,
  changes: Partial<NewAttempt>,
): A {
  return {
    ...attempt,
    ...changes,
    state: to,
    stateHistory: [...attempt.stateHistory, { state: to, at: context.now, reason }],
    // The handle that events named last, so that a later redelivery names the same one.
    metadata: { ...attempt.metadata, platformUsername: context.username },
    updatedAt: context.now,
    revision: attempt.revision + 1,
  };
}

/** The job that an attempt in this state waits for. */
export function jobsOf(state: AttemptState, attemptId: number, { newId }: AttemptContext): readonly OutboxEntry[] {
  const type = rulesOf(state).awaits;
  return type === null ? [] : [{ id: newId(), kind: 'job', job: { type, attemptId } }];
}

export function conflict(message: string): Decision {
  return { kind: 'refused', error: new DomainError('CONFLICT', message) };
}

export function withNote(reason: string, note: string | null | undefined): string {
  return note == null ? reason : `${reason}: ${note}`;
}
