/** Where a host is to die: before or after the n-th call of one method of one port. */
export interface CrashPoint {
  /** Port and method: `attempts.transition`, `jobs.enqueue`, `webhookTransport.send` … */
  readonly call: string;
  /** `before`: the call is not made. `after`: its effect is there, its caller never learns. */
  readonly when: 'before' | 'after';
  /** Calls that pass unharmed first; 0 by default. */
  readonly skip?: number;
  /** Only calls whose arguments, as JSON, contain this text count. */
  readonly about?: string;
}

/** Kills this process the way a power cut does: no handler runs, nothing is flushed. */
const die = (): void => void process.kill(process.pid, 'SIGKILL');

/** The ports of one instance, with every call watched. */
export interface WatchedPorts {
  watch<T extends object>(name: string, port: T): T;
}

export interface Bombs {
  /** For each instance its point, or null for none. The process dies as soon as every point is reached. */
  arm(points: readonly (CrashPoint | null)[]): void;
  /** Instances are numbered from 0. */
  instance(index: number): WatchedPorts;
}

interface Fuse {
  readonly point: CrashPoint;
  passed: number;
  isReached: boolean;
}

/**
 * Crash points for instances that share this process. An instance that reaches its point before the others do stands still.
 * The call at the point and all later ones never return, as if it were dead already.
 * @param onReached is told the number of each instance that reaches its point
 */
export function createBombs(onReached: (index: number) => void): Bombs {
  let fuses: readonly (Fuse | null)[] = [];

  function reaches(fuse: Fuse, call: string, when: CrashPoint['when'], args: readonly unknown[], result?: unknown) {
    const { point } = fuse;
    if (point.call !== call || point.when !== when) return false;
    // A poll that found nothing is no event; jobs that are queued are one, also if none is claimed with it.
    if (call !== 'jobs.enqueue' && Array.isArray(result) && result.length === 0) return false;
    if (point.about !== undefined && !JSON.stringify(args).includes(point.about)) return false;
    fuse.passed += 1;
    return fuse.passed > (point.skip ?? 0);
  }

  /** Returns only if the instance lives on. */
  async function pass(index: number, ...event: [string, CrashPoint['when'], readonly unknown[], unknown?]) {
    const fuse = fuses[index];
    if (fuse == null) return;
    if (!fuse.isReached) {
      if (!reaches(fuse, ...event)) return;
      fuse.isReached = true;
      onReached(index);
    }
    if (fuses.every((other) => other?.isReached !== false)) die();
    await new Promise<never>(() => undefined);
  }

  return {
    arm(points) {
      fuses = points.map((point) => point && { point, passed: 0, isReached: false });
    },
    instance: (index) => ({
      watch: (name, port) =>
        new Proxy(port, {
          get(target, key) {
            const member: unknown = Reflect.get(target, key);
            if (typeof member !== 'function') return member;
            const call = `${name}.${String(key)}`;
            return async (...args: readonly unknown[]) => {
              await pass(index, call, 'before', args);
              const result: unknown = await Reflect.apply(member, target, args);
              await pass(index, call, 'after', args, result);
              return result;
            };
          },
        }),
    }),
  };
}
