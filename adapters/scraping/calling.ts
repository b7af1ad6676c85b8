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
  /** By account and class of endpoints, until when visitors leave it alone; all calls of a client share it. */
  readonly throttledUntil: Map<string, number>;
  /** Waits are multiplied by it. */
  readonly timeScale: number;
  /** How often a call replaces the anonymous identity. */
  readonly maxRotations: number;
  /** Drops the rate limit of an identity that is gone. */
  readonly forgetPace: (paceKey: string) => void;
  /** Makes one attempt at the call's turn of the rate; null if its circuit has opened by then. */
  attempt<T>(call: ScrapingCall<T>, identity: ClientIdentity, time: CallTime): Promise<Verdict<T> | null>;
}

type Of<Kind extends Verdict<unknown>['kind']> = Extract<Verdict<never>, { kind: Kind }>;

/** One logical call as one or more attempts: what each verdict means for the next attempt, and when to give up. */
export class LogicalCall<T> {
  readonly #parts: CallingParts;
  readonly #time: CallTime;
  readonly #call: ScrapingCall<T>;
  readonly #endpoint: string;
  /** Sessions that are not asked again. */
  readonly #refused = new Set<string>();
  /** What sessions failed with that are not retired for it; thrown if no other can be asked. */
  readonly #doubts: DomainError[] = [];
  /** Codes of answers that need another session to agree. */
  readonly #said = new Set<string>();
  #throttled = 0;
  #failures = 0;
  #rotations = 0;

  constructor(parts: CallingParts, time: CallTime, call: ScrapingCall<T>) {
    this.#parts = parts;
    this.#time = time;
    this.#call = call;
    this.#endpoint = endpointOf(call);
  }

  async run(): Promise<T> {
    const { circuits, attempt } = this.#parts;
    for (;;) {
      await circuits.pass(this.#call, this.#time);
      const [doubt] = this.#doubts;
      if (doubt !== undefined && this.#left() !== 'now') throw doubt;
      const identity = await this.#pick();
      const verdict = await attempt(this.#call, identity, this.#time);
      if (verdict === null) continue;
      switch (verdict.kind) {
        case 'ok':
          this.#wasAnswered(identity);
          if (verdict.restSeconds !== undefined) this.#rest(verdict.restSeconds * 1000);
          return verdict.value;
        case 'permanent':
          this.#settle(identity, verdict);
          break;
        case 'throttled':
          this.#slowDown(identity, verdict);
          break;
        case 'blocked':
          await this.#replace(identity, verdict);
          break;
        case 'unreadable':
          await this.#tryAgain(identity, verdict);
          break;
      }
    }
  }

  async #pick(): Promise<ClientIdentity> {
    const { failures, pool, anonymous, throttledUntil, timeScale, clock } = this.#parts;
    for (;;) {
      this.#time.check();
      let restMs: number;
      if (this.#call.as === 'anonymous') {
        restMs = (throttledUntil.get(this.#restKey) ?? 0) - monotonicMs(clock);
        if (restMs <= 0) return anonymous.current();
      } else {
        if (pool.size === 0) throw failures.sessionRequired(this.#endpoint);
        const found = pool.acquire(this.#endpoint, this.#refused);
        if (found === null) throw this.#noSession();
        if ('identity' in found) return found.identity;
        restMs = found.restMs;
      }
      if (restMs > this.#time.remainingMs()) throw failures.rateLimited(restMs / timeScale, this.#endpoint);
      await this.#time.sleep(Math.max(1, restMs));
    }
  }

  get #restKey(): string {
    return `${this.#call.account ?? ''}/${this.#call.endpoint}`;
  }

  #rest(waitMs: number): void {
    const { throttledUntil, timeScale, clock } = this.#parts;
    throttledUntil.set(this.#restKey, monotonicMs(clock) + waitMs * timeScale);
  }

  #noSession(): DomainError {
    const { failures, pool } = this.#parts;
    const why = pool.whySentAway(this.#endpoint);
    return why === undefined ? failures.sessionsExhausted(this.#endpoint) : failures.refused(why, this.#endpoint);
  }

  #left() {
    return this.#parts.pool.left(this.#endpoint, this.#refused);
  }

  #warn({ label }: ClientIdentity, facts: Readonly<Record<string, unknown>>, message: string): void {
    const { platform, logger } = this.#parts;
    logger.warn({ platform, endpoint: this.#endpoint, identity: label, ...facts }, message);
  }

  /** Whether what one session cannot read is left to the others. */
  #isLeftToOthers(identity: ClientIdentity, error: DomainError): boolean {
    if (identity.kind !== 'session') return false;
    this.#refused.add(identity.label);
    this.#doubts.push(error);
    return this.#doubts.length < MAX_SESSIONS_IN_DOUBT && this.#left() === 'now';
  }

  #wasAnswered({ kind, label }: ClientIdentity): void {
    const { platform, circuits, pool, logger } = this.#parts;
    circuits.succeeded(this.#call);
    if (kind !== 'session' || !pool.answered(label, this.#endpoint)) return;
    logger.info({ platform, session: label }, 'A session works again.');
  }

  #settle(identity: ClientIdentity, { error, unlessAgreed }: Of<'permanent'>): void {
    this.#wasAnswered(identity);
    if (unlessAgreed === undefined || this.#said.has(error.code)) throw error;
    this.#said.add(error.code);
    if (!this.#isLeftToOthers(identity, unlessAgreed)) throw unlessAgreed;
  }

  #slowDown(identity: ClientIdentity, { retryAfterSeconds }: Of<'throttled'>): void {
    const { failures, pool, timeScale, random } = this.#parts;
    const { throttledAttempts = MAX_THROTTLED_ATTEMPTS } = this.#call;
    this.#throttled += 1;
    const waitMs = retryAfterSeconds === undefined ? backoffMs(this.#throttled - 1, random) : retryAfterSeconds * 1000;
    this.#warn(identity, { waitMs }, 'The platform asks us to slow down.');
    if (identity.kind === 'session') pool.rest(identity.label, waitMs * timeScale);
    else this.#rest(waitMs);
    if (this.#throttled >= throttledAttempts) throw failures.rateLimited(waitMs, this.#endpoint);
  }

  /** Takes a session out of use if the answer says that it is over, or has to pass a check. */
  #retire(label: string, { reason, session: state }: Of<'blocked'>): void {
    const { platform, pool, logger } = this.#parts;
    const endpoint = this.#endpoint;
    if (state === undefined) return;
    if (state === 'sent-away') {
      if (!pool.sentAway(label, endpoint, reason)) return;
    } else pool.retire(label, state);
    const isCheck = state === 'quarantined';
    const message = isCheck ? 'A session must pass a check: log in.' : 'A session is logged out: replace it.';
    const facts = { platform, session: label, state: isCheck ? state : 'dead', endpoint, reason };
    logger.error({ ...facts, sessions: pool.states() }, message);
  }

  async #replace(identity: ClientIdentity, verdict: Of<'blocked'>): Promise<void> {
    const { failures, circuits, anonymous, forgetPace, maxRotations } = this.#parts;
    const { reason, session } = verdict;
    this.#warn(identity, { reason }, 'The platform refuses this identity.');
    const refusal = failures.refused(reason, this.#endpoint);
    if (identity.kind === 'session') {
      this.#retire(identity.label, verdict);
      // A refusal of one session does not show that the others are refused too, so each of them is asked.
      if (session === undefined) circuits.failed(this.#call, this.#time, verdict);
      this.#refused.add(identity.label);
      if (this.#left() === 'none') throw this.#doubts[0] ?? refusal;
      return;
    }
    circuits.failed(this.#call, this.#time, verdict);
    await anonymous.rotate(identity, forgetPace);
    this.#rotations += 1;
    if (this.#rotations > maxRotations) throw refusal;
  }

  async #tryAgain(identity: ClientIdentity, verdict: Of<'unreadable'>): Promise<void> {
    const { failures, circuits, timeScale, random } = this.#parts;
    const { reason, retryAfterSeconds } = verdict;
    circuits.failed(this.#call, this.#time, verdict);
    this.#warn(identity, { reason }, 'The platform’s answer cannot be read.');
    const failure = failures.unreadable(reason, this.#endpoint, retryAfterSeconds);
    if (verdict.othersMayRead === true && this.#isLeftToOthers(identity, failure)) return;
    this.#failures += 1;
    if (this.#failures > (verdict.retries ?? 0)) throw reason === 'timeout' ? this.#time.timeoutError() : failure;
    const backoff = verdict.immediately === true ? 0 : backoffMs(this.#failures - 1, random);
    const waitMs = Math.max(backoff, (retryAfterSeconds ?? 0) * 1000) * timeScale;
    if (waitMs > this.#time.remainingMs()) throw failure;
    await this.#time.sleep(waitMs);
  }
}
