/** What the rules of the state machine (`decide`) are made of. */
import { DomainError } from '../../errors.ts';
import type { AttemptEventName, OutboxEntry, OutboxJob } from '../webhooks/outbox.ts';
import type { Attempt, NewAttempt } from './attempt.ts';
import type { AttemptContext, Change, Decision } from './attempt-command.ts';
import { announced } from './attempt-events.ts';
import { type AttemptState, rulesOf } from './states.ts';

/** The attempt in a state, what is announced of it, and the job that it waits for then. */
export function move(
  attempt: Attempt,
  context: AttemptContext,
  to: AttemptState,
  reason: string,
  changes: Partial<Attempt> = {},
  events: readonly AttemptEventName[] = [],
): Decision & Change {
  const after = moved(attempt, context, to, reason, changes);
  return { kind: 'moved', after, outbox: outboxOf(after, context, events) };
}

/** As `move` in the state that the attempt has, without a job. */
export function stay(
  attempt: Attempt,
  context: AttemptContext,
  reason: string,
  changes: Partial<Attempt>,
  events: readonly AttemptEventName[] = [],
): Decision & Change {
  const after = moved(attempt, context, attempt.state, reason, changes);
  return { kind: 'moved', after, outbox: announced(after, context, events) };
}

/** A change that the history does not tell of. The revision tells others who decide at the same time. */
export function noted(attempt: Attempt, changes: Partial<Attempt>): Decision & Change {
  return { kind: 'moved', after: { ...attempt, ...changes, revision: attempt.revision + 1 }, outbox: [] };
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

/** Announces events of an attempt, and queues the job that it waits for in its state. */
export function outboxOf(
  attempt: Attempt,
  context: AttemptContext,
  events: readonly AttemptEventName[],
): readonly OutboxEntry[] {
  const type = rulesOf(attempt.state).awaits;
  const jobs = type === null ? [] : [jobEntry(context.newId(), { type, attemptId: attempt.id })];
  return [...announced(attempt, context, events), ...jobs];
}

export const jobEntry = (id: string, job: OutboxJob): OutboxEntry => ({ id, kind: 'job', job });

export function conflict(message: string): Decision {
  return { kind: 'refused', error: new DomainError('CONFLICT', message) };
}

export function withNote(reason: string, note: string | null | undefined): string {
  return note == null ? reason : `${reason}: ${note}`;
}
