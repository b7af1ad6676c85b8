/**
 * Decides which delivery may be sent now. Thousands of webhooks may share a host, so each has a bound of its own. The host and
 * the process have larger ones, of which receivers that do not answer get a part only. Brands share both equally.
 */
import { type Clock, monotonicMs } from '../../ports/clock.ts';
import { type BrandShares, createBrandShares } from './brand-shares.ts';
import { createReceiverGate, type GatePass, type ReceiverSpeed } from './receiver-gate.ts';

export interface DeliveryTarget {
  readonly webhookId: number;
  readonly brandId: number;
  /** As in `URL.host`. */
  readonly host: string;
}

export interface DeliveryGate {
  /** Lets a delivery through, or gives it a turn of its own. See `ReceiverGate.enter` for how long it waits. */
  enter(target: DeliveryTarget): Promise<GatePass>;
  speedOf(webhookId: number): ReceiverSpeed;
}

/** Requests of this process to one host at a time. */
export const PER_HOST = 48;

/** Requests to one webhook at a time; one until its first answer. */
const PER_WEBHOOK = { limit: 8, slowLimit: 2, unknownLimit: 1 };

/**
 * A receiver of this speed may send while its host has fewer requests than this. Receivers that did not answer have a small
 * share: the first try of a new webhook does not wait for the retries of any brand.
 */
const HOST_LIMITS: Readonly<Record<ReceiverSpeed, number>> = { quick: PER_HOST, known: 42, unknown: 36, slow: 12 };

/** The same for all hosts: the rest of the workers are for receivers that have answered. */
const TOTAL_LIMITS: Readonly<Record<ReceiverSpeed, number>> = {
  quick: Number.POSITIVE_INFINITY,
  known: 58,
  unknown: 52,
  slow: 40,
};

/** How often brands that need no room any more are looked for. */
const FORGET_EVERY_MS = 1_000;

export function createDeliveryGate({ clock, patienceMs }: { clock: Clock; patienceMs?: number }): DeliveryGate {
  const receivers = createReceiverGate({ ...PER_WEBHOOK, clock, ...(patienceMs === undefined ? {} : { patienceMs }) });
  const hosts = new Map<string, BrandShares>();
  const everywhere = createBrandShares(clock);
  let total = 0;
  let forgottenAt = Number.NEGATIVE_INFINITY;

  function hostOf(name: string): BrandShares {
    const host = hosts.get(name) ?? createBrandShares(clock);
    hosts.set(name, host);
    return host;
  }

  function forgetIdle(): void {
    const now = monotonicMs(clock);
    if (now - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = now;
    everywhere.forgetIdle();
    for (const [name, host] of hosts) {
      host.forgetIdle();
      if (host.isEmpty()) hosts.delete(name);
    }
  }

  return {
    speedOf: (webhookId) => receivers.speedOf(String(webhookId)),
    async enter({ webhookId, brandId, host: name }) {
      forgetIdle();
      const key = String(webhookId);
      const speed = receivers.speedOf(key);
      const host = hostOf(name);
      // A quick receiver leaves its room before another brand would miss it.
      const rooms = speed === 'quick' ? [host] : [host, everywhere];
      const hasRoom =
        total < TOTAL_LIMITS[speed] &&
        host.admits(brandId, HOST_LIMITS[speed]) &&
        (speed === 'quick' || everywhere.admits(brandId, TOTAL_LIMITS[speed]));
      if (!hasRoom) {
        for (const room of rooms) room.refuse(brandId);
        return receivers.turnAway(key);
      }
      const count = (by: 1 | -1) => {
        total += by;
        for (const room of rooms) room.count(brandId, by);
      };
      const isWaiting = !receivers.hasRoom(key);
      // A waiting request takes no room. It enters when another request to the same webhook has ended.
      const countWaiting = (by: 1 | -1) => {
        for (const room of rooms) room.countWaiting(brandId, by);
      };
      if (isWaiting) countWaiting(1);
      else count(1);
      const pass = await receivers.enter(key);
      if (isWaiting) countWaiting(-1);
      if (pass.kind === 'full') return pass;
      if (isWaiting) count(1);
      return {
        kind: 'entered',
        hasWaited: pass.hasWaited,
        leave: () => {
          count(-1);
          pass.leave();
          if (host.isEmpty() && hosts.get(name) === host) hosts.delete(name);
        },
      };
    },
  };
}
