/** Starting and stopping an instance in the right order. */

import type { DeliveryLoop } from '../../core/engagement/webhooks/delivery-loop.ts';
import type { OutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import type { Subscribers } from '../../core/engagement/webhooks/subscribers.ts';
import type { JobHandlers, JobQueue } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Health } from '../http/health.ts';
import type { AdminTokenResult } from './admin-token.ts';

/** Something that every process does now and then, for example failing overdue attempts. */
export interface Periodic {
  readonly name: string;
  readonly everyMs: number;
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
  readonly deliveries: Pick<DeliveryLoop, 'start' | 'stop'>;
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
  readonly logger: Logger;
}

/** Starts and stops the parts of an instance. */
export interface Lifecycle {
  /**
   * Idempotent. When it fails before jobs run (the storage is away, the key does not fit), all is closed and it may be tried
   * again. When it fails later, the instance is stopped.
   * @throws Error after `stop()`
   */
  start(): Promise<AdminTokenResult>;
  /** Finishes what is under way, then closes every handle. Idempotent. */
  stop(): Promise<void>;
  /** Whether the instance can serve. Never rejects. */
  health(): Promise<Health>;
}

/** How long a storage may take to open before a warning is logged. */
const SLOW_STORAGE_MS = 2_000;

/** How long running jobs may take to finish when the instance stops; what is not done is taken up by another process. */
const STOP_GRACE_MS = 15_000;

export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  let phase: 'created' | 'starting' | 'started' | 'stopping' | 'stopped' = 'created';
  let starting: Promise<AdminTokenResult> | undefined;
  let stopping: Promise<void> | undefined;
  const timers: ReturnType<typeof setInterval>[] = [];
  const running = new Set<Promise<unknown>>();
  let isStorageReachable = true;

  /** Logs once when the storage fails and once when it is back; probes ask every few seconds. */
  async function checkStorage(): Promise<'ok' | 'unreachable'> {
    const failure: unknown = await deps.storage.ping().then(
      () => undefined,
      (error: unknown) => error ?? new Error('The storage gave no reason.'),
    );
    const wasReachable = isStorageReachable;
    isStorageReachable = failure === undefined;
    if (phase === 'started' && wasReachable !== isStorageReachable) {
      if (isStorageReachable) deps.logger.info({}, 'the storage can be used again');
      else deps.logger.error({ err: failure }, 'the storage cannot be used');
    }
    return isStorageReachable ? 'ok' : 'unreachable';
  }

  function startPeriodic({ name, everyMs, run }: Periodic): void {
    let current: Promise<unknown> | undefined;
    const timer = setInterval(() => {
      // A run that takes longer than its period is not overtaken.
      if (current) return;
      current = run()
        .catch((err: unknown) => deps.logger.error({ err, name }, 'periodic work failed'))
        .finally(() => {
          running.delete(current as Promise<unknown>);
          current = undefined;
        });
      running.add(current);
    }, everyMs);
    timer.unref();
    timers.push(timer);
  }

  function warmUp({ name, run }: WarmUp): void {
    run().catch((err: unknown) => {
      if (phase === 'started') deps.logger.warn({ err, name }, 'warming up failed: the first request tries again');
    });
  }

  /** A storage that cannot be reached is tried for a while: the operator hears of it before that has ended. */
  async function untilOpen(opening: Promise<void>): Promise<void> {
    const timer = setTimeout(() => {
      deps.logger.warn({}, 'the storage has not answered yet; check its URL and that it runs. The start waits for it');
    }, SLOW_STORAGE_MS);
    await opening.finally(() => clearTimeout(timer));
  }

  /** What can fail without a trace: the storage is open afterwards. */
  async function prepare(): Promise<void> {
    for (const warning of await deps.bootWarnings()) deps.logger.warn({}, warning);
    for (const open of deps.openedAtStart) await open();
    await untilOpen(deps.storage.open());
    await deps.checkSecrets();
    // Before any job runs: what is dispatched from now on is for them too.
    await deps.subscribers.open();
  }

  async function run(): Promise<AdminTokenResult> {
    if (deps.runJobs) {
      await deps.queue.start(Object.assign({}, ...deps.handlers) as JobHandlers);
      deps.deliveries.start();
      deps.relay.start();
      deps.periodic.forEach(startPeriodic);
    } else if (deps.subscribers.names().length > 0) {
      const subscribers = deps.subscribers.names();
      deps.logger.warn({ subscribers }, 'this process runs no jobs, so that its subscribers get no events');
    }
    // The last step that can fail: a token that is stored and not shown is lost.
    return deps.ensureAdminToken();
  }

  async function start(): Promise<AdminTokenResult> {
    phase = 'starting';
    try {
      await prepare();
    } catch (error) {
      await closeQuietly(deps.storage);
      phase = 'created';
      starting = undefined;
      throw error;
    }
    try {
      const admin = await run();
      phase = 'started';
      deps.warmUps.forEach(warmUp);
      return admin;
    } catch (error) {
      // Jobs may be running, and what has worked once does not start again. A `stop()` that waits for this does the rest.
      if (stopping === undefined) {
        stopping = shutDown();
        await stopping.catch((err: unknown) => deps.logger.error({ err }, 'stopping failed'));
      }
      throw error;
    }
  }

  async function closeQuietly(part: Closeable): Promise<void> {
    try {
      // Parts of users may throw at once, or return nothing.
      await part.close();
    } catch (err) {
      deps.logger.warn({ err }, 'closing a part failed');
    }
  }

  async function stop(): Promise<void> {
    await starting?.catch(() => undefined);
    await shutDown();
  }

  async function shutDown(): Promise<void> {
    phase = 'stopping';
    timers.forEach(clearInterval);
    const steps: readonly (() => Promise<unknown>)[] = [
      () => Promise.all(running),
      () => deps.relay.stop(),
      () => deps.sweeper.close(),
      async () => {
        const stopped = [deps.queue, deps.deliveries].map(async (each) => each.stop(STOP_GRACE_MS));
        const failed = (await Promise.allSettled(stopped)).find(({ status }) => status === 'rejected');
        if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      },
      ...deps.closeables.map((part) => () => closeQuietly(part)),
      () => deps.storage.close(),
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
    phase = 'stopped';
    const [first] = failures;
    if (first !== undefined) throw first.error;
  }

  return {
    async start() {
      if (stopping !== undefined) {
        throw new Error('This instance has been stopped: make a new one with createCredence.');
      }
      starting ??= start();
      return starting;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
    async health() {
      const storage = await checkStorage();
      const notes = await deps.notes({ isStorageReachable: storage === 'ok' });
      return {
        ready: phase === 'started' && storage === 'ok',
        checks: { lifecycle: phase === 'started' ? 'ok' : phase, storage, ...notes },
      };
    },
  };
}
