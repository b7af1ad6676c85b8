/** Bounds how many requests of this process are under way to one receiver, so that a slow one cannot hold every worker. */
import type { Clock } from '../../ports/clock.ts';

export type GatePass =
  /** Call `leave` exactly once, when the request is over. */
  | { readonly kind: 'entered'; leave(): void }
  /** The receiver has enough to do; `at` is this caller's own turn, so that waiting callers do not return all at once. */
  | { readonly kind: 'full'; readonly at: Date };

export interface HostGate {
  enter(key: string): GatePass;
}

interface Receiver {
  underWay: number;
  /** Moving average of how long a request takes. */
  averageMs: number;
  /** The last turn given out. */
  lastTurn: number;
}

const ASSUMED_MS = 1_000;
const LEAST_SPACING_MS = 20;
/** Turns are not given out further ahead: the receiver may recover sooner. */
const FURTHEST_TURN_MS = 30_000;

/** @param limit requests under way to one receiver at a time. */
export function createHostGate(limit: number, clock: Clock): HostGate {
  const receivers = new Map<string, Receiver>();

  function enter(key: string): GatePass {
    const startedAt = clock.now().getTime();
    let receiver = receivers.get(key);
    if (receiver === undefined) {
      receiver = { underWay: 0, averageMs: ASSUMED_MS, lastTurn: 0 };
      receivers.set(key, receiver);
    }
    if (receiver.underWay >= limit) return { kind: 'full', at: nextTurn(receiver, startedAt, limit) };
    const entered = receiver;
    entered.underWay += 1;
    return {
      kind: 'entered',
      leave() {
        const now = clock.now().getTime();
        entered.underWay -= 1;
        entered.averageMs = entered.averageMs * 0.8 + (now - startedAt) * 0.2;
        if (entered.underWay === 0 && entered.lastTurn <= now) receivers.delete(key);
      },
    };
  }

  return { enter };
}

/** Turns follow each other as fast as the receiver has been taking requests. */
function nextTurn(receiver: Receiver, now: number, limit: number): Date {
  const spacing = Math.max(LEAST_SPACING_MS, receiver.averageMs / limit);
  receiver.lastTurn = Math.min(Math.max(receiver.lastTurn, now) + spacing, now + FURTHEST_TURN_MS);
  return new Date(receiver.lastTurn);
}
