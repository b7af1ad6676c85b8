/** Applies a command to a stored attempt: read, decide, compare-and-set, announce. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError, noSuch } from '../../errors.ts';
import type { Needs } from '../use-case-parts.ts';
import type { OutboxEntry } from '../webhooks/outbox.ts';
import type { OutboxRelay } from '../webhooks/outbox-relay.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand, AttemptContext, Change } from './attempt-command.ts';
import type { EventFacts } from './attempt-events.ts';
import { decide } from './attempt-machine.ts';
import { loadAttemptFacts } from './load-facts.ts';

export interface AttemptDeps extends Needs<'attempts' | 'campaigns' | 'creators', 'clock' | 'random'> {
  /** Given what a transition has committed; without it the entries are safe, only later. */
  readonly relay: Pick<OutboxRelay, 'handOver'>;
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
  /** What is stored in the same write, besides what the move announces. */
  readonly also?: readonly OutboxEntry[];
  /** What is known already; read by default. */
  readonly facts?: EventFacts;
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
    const known = tries === 0 ? move.facts : undefined;
    const facts = known ?? (await loadAttemptFacts(deps.storage, before, move.username));
    const moved = await tryMove(deps, before, facts, move);
    if (moved !== null) return moved;
    const current = await deps.storage.attempts.find(before.id);
    if (current === null) throw noSuch('attempt', before.id);
    before = current;
  }
  throw new DomainError('CONFLICT', 'The attempt is being changed by others at the moment; try again.');
}

/**
 * Moves an attempt if it is still as `before` says; null when another caller was faster.
 * @throws DomainError what `decide` refuses with
 */
export async function tryMove(
  deps: AttemptDeps,
  before: Attempt,
  facts: EventFacts,
  { command, username = facts.username, also = [] }: Move,
): Promise<Moved | null> {
  const decision = decide(before, command, attemptContext(deps, { ...facts, username }));
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind === 'unchanged') return { before, after: before, changed: false };
  const { after } = decision;
  const isStored = await storeChange(deps, before, { after, outbox: [...decision.outbox, ...also] });
  return isStored ? { before, after, changed: true } : null;
}

/** Stores a change if the attempt is still as `before` says, and hands over what follows from it. */
export async function storeChange(deps: AttemptDeps, before: Attempt, { after, outbox }: Change): Promise<boolean> {
  const isStored = await deps.storage.attempts.transition(before, after, outbox);
  if (isStored) void deps.relay.handOver([{ owner: `attempts:${before.id}`, entries: outbox }]);
  return isStored;
}

/** What the state machine needs to know besides the attempt and the command. */
export function attemptContext(deps: Pick<AttemptDeps, 'clock' | 'random'>, facts: EventFacts): AttemptContext {
  return { ...facts, now: deps.clock.now(), newId: () => bytesToHex(deps.random.bytes(16)) };
}
