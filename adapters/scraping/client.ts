/**
 * The HTTP client that the platform adapters share. It sends one logical call as one or more attempts. They are paced per identity and
 * endpoint class, backed off when throttled, rotated when refused, stopped by a circuit breaker, bounded by the call's deadline.
 */
import { createHash } from 'node:crypto';
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import { type Clock, systemClock } from '../../core/ports/clock.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import type { PlatformCallOptions, SessionStatus } from '../../core/ports/platform.ts';
import { type RandomSource, systemRandom } from '../../core/ports/random-source.ts';
import { createAnonymousIdentity } from './anonymous.ts';
import { exchange } from './attempt.ts';
import { type CallingParts, LogicalCall } from './calling.ts';
import { createCircuits } from './circuits.ts';
import { type CallTime, startCall } from './deadline.ts';
import { createFailures } from './failures.ts';
import { type ClientIdentity, createIdentity } from './identity.ts';
import { createPacer, type LimiterConnection, type PacingMode } from './pacing.ts';
import { SessionPool } from './session-pool.ts';
import { createUndiciTransport } from './transport.ts';
import type { Rate, ScrapingCall, ScrapingTransport, SendRequest } from './types.ts';

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
  /** How often each class of endpoints may be asked. Every call spends one of the class `all` too, if there is one. */
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

/** Makes the client of one platform. It opens no connection yet. */
export function createScrapingClient(options: ScrapingClientOptions): ScrapingClient {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const logger = options.logger ?? silentLogger;
  const timeScale = options.pacing === 'off' ? 0.001 : 1;
  const transport = transportOf(options.transport);
  const ownAddresses = options.proxyUrl?.includes('{session}') === true;
  const pacer = createPacer({
    mode: options.pacing,
    rates: options.rates,
    name: options.platform.name,
    connection: options.limiterConnection,
    // An identity that leaves from an address of its own is this process's alone; sessions are configured everywhere alike.
    isShared: (key) => key.startsWith('session-') || !ownAddresses,
  });
  const failures = createFailures(options.platform);
  const pool = new SessionPool(
    (options.sessions ?? []).map((cookies, index) => sessionIdentity(options.baseUrl, cookies, index + 1)),
    clock,
  );
  const anonymous = createAnonymousIdentity({ baseUrl: options.baseUrl, random, transport, ownAddresses });
  const closing = new AbortController();

  const settings = {
    transport,
    clock,
    proxyUrl: options.proxyUrl,
    sessionCookie: options.sessionCookie,
    baseUrl: options.baseUrl,
    hosts: options.hosts ?? [],
    headers: options.headers ?? {},
    attemptTimeoutMs: options.attemptTimeoutMs ?? 15_000,
    maxBodyBytes: options.maxBodyBytes ?? 8 * 1024 * 1024,
  };
  const circuits = createCircuits(clock, failures, timeScale);
  const parts: CallingParts = {
    platform: options.platform.name,
    failures,
    circuits,
    pool,
    anonymous,
    logger,
    random,
    clock,
    throttledUntil: new Map(),
    timeScale,
    maxRotations: options.proxyUrl === undefined ? 1 : 2,
    forgetPace: (paceKey) => pacer.forget(paceKey),
    attempt(asked, identity, time) {
      // Checked only now: calls of one batch all wait before the first of them fails.
      const send = async () => (circuits.isOpen(asked) ? null : await exchange(asked, identity, time, settings));
      const paced = 'all' in options.rates ? () => pacer.run('all', 'all', time, send, asked.pacePatienceMs) : send;
      return pacer.run(asked.account ?? anonymous.paceKey(identity), asked.endpoint, time, paced, asked.pacePatienceMs);
    },
  };

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
    call: (time, call) => new LogicalCall(parts, time, call).run(),
    async close() {
      closing.abort();
      pacer.close();
      await transport.close();
    },
  };
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
