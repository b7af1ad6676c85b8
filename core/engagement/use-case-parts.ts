/** What the use cases of engagement work with. Each names what it needs of it. */
import type { Platforms, ResolvePost } from '../platforms/platforms.ts';
import type { Clock } from '../ports/clock.ts';
import type { EgressGuard } from '../ports/egress.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import type { RandomSource } from '../ports/random-source.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Storage, Stores } from '../ports/storage.ts';

export interface UseCaseParts {
  readonly platforms: Platforms;
  readonly resolvePost: ResolvePost;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  /** Woken when something is to be handed over; without it that is safe, only later. */
  readonly relay: { nudge(): Promise<void> };
  /** Tells the sender of this process that there may be something to send, so that it does not wait for its next look. */
  readonly wakeSender: () => void;
  /** Judges the URLs of webhooks. */
  readonly egress: EgressGuard;
  /** For URLs that a brand sets, which may lead to less than those of admins. */
  readonly brandEgress: EgressGuard;
  readonly secretBox: SecretBox;
  readonly limiter: Pick<RateLimiter, 'consume' | 'giveBack'>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
}

/** These stores and parts. */
export type Needs<Store extends keyof Storage, Part extends keyof UseCaseParts = never> = Stores<Store> &
  Pick<UseCaseParts, Part>;
