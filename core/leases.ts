/** What a process holds under leases, and the heartbeat that keeps them. */
import type { Clock } from './ports/clock.ts';
import { settlesWithin } from './settles-within.ts';

/** How long aborted work may take to end before it is given back regardless. */
const ABORT_GRACE_MS = 1_000;

interface Known {
  readonly id: number;
}

/** Something that this process works on under a lease. */
export class Leased<W extends Known> {
  /** Under its newest lease. */
  work: W;
  leaseUntil: Date;
  /** Another process may have taken it: nothing may be written for it any more. */
  lost = false;
  /** It is done, and what came of it is being stored: a lease that is gone by then was given up by that. */
  ended = false;
  readonly #controller = new AbortController();

  constructor(work: W, leaseUntil: Date) {
    this.work = work;
    this.leaseUntil = leaseUntil;
  }

  /** Aborted when the lease is lost, or the process stops. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: string): void {
    this.#controller.abort(new Error(reason));
  }
}

export interface LeasesOptions<L extends Leased<Known>> {
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Lengthens leases; returns the ids whose leases still held. */
  readonly extend: (works: readonly L['work'][], until: Date) => Promise<readonly number[]>;
  /** Told of failures of `extend`. */
  readonly onFailure: (error: unknown) => void;
  /** Told of what was lost. Aborts it. */
  readonly onLost: (each: L) => void;
}

export class Leases<L extends Leased<Known>> {
  /** By id. What is claimed again after it was lost, or has ended, may take the place of the former. */
  readonly held = new Map<number, L>();
  readonly #options: LeasesOptions<L>;

  constructor(options: LeasesOptions<L>) {
    this.#options = options;
  }

  holds(each: L): boolean {
    return this.held.get(each.work.id) === each;
  }

  remove(each: L): void {
    if (this.holds(each)) this.held.delete(each.work.id);
  }

  /** Lengthens every lease; what is gone, or can no longer be known to hold, is lost. Never rejects. */
  async beat(): Promise<void> {
    const { clock, leaseMs, extend, onFailure } = this.#options;
    const held = [...this.held.values()].filter(({ lost }) => !lost);
    if (held.length === 0) return;
    const until = new Date(clock.now().getTime() + leaseMs);
    const works = held.map(({ work }) => work);
    try {
      const kept = new Set(await extend(works, until));
      for (const [at, each] of held.entries()) {
        if (kept.has(each.work.id)) each.leaseUntil = until;
        // Unless it is over by now, or was claimed again here.
        else if (each.work === works[at]) this.#lose(each);
      }
    } catch (error) {
      onFailure(error);
      const now = clock.now();
      for (const each of held) if (each.leaseUntil <= now) this.#lose(each);
    }
  }

  /** Waits until all is idle, at most `graceMs`, then aborts what is left. Returns what has not ended even so. */
  async drain(idle: Promise<unknown>, graceMs: number, reason: string): Promise<readonly L[]> {
    if (await settlesWithin(idle, graceMs)) return [];
    for (const each of this.held.values()) each.abort(reason);
    return (await settlesWithin(idle, ABORT_GRACE_MS)) ? [] : [...this.held.values()];
  }

  #lose(each: L): void {
    if (each.lost || each.ended || !this.holds(each)) return;
    each.lost = true;
    this.#options.onLost(each);
  }
}
