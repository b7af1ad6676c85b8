/** What the account with a provider has left, and what it may spend a day: counted for all processes together. */
import { DomainError } from '../../core/errors.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { CreditFigures } from '../../core/ports/platform.ts';
import type { UsageStore } from '../../core/ports/usage-store.ts';
import { asCount, type JsonObject } from '../scraping/index.ts';

const DAY_MS = 86_400_000;

export interface CreditsDeps {
  readonly platform: PlatformName;
  /** The provider's: its account is one for all platforms. */
  readonly name: string;
  readonly clock: Clock;
  readonly dailyCredits: number | undefined;
  readonly usage: Pick<UsageStore, 'add' | 'between'> | undefined;
}

export class Credits {
  readonly #deps: CreditsDeps;
  #left: number | null = null;
  #spent = { day: '', count: 0 };
  #turn: Promise<unknown> = Promise.resolve();

  /** @throws TypeError for a limit without a store to count in */
  constructor(deps: CreditsDeps) {
    if (deps.dailyCredits !== undefined && deps.usage === undefined) {
      throw new TypeError('`dailyCredits` needs a store to count in.');
    }
    this.#deps = deps;
  }

  /**
   * Counts a request before it is sent, one after the other: readers that share an account go over the limit by one each at most.
   * @throws `SCRAPING_RATE_LIMITED` with the reason `provider-budget` until midnight UTC once the day's credits are spent
   */
  async spend(): Promise<void> {
    const { usage, dailyCredits } = this.#deps;
    if (dailyCredits === undefined || usage === undefined) return;
    const spent = this.#turn.then(() => this.#spendOne(usage, dailyCredits));
    this.#turn = spent.catch(() => undefined);
    await spent;
  }

  async #spendOne(usage: Pick<UsageStore, 'add' | 'between'>, limit: number): Promise<void> {
    const key = `provider:${this.#deps.name}`;
    const day = this.#day();
    if (this.#today(day) >= limit) throw this.#budgetSpent();
    const [counted] = await usage.between(key, day, `${day}~`);
    const count = counted?.counts.reads ?? 0;
    this.#spent = { day, count };
    if (count >= limit) throw this.#budgetSpent();
    await usage.add(key, day, { reads: 1 });
    this.#spent = { day, count: count + 1 };
  }

  /** Some providers say with every answer what is left. */
  heed({ credits_remaining }: JsonObject): void {
    this.#left = asCount(credits_remaining) ?? this.#left;
  }

  figures(): CreditFigures {
    const { dailyCredits } = this.#deps;
    const daily = dailyCredits === undefined ? null : { limit: dailyCredits, spent: this.#today(this.#day()) };
    return { left: this.#left, daily };
  }

  #day(): string {
    return this.#deps.clock.now().toISOString().slice(0, '2026-11-28'.length);
  }

  #today(day: string): number {
    return this.#spent.day === day ? this.#spent.count : 0;
  }

  #budgetSpent(): DomainError {
    const { platform, clock } = this.#deps;
    const message = 'The day’s credits with the data provider are spent; it is asked again after midnight UTC.';
    return new DomainError('SCRAPING_RATE_LIMITED', message, {
      details: { reason: 'provider-budget', platform },
      retryAfterSeconds: Math.ceil((DAY_MS - (clock.now().getTime() % DAY_MS)) / 1_000),
    });
  }
}
