/** One logical call as one or more attempts: what each verdict means for the next attempt, and when to give up. */
import type { DomainError } from '../../core/errors.ts';
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { AnonymousIdentity } from './anonymous.ts';
import { backoffMs } from './backoff.ts';
import type { Circuits } from './circuits.ts';
import type { CallTime } from './deadline.ts';
import { endpointOf, type Failures } from './failures.ts';
import type { ClientIdentity } from './identity.ts';
import type { SessionPool } from './session-pool.ts';
import type { ScrapingCall, Verdict } from './types.ts';

const MAX_THROTTLED_ATTEMPTS = 4;
/** Sessions that one call asks, as long as each gives an answer that the next may not get. */
const MAX_SESSIONS_IN_DOUBT = 3;

export interface CallingParts {
  readonly platform: string;
  readonly failures: Failures;
  readonly circuits: Circuits;
  readonly pool: SessionPool;
  readonly anonymous: AnonymousIdentity;
  readonly logger: Logger;
  readonly random: RandomSource;
  readonly clock: Clock;
  /** Waits are multiplied by it. */
  readonly timeScale: number;
  /** How often a call replaces the anonymous identity. */
  readonly maxRotations: number;
  /** Drops the rate limit of an identity that is gone. */
  readonly forgetPace: (paceKey: string) => void;
  /** Makes one attempt at the call's turn of the rate; null if its circuit has opened by then. */
  attempt<T>(call: ScrapingCall<T>, identity: ClientIdentity, time: CallTime): Promise<Verdict<T> | null>;
}

/** What has become of a call so far. */
interface Progress {
  /** Sessions that are not asked again. */
  readonly refused: Set<string>;
  /** What sessions failed with that are not retired for it; thrown if no other can be asked. */
  readonly doubts: DomainError[];
  /** Codes of answers that need another session to agree. */
  readonly said: Set<string>;
  throttled: number;
  failures: number;
  rotations: number;
}

type Of<Kind extends Verdict<unknown>['kind']> = Extract<Verdict<never>, { kind: Kind }>;

/** An attempt that failed, and the call that it belongs to. */
interface Attempt {
  readonly call: ScrapingCall<unknown>;
  readonly identity: ClientIdentity;
  readonly time: CallTime;
  readonly progress: Progress;
  readonly endpoint: string;
}

export function createCaller(parts: CallingParts): <T>(time: CallTime, call: ScrapingCall<T>) => Promise<T> {
  const { platform, failures, circuits, pool, anonymous, logger, random, clock, timeScale } = parts;
  /** By class of endpoints, until when visitors leave it alone. */
  const throttledUntil = new Map<string, number>();

  async function pick(call: ScrapingCall<unknown>, time: CallTime, { refused }: Progress): Promise<ClientIdentity> {
    const endpoint = endpointOf(call);
    for (;;) {
      time.check();
      let restMs: number;
      if (call.as === 'anonymous') {
        restMs = (throttledUntil.get(call.endpoint) ?? 0) - monotonicMs(clock);
        if (restMs <= 0) return anonymous.current();
      } else {
        if (pool.size === 0) throw failures.sessionRequired(endpoint);
        const found = pool.acquire(endpoint, refused);
        if (found === null) throw noSession(endpoint);
        if ('identity' in found) return found.identity;
        restMs = found.restMs;
      }
      if (restMs > time.remainingMs()) throw failures.rateLimited(restMs / timeScale, endpoint);
      await time.sleep(Math.max(1, restMs));
    }
  }

  function noSession(endpoint: string): DomainError {
    const why = pool.whySentAway(endpoint);
    return why === undefined ? failures.sessionsExhausted(endpoint) : failures.refused(why, endpoint);
  }

  function warn({ identity, endpoint }: Attempt, facts: Readonly<Record<string, unknown>>, message: string): void {
    logger.warn({ platform, endpoint, identity: identity.label, ...facts }, message);
  }

  /** Whether what one session cannot read is left to the others. */
  function isLeftToOthers({ identity, progress, endpoint }: Attempt, error: DomainError): boolean {
    if (identity.kind !== 'session') return false;
    progress.refused.add(identity.label);
    progress.doubts.push(error);
    return progress.doubts.length < MAX_SESSIONS_IN_DOUBT && pool.left(endpoint, progress.refused) === 'now';
  }

  function wasAnswered({ call, identity, endpoint }: Attempt): void {
    circuits.succeeded(call);
    if (identity.kind !== 'session' || !pool.answered(identity.label, endpoint)) return;
    logger.info({ platform, session: identity.label }, 'A session works again.');
  }

  function settle(attempt: Attempt, { error, unlessAgreed }: Of<'permanent'>): void {
    const { said } = attempt.progress;
    wasAnswered(attempt);
    if (unlessAgreed === undefined || said.has(error.code)) throw error;
    said.add(error.code);
    if (!isLeftToOthers(attempt, unlessAgreed)) throw unlessAgreed;
  }

  function slowDown(attempt: Attempt, { retryAfterSeconds }: Of<'throttled'>): void {
    const { call, identity, progress, endpoint } = attempt;
    progress.throttled += 1;
    const waitMs =
      retryAfterSeconds === undefined ? backoffMs(progress.throttled - 1, random) : retryAfterSeconds * 1000;
    warn(attempt, { waitMs }, 'The platform asks us to slow down.');
    if (identity.kind === 'session') pool.rest(identity.label, waitMs * timeScale);
    else throttledUntil.set(call.endpoint, monotonicMs(clock) + waitMs * timeScale);
    const most = call.throttledAttempts ?? MAX_THROTTLED_ATTEMPTS;
    if (progress.throttled >= most) throw failures.rateLimited(waitMs, endpoint);
  }

  /** Takes a session out of use if the answer says that it is over, or has to pass a check. */
  function retire({ identity: { label }, endpoint }: Attempt, { reason, session: state }: Of<'blocked'>): void {
    if (state === undefined) return;
    if (state === 'sent-away') {
      if (!pool.sentAway(label, endpoint, reason)) return;
    } else pool.retire(label, state);
    const isCheck = state === 'quarantined';
    const message = isCheck ? 'A session must pass a check: log in.' : 'A session is logged out: replace it.';
    const facts = { platform, session: label, state: isCheck ? state : 'dead', endpoint, reason };
    logger.error({ ...facts, sessions: pool.states() }, message);
  }

  async function replace(attempt: Attempt, verdict: Of<'blocked'>): Promise<void> {
    const { call, identity, time, progress, endpoint } = attempt;
    const { reason, session } = verdict;
    warn(attempt, { reason }, 'The platform refuses this identity.');
    const refusal = failures.refused(reason, endpoint);
    if (identity.kind === 'session') {
      retire(attempt, verdict);
      // A refusal of one session does not show that the others are refused too, so each of them is asked.
      if (session === undefined) circuits.failed(call, time, verdict);
      progress.refused.add(identity.label);
      if (pool.left(endpoint, progress.refused) === 'none') throw progress.doubts[0] ?? refusal;
      return;
    }
    circuits.failed(call, time, verdict);
    await anonymous.rotate(identity, parts.forgetPace);
    progress.rotations += 1;
    if (progress.rotations > parts.maxRotations) throw refusal;
  }

  async function tryAgain(attempt: Attempt, verdict: Of<'unreadable'>): Promise<void> {
    const { call, time, progress, endpoint } = attempt;
    const { reason, retryAfterSeconds } = verdict;
    circuits.failed(call, time, verdict);
    warn(attempt, { reason }, 'The platform’s answer cannot be read.');
    const failure = failures.unreadable(reason, endpoint, retryAfterSeconds);
    if (verdict.othersMayRead === true && isLeftToOthers(attempt, failure)) return;
    progress.failures += 1;
    if (progress.failures > (verdict.retries ?? 0)) throw reason === 'timeout' ? time.timeoutError() : failure;
    const backoff = verdict.immediately === true ? 0 : backoffMs(progress.failures - 1, random);
    const waitMs = Math.max(backoff, (retryAfterSeconds ?? 0) * 1000) * timeScale;
    if (waitMs > time.remainingMs()) throw failure;
    await time.sleep(waitMs);
  }

  async function goOn(attempt: Attempt, verdict: Exclude<Verdict<never>, { kind: 'ok' }>): Promise<void> {
    switch (verdict.kind) {
      case 'permanent':
        return settle(attempt, verdict);
      case 'throttled':
        return slowDown(attempt, verdict);
      case 'blocked':
        return replace(attempt, verdict);
      case 'unreadable':
        return tryAgain(attempt, verdict);
    }
  }

  return async (time, call) => {
    const endpoint = endpointOf(call);
    const progress: Progress = {
      refused: new Set(),
      doubts: [],
      said: new Set(),
      throttled: 0,
      failures: 0,
      rotations: 0,
    };
    for (;;) {
      await circuits.pass(call, time);
      const [doubt] = progress.doubts;
      if (doubt !== undefined && pool.left(endpoint, progress.refused) !== 'now') throw doubt;
      const identity = await pick(call, time, progress);
      const verdict = await parts.attempt(call, identity, time);
      if (verdict === null) continue;
      const attempt: Attempt = { call, identity, time, progress, endpoint };
      if (verdict.kind === 'ok') {
        wasAnswered(attempt);
        return verdict.value;
      }
      await goOn(attempt, verdict);
    }
  };
}
