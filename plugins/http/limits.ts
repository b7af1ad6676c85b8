/** Rate limits of a request and the header fields that tell about them (IETF draft-ietf-httpapi-ratelimit-headers). */
import { DomainError } from '../../core/errors.ts';
import type { LimitDecision, RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { LimitUse } from './route.ts';

/** Units that a request has taken. */
export interface TakenLimit {
  readonly use: LimitUse;
  readonly decision: LimitDecision;
  /** Of `performance.now()`. */
  readonly takenAt: number;
}

/**
 * Takes from every limit in turn.
 * @throws LimitExceeded when one refuses; limits named earlier keep what they took: one of them bounds the refused requests
 */
export async function takeLimits(limiter: RateLimiter, uses: readonly LimitUse[]): Promise<readonly TakenLimit[]> {
  const taken: TakenLimit[] = [];
  for (const use of uses) {
    const takenAt = performance.now();
    const decision = await limiter.consume(use.rule, use.key, use.units);
    taken.push({ use, decision, takenAt });
    if (!decision.allowed) throw new LimitExceeded(use, decision, limitHeaders(taken));
  }
  return taken;
}

/** Gives back what refused work has taken. Returns the limit as it is then. */
export async function giveBack(limiter: RateLimiter, taken: TakenLimit): Promise<TakenLimit> {
  const { use, decision, takenAt } = taken;
  // Whole seconds, rounded up: in the last one the window may have ended, and the next one must not get the units.
  if (performance.now() - takenAt >= (decision.resetSeconds - 1) * 1_000) return taken;
  return { ...taken, decision: await limiter.giveBack(use.rule, use.key, use.units) };
}

/** The header fields that tell about limits; none if there are none. */
export function limitHeaders(taken: readonly Pick<TakenLimit, 'use' | 'decision'>[]): Record<string, string> {
  if (taken.length === 0) return {};
  return {
    'ratelimit-policy': taken
      .map(({ use }) => `"${use.rule.name}";q=${use.rule.units};w=${use.rule.windowSeconds}`)
      .join(', '),
    ratelimit: taken
      .map(({ use, decision }) => `"${use.rule.name}";r=${decision.remaining};t=${Math.ceil(decision.resetSeconds)}`)
      .join(', '),
  };
}

export class LimitExceeded extends DomainError {
  readonly headers: Record<string, string>;

  constructor(use: LimitUse, decision: LimitDecision, headers: Record<string, string>) {
    const { name, units, windowSeconds } = use.rule;
    super(use.code ?? 'SCRAPING_RATE_LIMITED', `The limit ${name} (${units} in ${windowSeconds} s) is exceeded.`, {
      details: { limit: name, remaining: decision.remaining },
      retryAfterSeconds: Math.max(1, decision.resetSeconds),
    });
    this.headers = headers;
  }
}
