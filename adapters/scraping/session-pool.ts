/** The logged-in sessions of one platform, the state each is in, and the endpoints that refuse it. */
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';
import type { SessionStatus } from '../../core/ports/platform.ts';
import type { ClientIdentity } from './identity.ts';

/** `resting` ends by itself; `active` and `resting` sessions are as good as ever. */
export type Retirement = 'dead' | 'quarantined';

interface Member {
  readonly identity: ClientIdentity;
  state: SessionStatus['state'];
  until: number;
  lastUsed: number;
  /** Whether a session that is out of use was handed out, and nothing is known yet. */
  isOnTrial: boolean;
  /** The endpoints that send it away, and until when they are not asked. */
  readonly sentAway: Map<string, { until: number; readonly reason: string }>;
}

/** A session that is logged out, or that an endpoint sends away, is tried again after this. */
const DEAD_MS = 6 * 3_600_000;
/** A session that has to pass a check is tried again after this. */
const QUARANTINE_MS = 24 * 3_600_000;
/** A trial that came to no end is made again after this. */
const TRIAL_MS = 10 * 60_000;

export class SessionPool {
  readonly #clock: Clock;
  readonly #members: readonly Member[];
  #uses = 0;

  constructor(sessions: readonly ClientIdentity[], clock: Clock) {
    this.#clock = clock;
    this.#members = sessions.map((identity) => ({
      identity,
      state: 'active',
      until: 0,
      lastUsed: 0,
      isOnTrial: false,
      sentAway: new Map(),
    }));
  }

  get size(): number {
    return this.#members.length;
  }

  /**
   * The session for a request to this endpoint: the one used least recently that `exclude` does not hold. When all others rest:
   * how long the first of them still does; or null when none is left. Concurrent callers may share a session. One that is out of
   * use for long enough is handed out once, to see whether it works again.
   */
  acquire(endpoint: string, exclude: ReadonlySet<string>): { identity: ClientIdentity } | { restMs: number } | null {
    const able = this.#candidates(endpoint, exclude);
    const ready = able.filter((member) => this.#isReady(member));
    const [chosen] = ready.sort((a, b) => a.lastUsed - b.lastUsed);
    if (chosen !== undefined) {
      this.#begin(chosen, endpoint);
      return { identity: chosen.identity };
    }
    const resting = able.filter(({ state }) => state === 'resting').map(({ until }) => until);
    return resting.length === 0 ? null : { restMs: Math.min(...resting) - this.#now() };
  }

  /** Whether sessions that `exclude` does not hold can be asked, now or after a rest. */
  left(endpoint: string, exclude: ReadonlySet<string>): 'now' | 'later' | 'none' {
    const able = this.#candidates(endpoint, exclude);
    if (able.some((member) => this.#isReady(member))) return 'now';
    return able.some(({ state }) => state === 'resting') ? 'later' : 'none';
  }

  rest(label: string, ms: number): void {
    const member = this.#find(label);
    if (member === undefined || isRetired(member)) return;
    member.state = 'resting';
    member.until = Math.max(member.until, this.#now() + ms);
  }

  /**
   * The endpoint sent this session away, and is not asked with it for hours. Returns true if the session is taken for logged out:
   * a second endpoint did so too, or the session was being tried. Platforms retire endpoints, and send everybody who asks away
   * from them, so it is tried at once at a third one.
   */
  sentAway(label: string, endpoint: string, reason: string): boolean {
    const member = this.#find(label);
    if (member === undefined) return false;
    const { sentAway, isOnTrial } = member;
    sentAway.set(endpoint, { until: this.#now() + DEAD_MS, reason });
    const endpoints = [...sentAway.values()].filter(({ until }) => until > this.#now()).length;
    const isOver = isOnTrial || (endpoints > 1 && !isRetired(member));
    if (isOver) this.#retire(member, 'dead', isOnTrial ? DEAD_MS : 0);
    return isOver;
  }

  /** The session is out of use for hours, longer for a check than if it is logged out. Then it is tried once. */
  retire(label: string, state: Retirement): void {
    const member = this.#find(label);
    // Answers to requests that were under way when it died say nothing new.
    if (member === undefined || (member.state === 'dead' && !member.isOnTrial)) return;
    this.#retire(member, state, state === 'dead' ? DEAD_MS : QUARANTINE_MS);
  }

  /** The endpoint answers this session. Returns true if the session was out of use, and works again. */
  answered(label: string, endpoint: string): boolean {
    const member = this.#find(label);
    member?.sentAway.delete(endpoint);
    // Else a request that was sent before the session was retired would bring it back.
    if (member?.isOnTrial !== true) return false;
    Object.assign(member, { state: 'active', until: 0, isOnTrial: false });
    return true;
  }

  /** Why sessions are sent away from the endpoint, if any is. */
  whySentAway(endpoint: string): string | undefined {
    return this.#members.map(({ sentAway }) => sentAway.get(endpoint)?.reason).find(Boolean);
  }

  /** For health reports; holds no secret. */
  states(): readonly SessionStatus[] {
    return this.#refreshed().map(({ identity, state, sentAway }) => ({
      label: identity.label,
      state,
      ...(sentAway.size === 0 ? {} : { sentAwayFrom: [...sentAway.keys()] }),
    }));
  }

  #now(): number {
    return monotonicMs(this.#clock);
  }

  #find(label: string): Member | undefined {
    return this.#members.find((member) => member.identity.label === label);
  }

  #refreshed(): readonly Member[] {
    for (const member of this.#members) {
      if (member.state === 'resting' && member.until <= this.#now()) member.state = 'active';
    }
    return this.#members;
  }

  #candidates(endpoint: string, exclude: ReadonlySet<string>): readonly Member[] {
    return this.#refreshed()
      .filter(({ identity }) => !exclude.has(identity.label))
      .filter(({ sentAway }) => (sentAway.get(endpoint)?.until ?? 0) <= this.#now());
  }

  #isReady(member: Member): boolean {
    return member.state === 'active' || (isRetired(member) && member.until <= this.#now());
  }

  /** Marks what is out of use and handed out, so that one caller at a time tries it. */
  #begin(member: Member, endpoint: string): void {
    this.#uses += 1;
    member.lastUsed = this.#uses;
    const refusal = member.sentAway.get(endpoint);
    if (refusal !== undefined) refusal.until = this.#now() + TRIAL_MS;
    if (isRetired(member)) Object.assign(member, { isOnTrial: true, until: this.#now() + TRIAL_MS });
  }

  #retire(member: Member, state: Retirement, restMs: number): void {
    Object.assign(member, { state, until: this.#now() + restMs, isOnTrial: false });
  }
}

function isRetired({ state }: Member): boolean {
  return state === 'dead' || state === 'quarantined';
}
