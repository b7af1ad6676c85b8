/** Attempts whose time has come, moved by timers in any number of processes: each move has one winner. */
import { isDomainError } from '../../errors.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand } from './attempt-command.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';

const BATCH = 500;
/** A run that is longer than this continues at the next call. */
const MAX_BATCHES = 20;

/**
 * Fails claimed attempts whose verification deadline has passed; to be called every now and then. Returns how many this call failed. A
 * call looks at each attempt once, by id, and at 10,000 at most.
 */
export function failOverdue(deps: AttemptDeps) {
  return () => moveDue(deps, 'expiry', MAX_BATCHES);
}

/**
 * Starts the verification of undecided claims whose time has come, at most 500 a call, those due longest first; to be called every now
 * and then. Exactly one process starts a claim: the transition to `verification_pending` queues the job in the same write. Returns how
 * many this call started or, past their deadline, failed.
 */
export function recheckClaims(deps: AttemptDeps) {
  return () => moveDue(deps, 'recheck', 1);
}

const COMMANDS = { expiry: { type: 'expire' }, recheck: { type: 'recheck' } } as const;

async function moveDue(deps: AttemptDeps, kind: keyof typeof COMMANDS, maxBatches: number): Promise<number> {
  const now = deps.clock.now();
  let moved = 0;
  let last: Attempt | undefined;
  for (let batches = 0; batches < maxBatches; batches += 1) {
    const due = await deps.storage.attempts.due(kind, now, BATCH, last && { id: last.id, since: last.updatedAt });
    for (const attempt of due) if (await moveIfStillDue(deps, attempt, COMMANDS[kind])) moved += 1;
    // Also when this batch could not be moved: it does not block those behind it.
    if (due.length < BATCH) break;
    last = due.at(-1);
  }
  return moved;
}

/** False if there was nothing to do any more: decided, claimed again or removed meanwhile. */
async function moveIfStillDue(deps: AttemptDeps, attempt: Attempt, command: AttemptCommand): Promise<boolean> {
  try {
    return (await moveAttempt(deps, attempt, { command })).changed;
  } catch (error) {
    if (isDomainError(error, 'INVALID_TRANSITION', 'NOT_FOUND', 'CONFLICT')) return false;
    throw error;
  }
}
