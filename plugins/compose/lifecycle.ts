/** Starting and stopping an instance in the right order. */

import type { DeliveryLoop } from '../../core/engagement/webhooks/delivery-loop.ts';
import type { OutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import type { Subscribers } from '../../core/engagement/webhooks/subscribers.ts';
import { inOneProcess } from '../../core/maintenance/one-process.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JobHandlers, JobQueue } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Health } from '../http/health.ts';
import type { AdminTokenResult } from './admin-token.ts';

/** Something that is done now and then, for example failing overdue attempts. */
export interface Periodic {
  readonly name: string;
  readonly everyMs: number;
  /** Only one of the processes that share the storage does the work, once in this time. Without it every process does. */
  readonly oncePerMs?: number | undefined;
  /** Does the work once. A failure is logged, and the work is done again next time. */
  run(): Promise<unknown>;
}

/** Something that makes a first request as fast as later ones. Nothing waits for it, and nothing fails with it. */
export interface WarmUp {
  readonly name: string;
  run(): Promise<void>;
}

/** Something that is closed when the instance stops. */
export interface Closeable {
  /** Lets go of what is held. Idempotent. */
  close(): Promise<void>;
}

export interface LifecycleDeps {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly relay: Pick<OutboxRelay, 'start' | 'stop'>;
  /** Sends events to webhooks and subscribers. */
  readonly deliveries: Pick<DeliveryLoop, 'start' | 'stop' | 'wake'>;
  readonly subscribers: Pick<Subscribers, 'open' | 'names'>;
  readonly handlers: readonly JobHandlers[];
  /** False: this process serves requests and leaves the jobs to others. */
  readonly runJobs: boolean;
  /** Rejects when what is stored cannot be opened with the configured key. */
  readonly checkSecrets: () => Promise<void>;
  /** Makes the parts whose code is loaded late, so that what is wrong with them stops the start. */
  readonly openedAtStart: readonly (() => Promise<unknown>)[];
  readonly ensureAdminToken: () => Promise<AdminTokenResult>;
  readonly periodic: readonly Periodic[];
  readonly warmUps: readonly WarmUp[];
  /** What the operator should know about this configuration. */
  readonly bootWarnings: () => Promise<readonly string[]>;
  /** Long reads that save their progress: told to stop before the jobs are waited for. */
  readonly sweeper: Closeable;
  /** Closed in this order after the work has ended and before the storage. */
  readonly closeables: readonly Closeable[];
  /** Further entries of `Health.checks` that do not decide whether the instance is ready. */
  readonly notes: (now: { readonly isStorageReachable: boolean }) => Promise<Readonly<Record<string, string>>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a storage may take to open before a warning is logged. */
const SLOW_STORAGE_MS = 2_000;

/** How long running jobs may take to finish when the instance stops; what is not done is taken up by another process. */
const STOP_GRACE_MS = 15_000;

/** Starts and stops the parts of an instance. */
export class Lifecycle {
  readonly #deps: LifecycleDeps;
  #phase: 'created' | 'starting' | 'started' | 'stopping' | 'stopped' = 'created';
  #starting: Promise<AdminTokenResult> | undefined;
  #stopping: Promise<void> | undefined;
  #isStorageReachable = true;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  /** Periodic work that is under way, by name. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  /**
   * Idempotent. When it fails before jobs run (the storage is away, the key does not fit), all is closed and it may be tried
   * again. When it fails later, the instance is stopped.
   * @throws Error after `stop()`
   */
  async start(): Promise<AdminTokenResult> {
    if (this.#stopping !== undefined) {
      throw new Error('This instance has been stopped: make a new one with createCredence.');
    }
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Finishes what is under way, then closes every handle. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= Promise.resolve(this.#starting)
      .catch(() => undefined)
      .then(() => this.#shutDown());
    return this.#stopping;
  }

  /** Whether the instance can serve. Never rejects. */
  async health(): Promise<Health> {
    const isStorageReachable = await this.#checkStorage();
    const isStarted = this.#phase === 'started';
    const notes = await this.#deps.notes({ isStorageReachable });
    return {
      ready: isStarted && isStorageReachable,
      checks: {
        lifecycle: isStarted ? 'ok' : this.#phase,
        storage: isStorageReachable ? 'ok' : 'unreachable',
        ...notes,
      },
    };
  }

  async #start(): Promise<AdminTokenResult> {
    const { storage, warmUps, logger } = this.#deps;
    this.#phase = 'starting';
    try {
      await this.#prepare();
    } catch (error) {
      await this.#closeQuietly(storage);
      this.#phase = 'created';
      this.#starting = undefined;
      throw error;
    }
    try {
      const admin = await this.#run();
      this.#phase = 'started';
      for (const { name, run } of warmUps) {
        run().catch((err: unknown) => {
          if (this.#phase !== 'started') return;
          logger.warn({ err, name }, 'warming up failed: the first request tries again');
        });
      }
      return admin;
    } catch (error) {
      // Jobs may be running, and what has worked once does not start again. A `stop()` that waits for this does the rest.
      if (this.#stopping === undefined) {
        this.#stopping = this.#shutDown();
        await this.#stopping.catch((err: unknown) => logger.error({ err }, 'stopping failed'));
      }
      throw error;
    }
  }

  /** What can fail without a trace: the storage is open afterwards. */
  async #prepare(): Promise<void> {
    const { bootWarnings, openedAtStart, storage, checkSecrets, subscribers, logger } = this.#deps;
    for (const warning of await bootWarnings()) logger.warn({}, warning);
    for (const open of openedAtStart) await open();
    const opening = storage.open();
    // A storage that cannot be reached is tried for a while: the operator hears of it before that has ended.
    const timer = setTimeout(() => {
      logger.warn({}, 'the storage has not answered yet; check its URL and that it runs. The start waits for it');
    }, SLOW_STORAGE_MS);
    await opening.finally(() => clearTimeout(timer));
    await checkSecrets();
    // Before any job runs: what is dispatched from now on is for them too.
    await subscribers.open();
  }

  async #run(): Promise<AdminTokenResult> {
    const { storage, runJobs, queue, handlers, deliveries, relay, periodic, subscribers, logger } = this.#deps;
    if (runJobs) {
      await queue.start(Object.assign({}, ...handlers) as JobHandlers);
      deliveries.start();
      relay.start();
      storage.watch?.(
        (work) => {
          queue.wake?.(work);
          if (work.includes('deliveries')) deliveries.wake();
        },
        (err) => logger.warn({ err }, 'work of other processes is found by polling: the storage cannot tell of it'),
      );
      for (const each of periodic) this.#timers.push(setInterval(() => this.#runOnce(each), each.everyMs).unref());
    } else if (subscribers.names().length > 0) {
      const facts = { subscribers: subscribers.names() };
      logger.warn(facts, 'this process runs no jobs, so that its subscribers get no events');
    }
    // The last step that can fail: a token that is stored and not shown is lost.
    return this.#deps.ensureAdminToken();
  }

  /** A run that takes longer than its period is not overtaken. */
  #runOnce({ name, everyMs, oncePerMs, run }: Periodic): void {
    if (this.#running.has(name)) return;
    const work = oncePerMs === undefined ? run : inOneProcess(this.#deps, name, oncePerMs, run, everyMs);
    const current = work()
      .catch((err: unknown) => this.#deps.logger.error({ err, name }, 'periodic work failed'))
      .finally(() => this.#running.delete(name));
    this.#running.set(name, current);
  }

  async #shutDown(): Promise<void> {
    const { relay, sweeper, queue, deliveries, closeables, storage } = this.#deps;
    this.#phase = 'stopping';
    this.#timers.forEach(clearInterval);
    const steps: readonly (() => Promise<unknown>)[] = [
      () => Promise.all(this.#running.values()),
      () => relay.stop(),
      () => sweeper.close(),
      async () => {
        const stopped = [queue, deliveries].map(async (each) => each.stop(STOP_GRACE_MS));
        const failed = (await Promise.allSettled(stopped)).find(({ status }) => status === 'rejected');
        if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      },
      ...closeables.map((part) => () => this.#closeQuietly(part)),
      () => storage.close(),
    ];
    const failures: { readonly error: unknown }[] = [];
    // One that fails must not leave the later ones open, above all the storage.
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        failures.push({ error });
      }
    }
    this.#phase = 'stopped';
    const [first] = failures;
    if (first !== undefined) throw first.error;
  }

  async #closeQuietly(part: Closeable): Promise<void> {
    try {
      // Parts of users may throw at once, or return nothing.
      await part.close();
    } catch (err) {
      this.#deps.logger.warn({ err }, 'closing a part failed');
    }
  }

  /** Logs once when the storage fails and once when it is back; probes ask every few seconds. */
  async #checkStorage(): Promise<boolean> {
    const { storage, logger } = this.#deps;
    const failure: unknown = await storage.ping().then(
      () => undefined,
      (error: unknown) => error ?? new Error('The storage gave no reason.'),
    );
    const wasReachable = this.#isStorageReachable;
    this.#isStorageReachable = failure === undefined;
    if (this.#phase === 'started' && wasReachable !== this.#isStorageReachable) {
      if (this.#isStorageReachable) logger.info({}, 'the storage can be used again');
      else logger.error({ err: failure }, 'the storage cannot be used');
    }
    return this.#isStorageReachable;
  }
}
