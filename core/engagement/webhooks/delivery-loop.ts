/**
 * Sends what is due. A loop claims deliveries under leases, sends them, and stores what came of them. Each target has a line of its
 * own: one that is slow or silent holds no other up.
 */
import { Leases } from '../../leases.ts';
import type { DeliveryStore } from '../../ports/webhook-store.ts';
import { watchSetBack } from '../../set-back.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import type { Deliver } from './deliver.ts';
import { Line, Run } from './delivery-line.ts';
import type { Subscribers } from './subscribers.ts';
import type { DeliveryTarget } from './webhook.ts';

export interface DeliveryLoopDeps extends Pick<UseCaseParts, 'clock' | 'logger'> {
  readonly deliveries: Pick<DeliveryStore, 'claim' | 'extend' | 'afterSetBack'>;
  /** Says whose deliveries this process takes. */
  readonly subscribers: Pick<Subscribers, 'handled'>;
  /** Sends one; what throws is sent again when its lease ends. While the outcome is stored, its line continues. */
  readonly deliver: Deliver;
  /** A delivery whose process died is sent again after this long. */
  readonly leaseMs: number;
  /** How often deliveries of other processes, and those that are due again, are looked for; 1,000 by default. */
  readonly pollMs?: number;
  /** Deliveries to one target at a time; 8 by default. */
  readonly concurrency?: number;
}

/** Some milliseconds of a storage. */
const MOST_OF_A_CLAIM = 256;
/** A bound of memory: far more than a brand with a hundred silent webhooks has in hand. */
const MOST_HELD = 4_096;
const SECOND_MS = 1_000;
/**
 * Outcomes that come within so long are stored together: a receiver that answers at once gets 1.6 times as many deliveries as
 * without, and 1.3 times as many as with 10 ms. If the process dies before that, those deliveries are sent again.
 */
const GATHER_MS = 100;

export class DeliveryLoop {
  readonly #deps: Required<DeliveryLoopDeps>;
  readonly #runs: Leases<Run>;
  readonly #lines = new Map<DeliveryTarget, Line>();
  #state: 'idle' | 'working' | 'stopped' = 'idle';
  #isWoken = false;
  #looking: Promise<void> | undefined;
  #gathering: Promise<void> | undefined;
  #timers: ReturnType<typeof setInterval>[] = [];
  #endWatch: () => void = () => undefined;

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = { pollMs: 1_000, concurrency: 8, ...deps };
    const { deliveries, leaseMs, clock, logger } = deps;
    this.#runs = new Leases<Run>({
      leaseMs,
      clock,
      extend: (leased, until) => deliveries.extend(leased, until),
      onFailure: (err) => logger.warn({ err }, 'leases of deliveries could not be lengthened'),
      onLost(run) {
        logger.warn({ deliveryId: run.work.id }, 'lease of a delivery lost; it is given up here');
        run.abort('The lease of this delivery is lost.');
      },
    });
  }

  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'working';
    const { pollMs, leaseMs, clock } = this.#deps;
    this.#timers = [
      setInterval(() => this.wake(), pollMs),
      setInterval(() => this.#nextSecond(), SECOND_MS),
      setInterval(() => void this.#runs.beat(), leaseMs / 3),
    ];
    this.#endWatch = watchSetBack(clock, (byMs) => void this.#correct(byMs));
    this.wake();
  }

  /** Looks for deliveries at once. Calls during a look lead to one more look. */
  wake(): void {
    if (this.#state !== 'working') return;
    this.#isWoken = true;
    this.#looking ??= this.#lookWhileWoken().finally(() => {
      this.#looking = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  /** Claims nothing new, waits for what is being sent at most `graceMs`, then aborts it. What is not over is given back. */
  async stop(graceMs: number): Promise<void> {
    const wasWorking = this.#state === 'working';
    this.#state = 'stopped';
    this.#isWoken = false;
    if (!wasWorking) return;
    this.#endWatch();
    await this.#looking;
    await this.#giveBack([...this.#runs.held.values()].filter(({ isBegun }) => !isBegun));
    await this.#drain(graceMs);
    this.#timers.forEach(clearInterval);
  }

  async #lookWhileWoken(): Promise<void> {
    try {
      while (this.#isWoken && this.#state === 'working') {
        this.#isWoken = false;
        await this.#look();
      }
    } catch (err) {
      this.#isWoken = false;
      this.#deps.logger.warn({ err }, 'deliveries could not be claimed; it is tried again');
    }
  }

  async #look(): Promise<void> {
    const { deliveries, subscribers, clock, leaseMs, concurrency } = this.#deps;
    const total = Math.min(MOST_OF_A_CLAIM, MOST_HELD - this.#runs.held.size);
    if (total <= 0) return;
    const of = new Map([...this.#lines].map(([target, line]) => [target, line.room]));
    const limits = { total, each: 2 * concurrency, of, handled: await subscribers.handled() };
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const found = await deliveries.claim(limits, now, leaseUntil);
    for (const delivery of found) this.#hold(new Run(delivery, leaseUntil));
    const counts = Map.groupBy(found, ({ target }) => target);
    for (const [target, line] of this.#lines) {
      line.isFull = (counts.get(target)?.length ?? 0) >= (of.get(target) ?? 2 * concurrency);
    }
    if (found.length === total) this.#isWoken = true;
  }

  #hold(run: Run): void {
    const { target, id } = run.work;
    const former = this.#runs.held.get(id);
    if (former !== undefined) {
      // One that was sent is due again before its run has ended. Otherwise its lease ran out here, since the clock was set forward or the
      // process stood still: it continues under the new one. One that was given up and has not ended waits for the end of the new lease.
      if (former.ended) former.next = run;
      else if (!former.lost) Object.assign(former, { work: run.work, leaseUntil: run.leaseUntil });
      return;
    }
    const line = this.#lines.get(target) ?? new Line(this.#deps.concurrency);
    this.#lines.set(target, line);
    line.held += 1;
    this.#runs.held.set(id, run);
    run.done = this.#work(line, run);
  }

  async #work(line: Line, run: Run): Promise<void> {
    let isOver = false;
    try {
      const store = await line.inSlot(() => this.#send(run)).finally(() => this.#leave(line));
      if (store !== undefined && !run.lost) await this.#gathered();
      const retryAt = await store?.();
      isOver = !retryAt;
      if (retryAt) this.#wakeAt(retryAt);
    } catch (err) {
      const deliveryId = run.work.id;
      if (!run.signal.aborted)
        this.#deps.logger.warn({ err, deliveryId }, 'a delivery is not stored; it is sent again');
      else if (this.#state === 'stopped') await this.#giveBack([run]);
    }
    const isCrowded = this.#runs.held.size >= MOST_HELD;
    this.#runs.remove(run);
    if (run.next !== undefined && !isOver) await this.#continue(run.next);
    if (isCrowded) this.wake();
  }

  async #continue(run: Run): Promise<void> {
    if (this.#state === 'working') this.#hold(run);
    else await this.#giveBack([run]);
  }

  #leave(line: Line): void {
    line.end();
    if (line.isFull && line.held <= line.size / 2) this.wake();
  }

  async #gathered(): Promise<void> {
    if (this.#state !== 'working') return;
    this.#gathering ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#gathering = undefined;
        resolve();
      }, GATHER_MS);
    });
    await this.#gathering;
  }

  async #send(run: Run) {
    if (run.lost) return undefined;
    run.isBegun = true;
    const store = await this.#deps.deliver({ delivery: run.work, signal: run.signal });
    run.ended = true;
    return store;
  }

  /** The poll would find it, but later. */
  #wakeAt(at: Date): void {
    const wait = at.getTime() - this.#deps.clock.now().getTime();
    if (wait < this.#deps.pollMs) setTimeout(() => this.wake(), Math.max(0, wait)).unref();
  }

  #nextSecond(): void {
    for (const [target, line] of this.#lines) if (!line.nextSecond()) this.#lines.delete(target);
  }

  async #correct(byMs: number): Promise<void> {
    try {
      await this.#deps.deliveries.afterSetBack(this.#deps.clock.now(), byMs);
      this.#deps.logger.warn({ byMs }, 'the clock was set back; deliveries that wait are brought forward');
      this.wake();
    } catch (err) {
      this.#deps.logger.warn({ err }, 'deliveries could not be brought forward after the clock was set back');
    }
  }

  async #drain(graceMs: number): Promise<void> {
    const idle = Promise.all([...this.#runs.held.values()].map(({ done }) => done));
    const left = await this.#runs.drain(idle, graceMs, 'The instance stops.');
    if (left.length === 0) return;
    const own = left.filter(({ lost }) => !lost);
    const deliveryIds = own.map(({ work: { id } }) => id);
    this.#deps.logger.warn({ deliveryIds }, 'deliveries did not end when aborted; they are given back');
    await this.#giveBack(own);
  }

  async #giveBack(runs: readonly Run[]): Promise<void> {
    const own = runs.filter(({ lost }) => !lost);
    if (own.length === 0) return;
    for (const run of own) run.lost = true;
    const deliveries = own.map(({ work }) => work);
    await this.#deps.deliveries.extend(deliveries, this.#deps.clock.now()).catch((err: unknown) => {
      this.#deps.logger.warn({ err }, 'deliveries could not be given back; their leases will run out');
    });
  }
}
