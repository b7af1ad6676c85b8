/**
 * The circuits of one client, one for each endpoint and kind of identity. Calls that could be read are remembered: one of them
 * is asked again before a whole endpoint counts as unreadable for the failures of others.
 */
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { CallTime } from './deadline.ts';
import { endpointOf, type Failures } from './failures.ts';
import type { ClientIdentity } from './identity.ts';
import type { ScrapingCall, Verdict } from './types.ts';

/** Sends a call once as this identity, and notes what its answer says about the identity. */
export type Probe = (
  call: ScrapingCall<unknown>,
  identity: ClientIdentity,
  time: CallTime,
) => Promise<Verdict<unknown>>;

export interface Circuits {
  /** Returns when the endpoint may be asked. @throws `PLATFORM_UNAVAILABLE` (`circuit-open`) if that takes long */
  pass(call: ScrapingCall<unknown>, time: CallTime): Promise<void>;
  /**
   * Called at the call's turn of the rate. Returns false if the turn was spent on a probe, or if the circuit is open: then it
   * has to be passed again. A call makes one probe at most.
   */
  mayAsk(call: ScrapingCall<unknown>, identity: ClientIdentity, time: CallTime, doubt: Doubt): Promise<boolean>;
  succeeded(call: ScrapingCall<unknown>): void;
  /** An answer that could be read, and so may be asked for again. */
  wasRead(call: ScrapingCall<unknown>, time: CallTime): void;
  failed(call: ScrapingCall<unknown>, time: CallTime, failure: Failed): void;
  /** A call of a session that could be read at an endpoint that is none of these. */
  readWithSession(except: readonly string[]): ScrapingCall<unknown> | undefined;
}

type Failed = Extract<Verdict<never>, { kind: 'blocked' | 'unreadable' }>;

/** Whether a call has made its probe. */
export interface Doubt {
  isSettled: boolean;
}

/** Nothing came back that could be read, so it was not the post that was odd. */
const TRANSPORT_FAILURE = /^(timeout|network|broken-body|unknown-encoding: .*|empty-body|http-5\d\d)$/;
/** An open circuit that closes this soon is waited for; a longer one refuses at once. */
const PATIENCE_MS = 1_000;
/** Resources that are asked for again, one after the other, before an endpoint counts as unreadable. */
const MOST_READABLE = 3;

type Readable = Map<string | undefined, ScrapingCall<unknown>>;

export function createCircuits(parts: {
  readonly breaker: CircuitBreaker;
  readonly probe: Probe;
  readonly failures: Failures;
  readonly timeScale: number;
}): Circuits {
  const { breaker, failures, timeScale } = parts;
  /** By circuit, calls for the last resources that could be read, the latest one last. */
  const readable = new Map<string, Readable>();
  const probes = new Map<string, Promise<void>>();
  const keyOf = (call: ScrapingCall<unknown>): string => `${call.as}:${endpointOf(call)}`;
  const readableOf = (key: string): Readable => readable.get(key) ?? new Map();

  /**
   * Asks for what could be read before, once for all callers. A post that cannot be read any more is forgotten. If it was the
   * last one, the circuit opens. After its rest, any post that can be read closes it.
   */
  function probe(key: string, identity: ClientIdentity, time: CallTime): Promise<void> {
    const [resource, known] = [...readableOf(key)].at(-1) as [string | undefined, ScrapingCall<unknown>];
    const settled = parts
      .probe(known, identity, time)
      .then((verdict) => {
        if (verdict.kind === 'ok' || verdict.kind === 'permanent') breaker.succeeded(key);
        else if (verdict.kind !== 'throttled') {
          readableOf(key).delete(resource);
          if (readableOf(key).size === 0) breaker.confirm(key, verdict.reason);
        }
      })
      // A probe that its caller gave up settles nothing, and stops nobody.
      .catch(() => undefined)
      .finally(() => probes.delete(key));
    probes.set(key, settled);
    return settled;
  }

  return {
    async pass(call, time) {
      const key = keyOf(call);
      const restMs = breaker.restMs(key);
      if (restMs === 0) return;
      if (restMs <= PATIENCE_MS && restMs < time.remainingMs()) return await time.sleep(restMs);
      throw failures.circuitOpen(restMs / timeScale, endpointOf(call), breaker.lastReason(key));
    },
    async mayAsk(call, identity, time, doubt) {
      const key = keyOf(call);
      // Checked only now: calls of one batch all wait before the first of them fails.
      const isDoubtful = readableOf(key).size > 0 && breaker.restMs(key) === 0 && breaker.isInDoubt(key);
      if (isDoubtful && !doubt.isSettled) {
        const underWay = probes.get(key);
        if (underWay === undefined) {
          doubt.isSettled = true;
          await probe(key, identity, time);
          return false;
        }
        await inTime(underWay, time);
      }
      return breaker.restMs(key) === 0;
    },
    succeeded: (call) => breaker.succeeded(keyOf(call)),
    wasRead(call, { resource }) {
      const known = readableOf(keyOf(call));
      readable.set(keyOf(call), known);
      // Behind the others, also if it was there.
      known.delete(resource);
      known.set(resource, call);
      const [oldest] = known.keys();
      if (known.size > MOST_READABLE) known.delete(oldest);
    },
    failed(call, { resource }, { kind, reason }) {
      const key = keyOf(call);
      const isTransport = kind === 'blocked' || TRANSPORT_FAILURE.test(reason);
      breaker.failed(key, { resource, reason, isTransport, isProbed: readableOf(key).size > 0 });
    },
    readWithSession: (except) =>
      [...readable.values()]
        .flatMap((known) => [...known.values()].slice(-1))
        .findLast((call) => call.as === 'session' && !except.includes(endpointOf(call))),
  };
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
