/**
 * Stops asking an endpoint that cannot be read any more: the platform changed, or it shuts us out. A post that
 * cannot be read says nothing about the others, so failures count once for each resource.
 */
import { type Clock, monotonicMs } from '../../core/ports/clock.ts';

export interface CircuitFailure {
  /** The post or profile that was asked for; absent when the request was about none. */
  readonly resource?: string | undefined;
  readonly reason: string;
  /** False if the answer itself could not be read, which may be due to the one post that was asked for. */
  readonly isTransport: boolean;
  /** True if a readable resource is known. Then it decides, and no number of other resources does. */
  readonly isProbed?: boolean;
}

export interface CircuitBreaker {
  /** Milliseconds until the key may be asked again; 0 if it may be asked now. */
  restMs(key: string): number;
  /**
   * True if `threshold` different resources failed in a row. If a readable resource is known, ask for it again: `succeeded`
   * acquits the platform, `confirm` opens the circuit.
   */
  isInDoubt(key: string): boolean;
  /** A readable answer, whatever it says. */
  succeeded(key: string): void;
  /**
   * A failure. The circuit opens after `threshold` failures that name no resource. Failures of different resources open it
   * only in large numbers, and only if no readable resource is known. Failures while the circuit is open count for nothing:
   * they are of requests that were sent before.
   */
  failed(key: string, failure: CircuitFailure): void;
  /** Opens the circuit, each time for twice as long, up to a limit. */
  confirm(key: string, reason: string): void;
  /** Why the last answer could not be read. */
  lastReason(key: string): string | undefined;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  readonly threshold?: number;
  readonly restMs: number;
  readonly maxRestMs: number;
}

/** Different resources in a row that cannot even be fetched. */
const TRANSPORT_LIMIT = 10;
/** Different resources in a row that cannot be read. */
const RESOURCE_LIMIT = 26;

interface Circuit {
  /** Failures in a row that name no resource. */
  unnamed: number;
  /** Resources that failed in a row; true if the failure was one of transport. */
  readonly resources: Map<string, boolean>;
  opened: number;
  openUntil: number;
  reason: string;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const threshold = options.threshold ?? 5;
  const circuits = new Map<string, Circuit>();

  function circuitOf(key: string, reason: string): Circuit {
    const circuit = circuits.get(key) ?? { unnamed: 0, resources: new Map(), opened: 0, openUntil: 0, reason };
    circuits.set(key, circuit);
    circuit.reason = reason;
    return circuit;
  }

  function open(circuit: Circuit): void {
    const rest = Math.min(options.maxRestMs, options.restMs * 2 ** Math.min(circuit.opened, 20));
    circuit.opened += 1;
    circuit.openUntil = monotonicMs(options.clock) + rest;
  }

  const restMs = (key: string): number => Math.max(0, (circuits.get(key)?.openUntil ?? 0) - monotonicMs(options.clock));

  return {
    restMs,
    isInDoubt: (key) => (circuits.get(key)?.resources.size ?? 0) >= threshold,
    succeeded: (key) => void circuits.delete(key),
    lastReason: (key) => circuits.get(key)?.reason,
    confirm: (key, reason) => open(circuitOf(key, reason)),
    failed(key, { resource, reason, isTransport, isProbed = false }) {
      if (restMs(key) > 0) return;
      const circuit = circuitOf(key, reason);
      if (resource === undefined) circuit.unnamed += 1;
      else if (circuit.resources.size < RESOURCE_LIMIT) circuit.resources.set(resource, isTransport);
      const unfetched = [...circuit.resources.values()].filter(Boolean).length;
      const isUnread = unfetched >= TRANSPORT_LIMIT || circuit.resources.size >= RESOURCE_LIMIT;
      if (circuit.unnamed >= threshold || (isUnread && !isProbed)) open(circuit);
    },
  };
}
