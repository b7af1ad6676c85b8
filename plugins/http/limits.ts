/**
 * Rate limits of a request, the quotas of its token, and the header fields that tell about them (IETF
 * draft-ietf-httpapi-ratelimit-headers). The rate limiter counts, and hosts may share it.
 */
import type { Caller } from '../../core/access/token.ts';
import { DomainError, isDomainError } from '../../core/errors.ts';
import { EgressRefused } from '../../core/ports/egress.ts';
import type { LimitDecision, RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { LimitUse, Route } from './route.ts';

/** Units that a request has taken. */
export interface TakenLimit {
  readonly use: LimitUse;
  readonly decision: LimitDecision;
  /** Of `performance.now()`. */
  readonly takenAt: number;
}

/**
 * Takes from every limit in turn, and adds to `taken`.
 * @throws LimitExceeded when one refuses; limits named earlier keep what they took: one of them bounds the refused requests
 */
export async function takeLimits(limiter: RateLimiter, uses: readonly LimitUse[], taken: TakenLimit[]): Promise<void> {
  for (const use of uses) {
    const takenAt = performance.now();
    const decision = await limiter.consume(use.rule, use.key, use.units);
    taken.push({ use, decision, takenAt });
    if (!decision.allowed) throw new LimitExceeded(use, decision);
  }
}

/** Gives back what refused work has taken. Returns the limit as it is then. */
async function giveBack(limiter: RateLimiter, taken: TakenLimit): Promise<TakenLimit> {
  const { use, decision, takenAt } = taken;
  // Whole seconds, rounded up: in the last one the window may have ended, and the next one must not get the units.
  if (performance.now() - takenAt >= (decision.resetSeconds - 1) * 1_000) return taken;
  return { ...taken, decision: await limiter.giveBack(use.rule, use.key, use.units) };
}

/** The header fields that tell about limits. */
export function limitHeaders(taken: readonly TakenLimit[]): Record<string, string> {
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
  constructor(use: LimitUse, decision: LimitDecision) {
    const { name, units, windowSeconds } = use.rule;
    super(use.code ?? 'SCRAPING_RATE_LIMITED', `The limit ${name} (${units} in ${windowSeconds} s) is exceeded.`, {
      details: { limit: name, remaining: decision.remaining },
      retryAfterSeconds: Math.max(1, decision.resetSeconds),
    });
  }
}

const DEFAULT_WINDOW_SECONDS = 60;
const DAY_SECONDS = 86_400;
const WEB_PROOFS = 'token-web-proofs';
const REFUSALS = 'token-refused-web-proofs';

/**
 * Counts a request of the caller, whatever becomes of it, and adds to `taken` if the caller has a quota.
 * @throws LimitExceeded `QUOTA_EXCEEDED`
 */
export async function takeRequest(
  caller: Caller | null,
  limiter: RateLimiter,
  taken: TakenLimit[] = [],
): Promise<void> {
  const { requests, windowSeconds = DEFAULT_WINDOW_SECONDS } = caller?.quota ?? {};
  if (caller === null || requests === undefined) return;
  const rule = { name: 'token-requests', units: requests, windowSeconds };
  await takeLimits(limiter, [{ rule, key: caller.key, units: 1, code: 'QUOTA_EXCEEDED' }], taken);
}

/** What a request for a web proof takes from the caller's quota. */
export function proofUses({ makesWebProof }: Pick<Route, 'makesWebProof'>, caller: Caller | null): readonly LimitUse[] {
  const units = caller?.quota?.webProofsPerDay;
  if (makesWebProof !== true || caller === null || units === undefined) return [];
  const rule = { name: WEB_PROOFS, units, windowSeconds: DAY_SECONDS };
  return [{ rule, key: caller.key, units: 1, code: 'QUOTA_EXCEEDED' }];
}

/**
 * Gives the caller's web proof back if the notary has refused it before it asked any server. What a refusal says of a name
 * depends on our network and costs a lookup. A token therefore has no more such refusals a day for free than web proofs. A notary
 * without a free place has done nothing: that is always free.
 * @returns the limits as they are then
 */
export function giveBackRefused(
  taken: readonly TakenLimit[],
  error: unknown,
  limiter: RateLimiter,
): Promise<TakenLimit[]> {
  return Promise.all(
    taken.map(async (each) => {
      const { rule, key, units } = each.use;
      if (rule.name !== WEB_PROOFS || !isDomainError(error)) return each;
      if (error.code === 'SERVICE_UNAVAILABLE') return giveBack(limiter, each);
      if (!isTargetRefusal(error)) return each;
      const { allowed } = await limiter.consume({ ...rule, name: REFUSALS }, key, units);
      return allowed ? giveBack(limiter, each) : each;
    }),
  );
}

/** A remote notary does not say why it could not find a server: that counts. */
function isTargetRefusal(error: DomainError): boolean {
  return ['INVALID_REQUEST', 'NAME_LOOKUP_TIMEOUT'].includes(error.code) || error.cause instanceof EgressRefused;
}
