/**
 * Sends what is due. A loop claims deliveries under leases, sends them, and stores what came of them. Each target has a line of its
 * own: one that is slow or silent holds no other up.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { DeliveryStore, LeasedDelivery } from '../../ports/webhook-store.ts';
import { watchSetBack } from '../../set-back.ts';
import { settlesWithin } from '../../settles-within.ts';
import type { Deliver } from './deliver.ts';
import { Line, Run } from './delivery-line.ts';
import type { Subscribers } from './subscribers.ts';
import type { DeliveryTarget } from './webhook.ts';

export interface DeliveryLoopDeps {
  readonly deliveries: Pick<DeliveryStore, 'claim' | 'extend' | 'afterSetBack'>;
  /** Says whose deliveries this process takes. */
  readonly subscribers: Pick<Subscribers, 'handled'>;
  /** Sends one; what throws is sent again when its lease ends. While the outcome is stored, its line continues. */
  readonly deliver: Deliver;
  readonly clock: Clock;
  readonly logger: Logger;
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
/** How long aborted sends may take to end before their deliveries are given back regardless. */
const ABORT_GRACE_MS = 1_000;

export class DeliveryLoop {
  readonly #deps: Required<DeliveryLoopDeps>;
  readonly #runs = new Map<number, Run>();
  readonly #lines = new Map<DeliveryTarget, Line>();
  #state: 'idle' | 'working' | 'stopped' = 'idle';
  #isWoken = false;
  #looking: Promise<void> | undefined;
  #gathering: Promise<void> | undefined;
  #timers: ReturnType<typeof setInterval>[] = [];
  #endWatch: () => void = () => undefined;

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = { pollMs: 1_000, concurrency: 8, ...deps };
  }

  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'working';
    const { pollMs, leaseMs, clock } = this.#deps;
    this.#timers = [
      setInterval(() => this.wake(), pollMs),
      setInterval(() => this.#nextSecond(), SECOND_MS),
      setInterval(() => void this.#beat(), leaseMs / 3),
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
    await this.#giveBack([...this.#runs.values()].filter(({ isBegun }) => !isBegun));
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
    const total = Math.min(MOST_OF_A_CLAIM, MOST_HELD - this.#runs.size);
    if (total <= 0) return;
    const of = new Map([...this.#lines].map(([target, line]) => [target, line.room]));
    const limits = { total, each: 2 * concurrency, of, handled: await subscribers.handled() };
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const found = await deliveries.claim(limits, now, leaseUntil);
    for (const delivery of found) this.#hold(delivery, leaseUntil);
    const counts = Map.groupBy(found, ({ target }) => target);
    for (const [target, line] of this.#lines) {
      line.isFull = (counts.get(target)?.length ?? 0) >= (of.get(target) ?? 2 * concurrency);
    }
    if (found.length === total) this.#isWoken = true;
  }

  #hold(delivery: LeasedDelivery, leaseUntil: Date): void {
    const former = this.#runs.get(delivery.id);
    if (former !== undefined) {
      // One that was sent is due again before its run has ended. Otherwise its lease ran out here, since the clock was set forward or the
      // process stood still: it continues under the new one. One that was given up and has not ended waits for the end of the new lease.
      if (former.isSent) former.next = { delivery, leaseUntil };
      else if (!former.lost) Object.assign(former, { delivery, leaseUntil });
      return;
    }
    const { target } = delivery;
    const line = this.#lines.get(target) ?? new Line(this.#deps.concurrency);
    this.#lines.set(target, line);
    line.held += 1;
    const run = new Run(delivery, leaseUntil);
    this.#runs.set(delivery.id, run);
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
      const deliveryId = run.delivery.id;
      if (!run.signal.aborted)
        this.#deps.logger.warn({ err, deliveryId }, 'a delivery is not stored; it is sent again');
      else if (this.#state === 'stopped') await this.#giveBack([run]);
    }
    const isCrowded = this.#runs.size >= MOST_HELD;
    if (this.#runs.get(run.delivery.id) === run) this.#runs.delete(run.delivery.id);
    if (run.next !== undefined && !isOver) await this.#continue(run.next);
    if (isCrowded) this.wake();
  }

  async #continue({ delivery, leaseUntil }: Pick<Run, 'delivery' | 'leaseUntil'>): Promise<void> {
    if (this.#state === 'working') this.#hold(delivery, leaseUntil);
    else await this.#giveBack([new Run(delivery, leaseUntil)]);
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
    const store = await this.#deps.deliver(run);
    run.isSent = true;
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

  /** Lengthens the leases of what is held; what was lost, or can no longer be known to hold, is aborted. */
  async #beat(): Promise<void> {
    const { clock, leaseMs, logger } = this.#deps;
    const held = [...this.#runs.values()].filter(({ lost }) => !lost).map((run) => ({ run, delivery: run.delivery }));
    if (held.length === 0) return;
    const until = new Date(clock.now().getTime() + leaseMs);
    try {
      const kept = new Set(
        await this.#deps.deliveries.extend(
          held.map(({ delivery }) => delivery),
          until,
        ),
      );
      for (const { run, delivery } of held) {
        if (kept.has(delivery.id)) run.leaseUntil = until;
        // Unless it is over by now, or was claimed again here.
        else if (run.delivery === delivery) this.#lose(run);
      }
    } catch (err) {
      logger.warn({ err }, 'leases of deliveries could not be lengthened');
      const now = clock.now();
      for (const { run } of held) if (run.leaseUntil <= now) this.#lose(run);
    }
  }

  #lose(run: Run): void {
    if (run.lost || run.isSent || this.#runs.get(run.delivery.id) !== run) return;
    run.lost = true;
    this.#deps.logger.warn({ deliveryId: run.delivery.id }, 'lease of a delivery lost; it is given up here');
    run.abort('The lease of this delivery is lost.');
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
    const idle = Promise.all([...this.#runs.values()].map(({ done }) => done));
    if (await settlesWithin(idle, graceMs)) return;
    for (const run of this.#runs.values()) run.abort('The instance stops.');
    if (await settlesWithin(idle, ABORT_GRACE_MS)) return;
    const left = [...this.#runs.values()].filter(({ lost }) => !lost);
    const deliveryIds = left.map(({ delivery: { id } }) => id);
    this.#deps.logger.warn({ deliveryIds }, 'deliveries did not end when aborted; they are given back');
    await this.#giveBack(left);
  }

  async #giveBack(runs: readonly Run[]): Promise<void> {
    const own = runs.filter(({ lost }) => !lost);
    if (own.length === 0) return;
    for (const run of own) run.lost = true;
    const deliveries = own.map(({ delivery }) => delivery);
    await this.#deps.deliveries.extend(deliveries, this.#deps.clock.now()).catch((err: unknown) => {
      this.#deps.logger.warn({ err }, 'deliveries could not be given back; their leases will run out');
    });
  }
}
