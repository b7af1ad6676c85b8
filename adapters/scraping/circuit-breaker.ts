/** Stops asking a class of endpoints that answered unreadably several times in a row: the page changed, or we are shut out. */
import type { Clock } from '../../core/ports/clock.ts';

export interface CircuitBreaker {
  /** Milliseconds until the key may be asked again; 0 when it may be asked now. */
  restMs(key: string): number;
  /** A readable answer, whatever it says. */
  succeeded(key: string): void;
  /** An unreadable one. Five in a row open the circuit; every further failure opens it for twice as long, up to a limit. */
  failed(key: string, reason: string): void;
  /** Why the last answer could not be read. */
  lastReason(key: string): string | undefined;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  readonly threshold?: number;
  readonly restMs: number;
  readonly maxRestMs: number;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const threshold = options.threshold ?? 5;
  const circuits = new Map<string, { failures: number; openUntil: number; reason: string }>();
  return {
    restMs: (key) => Math.max(0, (circuits.get(key)?.openUntil ?? 0) - options.clock.now().getTime()),
    succeeded: (key) => void circuits.delete(key),
    lastReason: (key) => circuits.get(key)?.reason,
    failed(key, reason) {
      const circuit = circuits.get(key) ?? { failures: 0, openUntil: 0, reason };
      circuit.failures += 1;
      circuit.reason = reason;
      if (circuit.failures >= threshold) {
        const rest = Math.min(options.maxRestMs, options.restMs * 2 ** Math.min(circuit.failures - threshold, 20));
        circuit.openUntil = options.clock.now().getTime() + rest;
      }
      circuits.set(key, circuit);
    },
  };
}
