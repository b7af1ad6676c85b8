/** The logged-in sessions of one platform and the state each is in. */
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';
import type { SessionStatus } from '../../core/ports/platform.ts';
import type { ClientIdentity } from './identity.ts';

type SessionState = SessionStatus['state'];

export interface SessionPool {
  readonly size: number;
  /**
   * The active session used least recently that `exclude` does not hold. When all others rest: how long the first of them
   * still does; or null when none is left. Concurrent callers may share a session.
   */
  acquire(exclude: ReadonlySet<string>): { identity: ClientIdentity } | { restMs: number } | null;
  /** Whether there is an active session that `exclude` does not hold. */
  hasActive(exclude: ReadonlySet<string>): boolean;
  rest(label: string, ms: number): void;
  /** Quarantine lasts until `quarantineMs` have passed, death forever (a new session id is needed). */
  retire(label: string, state: 'quarantined' | 'dead'): void;
  /** For health reports; holds no secret. */
  states(): readonly SessionStatus[];
}

interface Member {
  readonly identity: ClientIdentity;
  state: SessionState;
  until: number;
  lastUsed: number;
}

export function createSessionPool(options: {
  readonly sessions: readonly ClientIdentity[];
  readonly clock: Clock;
  readonly quarantineMs: number;
}): SessionPool {
  const members = options.sessions.map((identity): Member => ({ identity, state: 'active', until: 0, lastUsed: 0 }));
  let uses = 0;
  const find = (label: string): Member | undefined => members.find((member) => member.identity.label === label);

  function refreshed(member: Member): Member {
    const waits = member.state === 'resting' || member.state === 'quarantined';
    if (waits && member.until <= monotonicMs(options.clock)) member.state = 'active';
    return member;
  }

  return {
    size: members.length,
    acquire(exclude) {
      const candidates = members.map(refreshed).filter((member) => !exclude.has(member.identity.label));
      const active = candidates.filter((member) => member.state === 'active');
      const chosen = active.reduce<Member | undefined>(
        (best, member) => (best === undefined || member.lastUsed < best.lastUsed ? member : best),
        undefined,
      );
      if (chosen !== undefined) {
        uses += 1;
        chosen.lastUsed = uses;
        return { identity: chosen.identity };
      }
      const resting = candidates.filter((member) => member.state === 'resting').map((member) => member.until);
      return resting.length === 0 ? null : { restMs: Math.min(...resting) - monotonicMs(options.clock) };
    },
    hasActive: (exclude) =>
      members.map(refreshed).some(({ state, identity }) => state === 'active' && !exclude.has(identity.label)),
    rest(label, ms) {
      const member = find(label);
      if (member === undefined || member.state === 'dead' || member.state === 'quarantined') return;
      member.state = 'resting';
      member.until = Math.max(member.until, monotonicMs(options.clock) + ms);
    },
    retire(label, state) {
      const member = find(label);
      if (member === undefined || member.state === 'dead') return;
      member.state = state;
      member.until = monotonicMs(options.clock) + options.quarantineMs;
    },
    states: () => members.map(refreshed).map(({ identity, state }) => ({ label: identity.label, state })),
  };
}
