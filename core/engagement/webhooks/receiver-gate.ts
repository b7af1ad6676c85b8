/** Bounds how many requests of this process are under way to one webhook, so that a slow one cannot hold every worker. */
import { type Clock, monotonicMs } from '../../ports/clock.ts';
import { LONGEST_PAUSE_MS } from '../../ports/job-queue.ts';

export type GatePass =
  /** Call `leave` exactly once, when the request is over. `hasWaited`: what the caller knew may be out of date. */
  | { readonly kind: 'entered'; readonly hasWaited: boolean; leave(): void }
  /**
   * The receiver has enough to do. `at` is this caller's own turn, so that waiting callers do not all return together. `roomAt`
   * is the time when there should be room for the first of them.
   */
  | { readonly kind: 'full'; readonly at: Date; readonly roomAt: Date };

/** How fast a receiver has answered; `unknown` before its first answer, `known` if it was quick but has been idle since. */
export type ReceiverSpeed = 'quick' | 'known' | 'slow' | 'unknown';

export interface ReceiverGate {
  /**
   * Lets a request in as soon as there is room. Waits for that only if the receiver has been quick, and never long. A caller
   * that waits holds a worker, and one that is turned away has to come back, which costs more.
   */
  enter(key: string): Promise<GatePass>;
  /** Whether `enter`, called at once, lets a request in without waiting. */
  hasRoom(key: string): boolean;
  /** The turn of a caller that something else turns away. */
  turnAway(key: string): GatePass;
  speedOf(key: string): ReceiverSpeed;
}

export interface ReceiverGateOptions {
  /** Requests under way to one quick receiver at a time. */
  readonly limit: number;
  /** The same for a slow receiver and for one that has not answered yet, or not lately; `limit` by default. */
  readonly slowLimit?: number;
  readonly unknownLimit?: number;
  readonly clock: Clock;
  /** The longest wait for room, and the longest expected one that is started; 250 by default. */
  readonly patienceMs?: number;
}

/** Its times are those of `monotonicMs`. */
interface Receiver {
  underWay: number;
  /** Callers that wait for room, first come first served. */
  readonly waiting: Set<(pass: GatePass) => void>;
  /** Moving average of how long a request takes; null before the first has ended. */
  averageMs: number | null;
  /** Requests that have ended. */
  answers: number;
  /** A request has ended since it was idle for long. */
  answeredLately: boolean;
  /** Since when it is idle; never while requests are under way. */
  idleSince: number;
  /** Somebody waited in vain, and no request has ended since: nobody else waits. */
  stalled: boolean;
  /** The last turn given out. */
  lastTurn: number;
}

const ASSUMED_MS = 1_000;
const LEAST_SPACING_MS = 5;
/** Half the time that a receiver has for its answer. */
const SLOW_MS = 5_000;
/** Between requests that come one after the other a receiver has nothing to do for moments; that is not idle. */
const IDLE_MS = 1_000;
const NEVER = Number.POSITIVE_INFINITY;
/** So many receivers are remembered: one that has answered is not taken for one that never did. */
const MAX_REMEMBERED = 10_000;

export function createReceiverGate(options: ReceiverGateOptions): ReceiverGate {
  const { limit, slowLimit = limit, unknownLimit = limit, clock, patienceMs = 250 } = options;
  const limits: Readonly<Record<ReceiverSpeed, number>> = {
    quick: limit,
    known: unknownLimit,
    slow: slowLimit,
    unknown: unknownLimit,
  };
  const receivers = new Map<string, Receiver>();

  function receiverOf(key: string): Receiver {
    const known = receivers.get(key);
    if (known !== undefined) return known;
    const receiver: Receiver = {
      underWay: 0,
      waiting: new Set(),
      averageMs: null,
      answers: 0,
      answeredLately: false,
      idleSince: NEVER,
      stalled: false,
      lastTurn: 0,
    };
    receivers.set(key, receiver);
    if (receivers.size > MAX_REMEMBERED) forgetOne();
    return receiver;
  }

  function forgetOne(): void {
    for (const [key, { underWay, lastTurn }] of receivers) {
      if (underWay > 0 || lastTurn > monotonicMs(clock)) continue;
      receivers.delete(key);
      return;
    }
  }

  function letIn(key: string, receiver: Receiver, hasWaited: boolean): GatePass {
    const startedAt = monotonicMs(clock);
    receiver.underWay += 1;
    if (isIdle(receiver, startedAt)) receiver.answeredLately = false;
    receiver.idleSince = NEVER;
    return { kind: 'entered', hasWaited, leave: () => leave(key, receiver, startedAt) };
  }

  function leave(key: string, receiver: Receiver, startedAt: number): void {
    const now = monotonicMs(clock);
    const took = now - startedAt;
    receiver.underWay -= 1;
    receiver.averageMs = receiver.averageMs === null ? took : receiver.averageMs * 0.8 + took * 0.2;
    receiver.answers += 1;
    receiver.stalled = false;
    receiver.answeredLately = true;
    // More than one when its first answer shows that it is quick.
    for (const next of receiver.waiting) {
      if (receiver.underWay >= limitOf(receiver)) break;
      receiver.waiting.delete(next);
      next(letIn(key, receiver, true));
    }
    if (receiver.underWay === 0 && receiver.waiting.size === 0) receiver.idleSince = Math.max(now, receiver.lastTurn);
    // Behind the others: those that were idle the longest are forgotten first.
    if (receivers.delete(key)) receivers.set(key, receiver);
  }

  function limitOf(receiver: Receiver): number {
    return limits[speed(receiver, monotonicMs(clock))];
  }

  function isWorthWaiting(receiver: Receiver): boolean {
    const { waiting, averageMs, answers, stalled } = receiver;
    // The first requests also open connections, so they tell little of those behind them.
    const rounds = Math.min((waiting.size + 1) / limitOf(receiver), answers < limit ? 1 : Number.POSITIVE_INFINITY);
    return patienceMs > 0 && !stalled && rounds * (averageMs ?? 0) <= patienceMs;
  }

  function turnAway(receiver: Receiver): GatePass {
    const spacing = spacingOf(receiver, limitOf(receiver));
    const waitMs = untilNextTurn(receiver, monotonicMs(clock), spacing);
    const now = clock.now().getTime();
    return { kind: 'full', at: new Date(now + waitMs), roomAt: new Date(now + spacing) };
  }

  function wait(receiver: Receiver): Promise<GatePass> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        receiver.waiting.delete(admit);
        receiver.stalled = true;
        resolve(turnAway(receiver));
      }, patienceMs);
      const admit = (pass: GatePass) => {
        clearTimeout(timer);
        resolve(pass);
      };
      receiver.waiting.add(admit);
    });
  }

  return {
    async enter(key) {
      const receiver = receiverOf(key);
      if (receiver.underWay < limitOf(receiver)) return letIn(key, receiver, false);
      return isWorthWaiting(receiver) ? wait(receiver) : turnAway(receiver);
    },
    hasRoom(key) {
      const receiver = receivers.get(key);
      return receiver === undefined || receiver.underWay < limitOf(receiver);
    },
    turnAway: (key) => turnAway(receiverOf(key)),
    speedOf: (key) => speed(receivers.get(key), monotonicMs(clock)),
  };
}

function isIdle({ idleSince }: Receiver, now: number): boolean {
  return now - idleSince > IDLE_MS;
}

function speed(receiver: Receiver | undefined, now: number): ReceiverSpeed {
  if (receiver === undefined || receiver.averageMs === null) return 'unknown';
  if (receiver.averageMs >= SLOW_MS) return 'slow';
  return receiver.answeredLately && !isIdle(receiver, now) ? 'quick' : 'known';
}

/** Turns follow each other as fast as the receiver has been taking requests. */
function spacingOf(receiver: Receiver, limit: number): number {
  return Math.min(Math.max(LEAST_SPACING_MS, (receiver.averageMs ?? ASSUMED_MS) / limit), LONGEST_PAUSE_MS);
}

/** Turns are not given out further ahead than a pause: the receiver may recover sooner. */
function untilNextTurn(receiver: Receiver, now: number, spacing: number): number {
  receiver.lastTurn = Math.min(Math.max(receiver.lastTurn, now) + spacing, now + LONGEST_PAUSE_MS);
  return receiver.lastTurn - now;
}
