/** Starting and stopping an instance in the right order. */

import type { OutboxRelay } from '../../core/engagement/outbox-relay.ts';
import type { JobHandlers, JobQueue } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Health } from '../http/health.ts';
import type { AdminTokenResult } from './admin-token.ts';

export interface LifecycleDeps {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly relay: OutboxRelay;
  readonly handlers: readonly JobHandlers[];
  /** False: this process serves requests and leaves the jobs to others. */
  readonly runJobs: boolean;
  readonly ensureAdminToken: () => Promise<AdminTokenResult>;
  /** Looks for attempts past their deadline; runs every `everyMs`. */
  readonly sweeper: { readonly run: () => Promise<unknown>; readonly everyMs: number };
  /** Closed after the work has ended and before the storage: transports, platforms, limiters. */
  readonly closeables: readonly { close(): Promise<void> }[];
  readonly logger: Logger;
}

export interface Lifecycle {
  start(): Promise<AdminTokenResult>;
  stop(): Promise<void>;
  health(): Promise<Health>;
}

/** How long running jobs may take to finish when the instance stops; what is not done is taken up by another process. */
const STOP_GRACE_MS = 15_000;

export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  let phase: 'created' | 'starting' | 'started' | 'stopping' | 'stopped' = 'created';
  let starting: Promise<AdminTokenResult> | undefined;
  let stopping: Promise<void> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let sweeping: Promise<unknown> = Promise.resolve();

  async function start(): Promise<AdminTokenResult> {
    phase = 'starting';
    await deps.storage.open();
    const admin = await deps.ensureAdminToken();
    if (deps.runJobs) {
      await deps.queue.start(Object.assign({}, ...deps.handlers) as JobHandlers);
      deps.relay.start();
      timer = setInterval(() => {
        sweeping = deps.sweeper.run().catch((err: unknown) => deps.logger.error({ err }, 'sweeper failed'));
      }, deps.sweeper.everyMs);
      timer.unref();
    }
    phase = 'started';
    return admin;
  }

  async function stop(): Promise<void> {
    await starting?.catch(() => undefined);
    phase = 'stopping';
    clearInterval(timer);
    await sweeping;
    await deps.relay.stop();
    await deps.queue.stop(STOP_GRACE_MS);
    for (const part of deps.closeables) {
      await part.close().catch((err: unknown) => deps.logger.warn({ err }, 'closing a part failed'));
    }
    await deps.storage.close();
    phase = 'stopped';
  }

  return {
    start() {
      starting ??= start();
      return starting;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
    async health() {
      const storage = await deps.storage.ping().then(
        () => 'ok',
        () => 'unreachable',
      );
      return {
        ready: phase === 'started' && storage === 'ok',
        checks: { lifecycle: phase === 'started' ? 'ok' : phase, storage },
      };
    },
  };
}
