/** Bounds how many requests of this process are under way to one receiver, so that a slow one cannot hold every worker. */
import type { Clock } from '../../ports/clock.ts';

export type GatePass =
  /** Call `leave` exactly once, when the request is over. */
  | { readonly kind: 'entered'; leave(): void }
  /** The receiver has enough to do; `at` is this caller's own turn, so that waiting callers do not return all at once. */
  | { readonly kind: 'full'; readonly at: Date };

export interface HostGate {
  /**
   * Lets a request in as soon as there is room. Waits for that only where the receiver has been quick, and never long: a
   * caller that waits holds a worker, one that is turned away has to be put off in the storage, which costs more.
   */
  enter(key: string): Promise<GatePass>;
}

export interface HostGateOptions {
  /** Requests under way to one receiver at a time. */
  readonly limit: number;
  readonly clock: Clock;
  /** The longest wait for room, and the longest expected one that is entered upon; 250 by default. */
  readonly patienceMs?: number;
}

interface Receiver {
  underWay: number;
  /** Callers that wait for room, first come first served. */
  readonly waiting: Set<(pass: GatePass) => void>;
  /** Moving average of how long a request takes; null before the first has ended. */
  averageMs: number | null;
  /** Somebody waited in vain, and no request has ended since: nobody else waits. */
  stalled: boolean;
  /** The last turn given out. */
  lastTurn: number;
}

const ASSUMED_MS = 1_000;
const LEAST_SPACING_MS = 5;
/** Turns are not given out further ahead: the receiver may recover sooner. */
const FURTHEST_TURN_MS = 30_000;

export function createHostGate({ limit, clock, patienceMs = 250 }: HostGateOptions): HostGate {
  const receivers = new Map<string, Receiver>();

  function letIn(key: string, receiver: Receiver): GatePass {
    const startedAt = clock.now().getTime();
    receiver.underWay += 1;
    return { kind: 'entered', leave: () => leave(key, receiver, startedAt) };
  }

  function leave(key: string, receiver: Receiver, startedAt: number): void {
    const now = clock.now().getTime();
    const took = now - startedAt;
    receiver.underWay -= 1;
    receiver.averageMs = receiver.averageMs === null ? took : receiver.averageMs * 0.8 + took * 0.2;
    receiver.stalled = false;
    const [next] = receiver.waiting;
    if (next !== undefined) {
      receiver.waiting.delete(next);
      next(letIn(key, receiver));
    } else if (receiver.underWay === 0 && receiver.lastTurn <= now) {
      receivers.delete(key);
    }
  }

  function isWorthWaiting({ waiting, averageMs, stalled }: Receiver): boolean {
    return patienceMs > 0 && !stalled && ((waiting.size + 1) * (averageMs ?? 0)) / limit <= patienceMs;
  }

  function turnAway(receiver: Receiver): GatePass {
    return { kind: 'full', at: nextTurn(receiver, clock.now().getTime(), limit) };
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
      let receiver = receivers.get(key);
      if (receiver === undefined) {
        receiver = { underWay: 0, waiting: new Set(), averageMs: null, stalled: false, lastTurn: 0 };
        receivers.set(key, receiver);
      }
      if (receiver.underWay < limit) return letIn(key, receiver);
      return isWorthWaiting(receiver) ? wait(receiver) : turnAway(receiver);
    },
  };
}

/** Turns follow each other as fast as the receiver has been taking requests. */
function nextTurn(receiver: Receiver, now: number, limit: number): Date {
  const spacing = Math.max(LEAST_SPACING_MS, (receiver.averageMs ?? ASSUMED_MS) / limit);
  receiver.lastTurn = Math.min(Math.max(receiver.lastTurn, now) + spacing, now + FURTHEST_TURN_MS);
  return new Date(receiver.lastTurn);
}
