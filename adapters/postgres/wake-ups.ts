/**
 * Wake-ups between processes: one that has stored work tells the others (NOTIFY), and those that run jobs listen (LISTEN). Nothing
 * depends on them: what is not heard is found by polling.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Watch } from '../../core/ports/storage.ts';
import { settlesWithin } from '../../core/settles-within.ts';
import { createListener } from './pool.ts';

/** How long a listener may take to hear what its own process says. */
const ECHO_MS = 5_000;
/** The pauses before it listens again: after its connection was cut, and after it heard nothing. */
const CUT_MS = 1_000;
const DEAF_MS = 10_000;
/** A server that has fallen silent does not confirm the end. */
const CLOSE_MS = 1_000;

export class WakeUps {
  readonly #channel: string;
  readonly #notify: (channel: string, payload: string) => Promise<unknown>;
  readonly #self = randomUUID();
  readonly #news = new Set<string>();
  #telling: Promise<void> | undefined;
  #listener: Awaited<ReturnType<typeof createListener>> | undefined;
  #isClosed = false;

  constructor(channel: string, notify: (channel: string, payload: string) => Promise<unknown>) {
    this.#channel = channel;
    this.#notify = notify;
  }

  /**
   * Tells of work that is stored. Not in its transaction: PostgreSQL commits those with a NOTIFY one after the other. 16 connections
   * that enqueue would get a fifth as much done.
   */
  tell(work: readonly string[]): void {
    for (const each of work) this.#news.add(each);
    this.#telling ??= this.#tell();
  }

  /** What comes meanwhile is told together. */
  async #tell(): Promise<void> {
    do {
      const payload = [this.#self, ...this.#news].join(' ');
      this.#news.clear();
      await this.#notify(this.#channel, payload).catch(() => undefined);
    } while (this.#news.size > 0);
    this.#telling = undefined;
  }

  async listen(url: string, ...[wake, deaf]: Parameters<Watch>): Promise<void> {
    for (let isTold = false; !this.#isClosed; ) {
      const failure = await this.#hear(url, wake).catch((error: unknown) => error);
      if (failure !== undefined && !isTold && !this.#isClosed) deaf(failure);
      isTold = failure !== undefined;
      await sleep(isTold ? DEAF_MS : CUT_MS, undefined, { ref: false });
    }
  }

  /** Resolves when a connection that heard has ended. */
  async #hear(url: string, wake: Parameters<Watch>[0]): Promise<void> {
    const client = await createListener(url);
    if (this.#isClosed) return;
    this.#listener = client;
    const [echo, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    client.on('error', () => undefined);
    client.on('end', ended.resolve);
    client.on('notification', ({ payload = '' }) => {
      const [from, ...work] = payload.split(' ');
      if (from === this.#self) echo.resolve();
      else wake(work);
    });
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel}"`);
      await this.#notify(this.#channel, this.#self);
      if (!(await settlesWithin(Promise.race([echo.promise, ended.promise]), ECHO_MS)))
        throw new Error('Notifications of PostgreSQL do not arrive. PgBouncer in transaction mode passes none on.');
      await ended.promise;
    } finally {
      client.end().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await settlesWithin(Promise.all([this.#telling, this.#listener?.end()]), CLOSE_MS);
  }
}
