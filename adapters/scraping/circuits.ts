/**
 * Stops asking an endpoint that cannot be read any more: the platform changed, or it shuts us out. A post that cannot be read says
 * nothing about the others, so failures count once for each resource.
 */
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';
import type { CallTime } from './deadline.ts';
import { endpointOf, type Failures } from './failures.ts';
import type { ScrapingCall, Verdict } from './types.ts';

export type Circuits = ReturnType<typeof createCircuits>;

type Failed = Extract<Verdict<never>, { kind: 'blocked' | 'unreadable' }>;

/** Nothing came back that could be read, so it was not the post that was odd. */
const TRANSPORT_FAILURE = /^(timeout|network|broken-body|unknown-encoding: .*|empty-body|http-5\d\d)$/;
/** Failures in a row that name no resource. */
const UNNAMED_LIMIT = 5;
/** Different resources in a row that cannot even be fetched. */
const TRANSPORT_LIMIT = 10;
/** Different resources in a row that cannot be read: more than a batch holds. */
const RESOURCE_LIMIT = 26;
/** An open circuit that closes this soon is waited for; a longer one refuses at once. */
const PATIENCE_MS = 1_000;
const REST_MS = 30_000;
const MAX_REST_MS = 120_000;

interface Circuit {
  unnamed: number;
  /** Resources that failed in a row; true if the failure was one of transport. */
  readonly resources: Map<string, boolean>;
  /** How often it has opened since the last success. */
  opened: number;
  openUntil: number;
  reason: string;
}

/** One circuit for each endpoint and kind of identity. */
export function createCircuits(clock: Clock, failures: Failures, timeScale: number) {
  const circuits = new Map<string, Circuit>();
  const keyOf = (call: ScrapingCall<unknown>): string => `${call.as}:${endpointOf(call)}`;
  /** The circuit if it is open, and for how long it still is. */
  const openOne = (call: ScrapingCall<unknown>) => {
    const circuit = circuits.get(keyOf(call));
    const restMs = (circuit?.openUntil ?? 0) - monotonicMs(clock);
    return circuit !== undefined && restMs > 0 ? { circuit, restMs } : null;
  };

  return {
    /** Returns when the endpoint may be asked. @throws `PLATFORM_UNAVAILABLE` (`circuit-open`) if that takes long */
    async pass(call: ScrapingCall<unknown>, time: CallTime): Promise<void> {
      const open = openOne(call);
      if (open === null) return;
      const { circuit, restMs } = open;
      if (restMs <= PATIENCE_MS && restMs < time.remainingMs()) return await time.sleep(restMs);
      throw failures.circuitOpen(restMs / timeScale, endpointOf(call), circuit.reason);
    },
    isOpen: (call: ScrapingCall<unknown>) => openOne(call) !== null,
    /** A readable answer, whatever it says. */
    succeeded: (call: ScrapingCall<unknown>) => void circuits.delete(keyOf(call)),
    /** Failures while the circuit is open count for nothing: they are of requests that were sent before. */
    failed(call: ScrapingCall<unknown>, { resource }: CallTime, { kind, reason }: Failed): void {
      if (openOne(call) !== null) return;
      const made = { unnamed: 0, resources: new Map(), opened: 0, openUntil: 0, reason };
      const circuit: Circuit = circuits.get(keyOf(call)) ?? made;
      circuits.set(keyOf(call), circuit);
      circuit.reason = reason;
      const isTransport = kind === 'blocked' || TRANSPORT_FAILURE.test(reason);
      if (resource === undefined) circuit.unnamed += 1;
      else if (circuit.resources.size < RESOURCE_LIMIT) circuit.resources.set(resource, isTransport);
      const unfetched = [...circuit.resources.values()].filter(Boolean).length;
      const isUnread = unfetched >= TRANSPORT_LIMIT || circuit.resources.size >= RESOURCE_LIMIT;
      if (circuit.unnamed < UNNAMED_LIMIT && !isUnread) return;
      // Each time twice as long.
      const rest = Math.min(MAX_REST_MS, REST_MS * 2 ** circuit.opened) * timeScale;
      circuit.opened += 1;
      circuit.openUntil = monotonicMs(clock) + rest;
    },
  };
}
