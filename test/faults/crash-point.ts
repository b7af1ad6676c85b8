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

export interface Bomb {
  arm(point: CrashPoint): void;
  /** The same port, with every call watched. */
  watch<T extends object>(name: string, port: T): T;
}

export function createBomb(): Bomb {
  let armed: CrashPoint | null = null;
  let passed = 0;

  function goesOff(call: string, when: CrashPoint['when'], args: readonly unknown[], result?: unknown): boolean {
    if (armed === null || armed.call !== call || armed.when !== when) return false;
    // A poll that found nothing is no event.
    if (Array.isArray(result) && result.length === 0) return false;
    if (armed.about !== undefined && !JSON.stringify(args).includes(armed.about)) return false;
    passed += 1;
    return passed > (armed.skip ?? 0);
  }

  return {
    arm(point) {
      armed = point;
      passed = 0;
    },
    watch: (name, port) =>
      new Proxy(port, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key);
          if (typeof member !== 'function') return member;
          const call = `${name}.${String(key)}`;
          return async (...args: readonly unknown[]) => {
            if (goesOff(call, 'before', args)) die();
            const result: unknown = await Reflect.apply(member, target, args);
            if (goesOff(call, 'after', args, result)) die();
            return result;
          };
        },
      }),
  };
}
