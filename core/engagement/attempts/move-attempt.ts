/** Applies a command to a stored attempt: read, decide, compare-and-set, announce. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RandomSource } from '../../ports/random-source.ts';
import type { Storage } from '../../ports/storage.ts';
import type { OutboxRelay } from '../webhooks/outbox-relay.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand, AttemptContext } from './attempt-command.ts';
import { decide } from './attempt-machine.ts';
import { type AttemptFacts, loadAttemptFacts } from './load-facts.ts';

export interface AttemptDeps {
  readonly storage: Pick<Storage, 'attempts' | 'campaigns' | 'creators'>;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Woken after each transition; without it the entries are safe, only later. */
  readonly relay: Pick<OutboxRelay, 'nudge'>;
}

export interface Moved {
  /** The attempt as it was when the command was applied. */
  readonly before: Attempt;
  readonly after: Attempt;
  /** False when the command had nothing to change. */
  readonly changed: boolean;
}

export interface Move {
  readonly command: AttemptCommand;
  /** The handle that events name; the creator's current one by default. */
  readonly username?: string | undefined;
}

/** Lost races before the caller is told to try again; each means that another caller made progress. */
const MAX_TRIES = 10;

/**
 * Moves an attempt. Each of several concurrent callers decides on the state that the one before left. So a command is carried
 * out once, and refused or ignored afterwards.
 * @throws DomainError what `decide` refuses with; `NOT_FOUND` if the attempt is gone; `CONFLICT` after ten lost races
 */
export async function moveAttempt(deps: AttemptDeps, attempt: Attempt, move: Move): Promise<Moved> {
  let before = attempt;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const facts = await loadAttemptFacts(deps.storage, before);
    const moved = await tryMove(deps, before, facts, move);
    if (moved !== null) {
      if (moved.changed) void deps.relay.nudge(before.id);
      return moved;
    }
    const current = await deps.storage.attempts.find(before.id);
    if (current === null) throw new DomainError('NOT_FOUND', `There is no attempt ${before.id}.`);
    before = current;
  }
  throw new DomainError('CONFLICT', 'The attempt is being changed by others at the moment; try again.');
}

/**
 * Moves an attempt if it is still as `before` says; null when another caller was faster. Waking the relay is left to the
 * caller.
 * @throws DomainError what `decide` refuses with
 */
export async function tryMove(
  deps: AttemptDeps,
  before: Attempt,
  facts: Pick<AttemptFacts, 'campaign' | 'challenge' | 'creator' | 'username'>,
  { command, username = facts.username }: Move,
): Promise<Moved | null> {
  const decision = decide(before, command, attemptContext(deps, { ...facts, username }));
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind === 'unchanged') return { before, after: before, changed: false };
  if (!(await deps.storage.attempts.transition(before, decision.after, decision.outbox))) return null;
  return { before, after: decision.after, changed: true };
}

/** What the state machine needs to know besides the attempt and the command. */
export function attemptContext(
  deps: Pick<AttemptDeps, 'clock' | 'random'>,
  facts: Pick<AttemptFacts, 'campaign' | 'challenge' | 'creator' | 'username'>,
): AttemptContext {
  const { campaign, challenge, creator, username } = facts;
  return {
    campaign,
    challenge,
    creator,
    username,
    now: deps.clock.now(),
    newId: () => bytesToHex(deps.random.bytes(16)),
  };
}
