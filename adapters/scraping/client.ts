/**
 * The HTTP client that the platform adapters share. It sends one logical call as one or more attempts. They are paced per identity and
 * endpoint class, backed off when throttled, rotated when refused, stopped by a circuit breaker, bounded by the call's deadline.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import { type Clock, monotonicMs, systemClock } from '../../core/ports/clock.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import type { PlatformCallOptions, SessionStatus } from '../../core/ports/platform.ts';
import { type RandomSource, systemRandom } from '../../core/ports/random-source.ts';
import { createAnonymousIdentity } from './anonymous.ts';
import { exchange } from './attempt.ts';
import { backoffMs } from './backoff.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type CallTime, startCall } from './deadline.ts';
import { type ClientIdentity, createIdentity } from './identity.ts';
import { createPacer, type LimiterConnection, type PacingMode } from './pacing.ts';
import { createSessionPool } from './session-pool.ts';
import { createUndiciTransport } from './transport.ts';
import type { Rate, ScrapingCall, ScrapingTransport, SendRequest, Verdict } from './types.ts';

/** What `createScrapingClient` takes. Times are in milliseconds. */
export interface ScrapingClientOptions {
  /** Named in logs and errors. */
  readonly platform: Pick<PlatformDescriptor, 'name' | 'label'>;
  /** `https://www.platform.example`, or a simulator's; a path in it is kept as a prefix. */
  readonly baseUrl: string;
  /** Further hosts that absolute request URLs may name, exactly as in `URL.host`. */
  readonly hosts?: readonly string[];
  /** One set of cookies per logged-in session. */
  readonly sessions?: readonly Readonly<Record<string, string>>[];
  /** The name of the cookie that makes a session one. */
  readonly sessionCookie?: string;
  /**
   * `http:` or `https:` proxy, credentials allowed; handed to the transport with each request. `{session}` in it is replaced
   * by the identity's own key, which is how proxy providers are told to keep one exit address per session.
   */
  readonly proxyUrl?: string | undefined;
  /** `safe` keeps to the rates; `off` is for simulators. */
  readonly pacing: PacingMode;
  /** How often each class of endpoints may be asked. */
  readonly rates: Readonly<Record<string, Rate>>;
  /** A call's own limit when its caller sets no deadline. */
  readonly timeoutMs?: number;
  /**
   * Limit of one request.
   * @default 15,000
   */
  readonly attemptTimeoutMs?: number;
  /**
   * A larger body, decompressed, is refused.
   * @default 8 MiB
   */
  readonly maxBodyBytes?: number;
  /** Headers of every request; a request's own win, and one with its own `user-agent` goes without them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** undici by default. */
  readonly transport?: ScrapingTransport | SendRequest | undefined;
  /** Shares the rates between processes. */
  readonly limiterConnection?: LimiterConnection | undefined;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
  /** @default the system randomness */
  readonly random?: RandomSource | undefined;
  /** @default none */
  readonly logger?: Logger | undefined;
}

/** Sends the requests of one platform: identities, rates, retries, deadlines and size limits are its business. */
export interface ScrapingClient {
  /** How many sessions are configured. */
  readonly sessionCount: number;
  /**
   * Runs one port call: its time spans every `call` that serves it. `resource` names the post or profile that it is about,
   * so that one that cannot be read is not taken for a platform that cannot.
   */
  within<T>(
    options: PlatformCallOptions | undefined,
    resource: string | undefined,
    task: (time: CallTime) => Promise<T>,
  ): Promise<T>;
  /**
   * Sends, retries and reads as the verdicts say. With `as: 'session'` and no session configured: `PLATFORM_UNAVAILABLE` with
   * reason `session-required`; with none left in working order: `sessions-exhausted`.
   */
  call<T>(time: CallTime, call: ScrapingCall<T>): Promise<T>;
  /** For health reports. */
  sessionStates(): readonly SessionStatus[];
  /** Ends the calls under way with `PLATFORM_TIMEOUT`; later ones end so at once. May be called twice. */
  close(): Promise<void>;
}

const MAX_THROTTLED_ATTEMPTS = 4;
/** Sessions that one call asks, as long as each gives an answer that the next may not get. */
const MAX_SESSIONS_IN_DOUBT = 3;
/** Nothing came back that could be read, so it was not the post that was odd. */
const TRANSPORT_FAILURE = /^(timeout|network|broken-body|unknown-encoding: .*|empty-body|http-5\d\d)$/;
/** An open circuit that closes this soon is waited for; a longer one refuses at once. */
const CIRCUIT_PATIENCE_MS = 1_000;
/** Resources that are asked for again, one after the other, before a platform counts as unreadable. */
const MOST_READABLE = 3;

/** Makes the client of one platform. It opens no connection yet. */
export function createScrapingClient(options: ScrapingClientOptions): ScrapingClient {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const logger = options.logger ?? silentLogger;
  const timeScale = options.pacing === 'off' ? 0.001 : 1;
  const transport = transportOf(options.transport);
  const pacer = createPacer({
    mode: options.pacing,
    rates: options.rates,
    name: options.platform.name,
    connection: options.limiterConnection,
    // An identity that leaves from an address of its own is this process's alone; sessions are configured everywhere alike.
    isShared: (key) => key.startsWith('session-') || options.proxyUrl?.includes('{session}') !== true,
  });
  const breaker = createCircuitBreaker({ clock, restMs: 30_000 * timeScale, maxRestMs: 120_000 * timeScale });
  const pool = createSessionPool({
    sessions: (options.sessions ?? []).map((cookies, index) => sessionIdentity(options.baseUrl, cookies, index + 1)),
    clock,
    quarantineMs: 24 * 3_600_000,
  });
  const anonymous = createAnonymousIdentity({
    baseUrl: options.baseUrl,
    random,
    transport,
    ownAddresses: options.proxyUrl?.includes('{session}') === true,
  });
  const closing = new AbortController();
  const throttledUntil = new Map<string, number>();
  /** By circuit, calls for the last resources that could be read, the latest one last: asked again when others cannot be. */
  const readable = new Map<string, Map<string | undefined, ScrapingCall<unknown>>>();
  const probes = new Map<string, Promise<void>>();
  const maxRotations = options.proxyUrl === undefined ? 1 : 2;

  async function pick(
    call: ScrapingCall<unknown>,
    time: CallTime,
    refused: ReadonlySet<string>,
  ): Promise<ClientIdentity> {
    for (;;) {
      time.check();
      let restMs: number;
      if (call.as === 'anonymous') {
        restMs = (throttledUntil.get(call.endpoint) ?? 0) - monotonicMs(clock);
        if (restMs <= 0) return anonymous.current();
      } else {
        if (pool.size === 0)
          throw unavailable('session-required', 'This needs a logged-in session; none is configured.');
        const found = pool.acquire(refused);
        if (found === null) throw unavailable('sessions-exhausted', 'No configured session is in working order.');
        if ('identity' in found) return found.identity;
        restMs = found.restMs;
      }
      if (restMs > time.remainingMs()) throw rateLimited(restMs / timeScale);
      await time.sleep(Math.max(1, restMs));
    }
  }

  async function passCircuit(key: string, time: CallTime): Promise<void> {
    const restMs = breaker.restMs(key);
    if (restMs === 0) return;
    if (restMs <= CIRCUIT_PATIENCE_MS && restMs < time.remainingMs()) return await time.sleep(restMs);
    const message = `${options.platform.label} answered unreadably several times in a row; it is left alone.`;
    throw unavailable('circuit-open', message, {
      retryAfterSeconds: Math.ceil(restMs / timeScale / 1000),
      lastReason: breaker.lastReason(key),
    });
  }

  function send<T>(call: ScrapingCall<T>, identity: ClientIdentity, time: CallTime): Promise<Verdict<T>> {
    return exchange(call, identity, time, {
      transport,
      proxyUrl: options.proxyUrl,
      sessionCookie: options.sessionCookie,
      baseUrl: options.baseUrl,
      hosts: options.hosts ?? [],
      headers: options.headers ?? {},
      attemptTimeoutMs: options.attemptTimeoutMs ?? 15_000,
      maxBodyBytes: options.maxBodyBytes ?? 8 * 1024 * 1024,
    });
  }

  /**
   * Makes one attempt at the call's turn of the rate. Returns null if the turn was spent on a probe, or if the circuit opened
   * meanwhile. Then the circuit has to be passed again.
   */
  function attempt<T>(
    call: ScrapingCall<T>,
    identity: ClientIdentity,
    time: CallTime,
    doubt: { isSettled: boolean },
  ): Promise<Verdict<T> | null> {
    const circuit = circuitOf(call);
    const inTurn = async (): Promise<Verdict<T> | null> => {
      // Checked only now: calls of one batch all wait before the first of them fails.
      const known = [...(readable.get(circuit) ?? [])].at(-1);
      if (known !== undefined && breaker.restMs(circuit) === 0 && breaker.isInDoubt(circuit) && !doubt.isSettled) {
        const underWay = probes.get(circuit);
        if (underWay === undefined) {
          doubt.isSettled = true;
          await probe(circuit, known, identity, time);
          return null;
        }
        await inTime(underWay, time);
      }
      return breaker.restMs(circuit) > 0 ? null : await send(call, identity, time);
    };
    return pacer.run(anonymous.paceKey(identity), call.endpoint, time, inTurn, call.pacePatienceMs);
  }

  /**
   * Asks for what could be read before, once for all callers, after several different posts failed in a row. A post that cannot
   * be read any more is forgotten. If it was the last one, the circuit opens. After its rest, any post that can be read closes it.
   */
  function probe(
    circuit: string,
    [resource, known]: readonly [resource: string | undefined, known: ScrapingCall<unknown>],
    identity: ClientIdentity,
    time: CallTime,
  ): Promise<void> {
    const settled = send(known, identity, time)
      .then((verdict) => {
        const isLost = verdict.kind === 'blocked' && verdict.session !== undefined && identity.kind === 'session';
        if (isLost) retire(identity.label, verdict.session, verdict.reason);
        if (verdict.kind === 'ok' || verdict.kind === 'permanent') breaker.succeeded(circuit);
        else if (verdict.kind !== 'throttled') {
          readable.get(circuit)?.delete(resource);
          if (!isReadable(circuit)) breaker.confirm(circuit, verdict.reason);
        }
      })
      // A probe that its caller gave up settles nothing, and stops nobody.
      .catch(() => undefined)
      .finally(() => probes.delete(circuit));
    probes.set(circuit, settled);
    return settled;
  }

  const isReadable = (circuit: string): boolean => (readable.get(circuit)?.size ?? 0) > 0;

  function noteReadable<T>(circuit: string, { resource }: CallTime, call: ScrapingCall<T>): void {
    const known = readable.get(circuit) ?? new Map<string | undefined, ScrapingCall<unknown>>();
    readable.set(circuit, known);
    // Behind the others, also if it was there.
    known.delete(resource);
    known.set(resource, call);
    const [oldest] = known.keys();
    if (known.size > MOST_READABLE) known.delete(oldest);
  }

  function noteFailure(circuit: string, time: CallTime, reason: string, isTransport: boolean): void {
    breaker.failed(circuit, { resource: time.resource, reason, isTransport, isProbed: isReadable(circuit) });
  }

  function retire(label: string, state: 'quarantined' | 'dead', reason: string): void {
    pool.retire(label, state);
    const facts = { platform: options.platform.name, session: label, state, reason, sessions: pool.states() };
    logger.error(
      facts,
      state === 'dead' ? 'A session is logged out: replace it.' : 'A session must pass a check: log in.',
    );
  }

  function unavailable(
    reason: string,
    message: string,
    more: { readonly retryAfterSeconds?: number; readonly lastReason?: string | undefined } = {},
  ): DomainError {
    const { retryAfterSeconds, lastReason } = more;
    return new DomainError('PLATFORM_UNAVAILABLE', message, {
      details: { reason, platform: options.platform.name, ...(lastReason === undefined ? {} : { lastReason }) },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }

  function unreadable(reason: string, retryAfterSeconds?: number): DomainError {
    const message = `${options.platform.label} could not be read (${reason}); try again later.`;
    return unavailable(reason, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  }

  function rateLimited(waitMs: number): DomainError {
    return new DomainError('SCRAPING_RATE_LIMITED', `${options.platform.label} is asked too often; try again later.`, {
      details: { reason: 'throttled', platform: options.platform.name },
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }

  return {
    sessionCount: pool.size,
    async within(callOptions, resource, task) {
      const time = startCall(callOptions, options.timeoutMs ?? 30_000, clock, closing.signal, resource);
      try {
        time.check();
        return await task(time);
      } finally {
        time.end();
      }
    },
    sessionStates: () => pool.states(),

    async call<T>(time: CallTime, call: ScrapingCall<T>): Promise<T> {
      const circuit = circuitOf(call);
      /** A call makes one probe at most. */
      const doubt = { isSettled: false };
      const refused = new Set<string>();
      let throttled = 0;
      let failures = 0;
      let rotations = 0;
      /** What sessions failed with that are not retired for it; thrown if no other can be asked. */
      const doubts: DomainError[] = [];
      /** Codes of answers that need another session to agree. */
      const said = new Set<string>();
      const isLeftToOthers = ({ kind, label }: ClientIdentity, error: DomainError): boolean => {
        if (kind !== 'session') return false;
        refused.add(label);
        doubts.push(error);
        return doubts.length < MAX_SESSIONS_IN_DOUBT && pool.hasActive(refused);
      };
      for (;;) {
        await passCircuit(circuit, time);
        if (doubts[0] !== undefined && !pool.hasActive(refused)) throw doubts[0];
        const identity = await pick(call, time, refused);
        const verdict = await attempt(call, identity, time, doubt);
        if (verdict === null) continue;
        const facts = { platform: options.platform.name, endpoint: call.endpoint, identity: identity.label };
        switch (verdict.kind) {
          case 'ok':
            breaker.succeeded(circuit);
            noteReadable(circuit, time, call);
            return verdict.value;
          case 'permanent':
            breaker.succeeded(circuit);
            if (verdict.unlessAgreed === undefined || said.has(verdict.error.code)) throw verdict.error;
            said.add(verdict.error.code);
            if (!isLeftToOthers(identity, verdict.unlessAgreed)) throw verdict.unlessAgreed;
            break;
          case 'throttled': {
            throttled += 1;
            const waitMs =
              verdict.retryAfterSeconds === undefined
                ? backoffMs(throttled - 1, random)
                : verdict.retryAfterSeconds * 1000;
            logger.warn({ ...facts, waitMs }, 'The platform asks us to slow down.');
            if (identity.kind === 'session') pool.rest(identity.label, waitMs * timeScale);
            else throttledUntil.set(call.endpoint, monotonicMs(clock) + waitMs * timeScale);
            if (throttled >= (call.throttledAttempts ?? MAX_THROTTLED_ATTEMPTS)) throw rateLimited(waitMs);
            break;
          }
          case 'blocked':
            logger.warn({ ...facts, reason: verdict.reason }, 'The platform refuses this identity.');
            // A session that is over is no sign that the others are: they are asked, however many are over.
            if (identity.kind !== 'session' || verdict.session === undefined) {
              noteFailure(circuit, time, verdict.reason, true);
            }
            if (identity.kind === 'session') {
              refused.add(identity.label);
              if (verdict.session !== undefined) retire(identity.label, verdict.session, verdict.reason);
              if (refused.size >= pool.size) throw doubts[0] ?? refusedError(verdict.reason);
            } else {
              await anonymous.rotate(identity, (paceKey) => pacer.forget(paceKey));
              rotations += 1;
              if (rotations > maxRotations) throw refusedError(verdict.reason);
            }
            break;
          case 'unreadable': {
            noteFailure(circuit, time, verdict.reason, TRANSPORT_FAILURE.test(verdict.reason));
            logger.warn({ ...facts, reason: verdict.reason }, 'The platform’s answer cannot be read.');
            if (verdict.othersMayRead === true && isLeftToOthers(identity, unreadable(verdict.reason))) break;
            failures += 1;
            if (failures > (verdict.retries ?? 0)) {
              if (verdict.reason === 'timeout') throw time.timeoutError();
              throw unreadable(verdict.reason, verdict.retryAfterSeconds);
            }
            const backoff = verdict.immediately === true ? 0 : backoffMs(failures - 1, random);
            const waitMs = Math.max(backoff, (verdict.retryAfterSeconds ?? 0) * 1000) * timeScale;
            if (waitMs > time.remainingMs()) {
              throw unreadable(verdict.reason, verdict.retryAfterSeconds);
            }
            await time.sleep(waitMs);
          }
        }
      }
    },

    async close() {
      closing.abort();
      await pacer.close();
      await transport.close();
    },
  };

  function refusedError(reason: string): DomainError {
    return unavailable(reason, `${options.platform.label} refuses to answer us (${reason}); try again later.`);
  }
}

function circuitOf({ as, endpoint }: ScrapingCall<unknown>): string {
  return `${as}:${endpoint}`;
}

/** Waits for work that never rejects, for no longer than the call's time. */
async function inTime(work: Promise<void>, time: CallTime): Promise<void> {
  time.check();
  let giveUp = (): void => undefined;
  const timeUp = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(time.timeoutError());
    time.signal.addEventListener('abort', giveUp);
  });
  await Promise.race([work, timeUp]).finally(() => time.signal.removeEventListener('abort', giveUp));
}

function transportOf(given: ScrapingTransport | SendRequest | undefined): ScrapingTransport {
  if (given === undefined) return createUndiciTransport();
  if (typeof given !== 'function') return given;
  return { send: given, forget: async () => undefined, close: async () => undefined };
}

function sessionIdentity(baseUrl: string, cookies: Readonly<Record<string, string>>, number: number): ClientIdentity {
  // A few bits of a hash: the proxy learns which requests belong together, and nothing of the session.
  const key = createHash('sha256').update(JSON.stringify(cookies)).digest('hex').slice(0, 10);
  return createIdentity({ kind: 'session', label: `session-${number}`, connectionKey: `s${key}`, baseUrl, cookies });
}
