/**
 * Decides which delivery may be sent now. Thousands of webhooks may share a host, so each has a bound of its own. The host and
 * the process have larger ones, of which receivers that do not answer get a part only, and brands share a host equally.
 */
import type { Clock } from '../../ports/clock.ts';
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

/** A brand that was turned away has its part of the host kept for so long. */
const CLAIM_MS = 30_000;

interface Host {
  underWay: number;
  /** Requests under way and the last refusal, by brand. */
  readonly brands: Map<number, { underWay: number; refusedAt: number }>;
}

export function createDeliveryGate({ clock, patienceMs }: { clock: Clock; patienceMs?: number }): DeliveryGate {
  const receivers = createReceiverGate({ ...PER_WEBHOOK, clock, ...(patienceMs === undefined ? {} : { patienceMs }) });
  const hosts = new Map<string, Host>();
  let total = 0;

  function brandOf(host: Host, brandId: number) {
    const brand = host.brands.get(brandId) ?? { underWay: 0, refusedAt: Number.NEGATIVE_INFINITY };
    host.brands.set(brandId, brand);
    return brand;
  }

  function hasRoom(host: Host, brandId: number, speed: ReceiverSpeed): boolean {
    if (total >= TOTAL_LIMITS[speed] || host.underWay >= HOST_LIMITS[speed]) return false;
    const share = Math.max(1, Math.floor(HOST_LIMITS[speed] / host.brands.size));
    return (host.brands.get(brandId)?.underWay ?? 0) < share;
  }

  /** Brands that neither send nor wait have no part of the host. */
  function forgetIdle(name: string, host: Host): void {
    const since = clock.now().getTime() - CLAIM_MS;
    for (const [id, { underWay, refusedAt }] of host.brands) {
      if (underWay === 0 && refusedAt < since) host.brands.delete(id);
    }
    if (host.brands.size === 0) hosts.delete(name);
  }

  return {
    async enter({ webhookId, brandId, host: name }) {
      const key = String(webhookId);
      const host = hosts.get(name) ?? { underWay: 0, brands: new Map() };
      forgetIdle(name, host);
      hosts.set(name, host);
      const brand = brandOf(host, brandId);
      if (!hasRoom(host, brandId, receivers.speedOf(key))) {
        brand.refusedAt = clock.now().getTime();
        return receivers.turnAway(key);
      }
      const count = (by: 1 | -1) => {
        total += by;
        host.underWay += by;
        brand.underWay += by;
      };
      // Those who wait here take no room: one gets in when another request to the same webhook has ended.
      const waits = !receivers.hasRoom(key);
      if (!waits) count(1);
      const pass = await receivers.enter(key);
      if (pass.kind === 'full') return pass;
      if (waits) count(1);
      brand.refusedAt = Number.NEGATIVE_INFINITY;
      return {
        kind: 'entered',
        leave: () => {
          count(-1);
          pass.leave();
          forgetIdle(name, host);
        },
      };
    },
  };
}
