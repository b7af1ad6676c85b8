/** The deliveries to one target, and the runs of those that this process has in hand. */
import { Leased } from '../../leases.ts';
import type { LeasedDelivery } from '../../ports/webhook-store.ts';

/** A delivery in the hands of this process. */
export class Run extends Leased<LeasedDelivery> {
  isBegun = false;
  /** It was claimed again while what came of it was being stored. */
  next: Run | undefined;
  done: Promise<void> = Promise.resolve();
}

/** The deliveries to one target. */
export class Line {
  held = 0;
  /** The last claim brought as many as there was room for. */
  isFull = false;
  readonly #concurrency: number;
  #busy = 0;
  readonly #waiting: (() => void)[] = [];
  /** How many have ended in this second and in the one before. */
  #ended = 0;
  #endedBefore = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** As many as the target took in a second: a quick one need not wait for a claim, and a silent one holds few. */
  get size(): number {
    return Math.max(2 * this.#concurrency, this.#ended, this.#endedBefore);
  }

  get room(): number {
    return Math.max(0, this.size - this.held);
  }

  /** Does the work as soon as fewer than `concurrency` are at it, first come first served. */
  async inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy < this.#concurrency) this.#busy += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }

  end(): void {
    this.held -= 1;
    this.#ended += 1;
  }

  /** False if nothing is known of the target that a new line would not know. */
  nextSecond(): boolean {
    this.#endedBefore = this.#ended;
    this.#ended = 0;
    return this.held > 0 || this.#endedBefore > 0;
  }
}
