/** Rate limits of a request and the header fields that tell about them (IETF draft-ietf-httpapi-ratelimit-headers). */
import { DomainError } from '../../core/errors.ts';
import type { LimitDecision, RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { LimitUse } from './route.ts';

/**
 * Takes from every limit in turn and returns the header fields.
 * @throws LimitExceeded when one refuses; limits named earlier keep what they took
 */
export async function consumeLimits(limiter: RateLimiter, uses: readonly LimitUse[]): Promise<Record<string, string>> {
  const taken: { use: LimitUse; decision: LimitDecision }[] = [];
  for (const use of uses) {
    const decision = await limiter.consume(use.rule, use.key, use.units);
    taken.push({ use, decision });
    if (!decision.allowed) {
      throw new LimitExceeded(use, decision, limitHeaders(taken));
    }
  }
  return limitHeaders(taken);
}

function limitHeaders(taken: readonly { use: LimitUse; decision: LimitDecision }[]): Record<string, string> {
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
