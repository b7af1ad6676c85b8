/** Quotas of tokens: requests in a window, and web proofs in a day. Counted by the rate limiter, which hosts may share. */
import type { Caller } from '../../core/access/token.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { consumeLimits } from './limits.ts';
import type { LimitUse, Route } from './route.ts';

const DEFAULT_WINDOW_SECONDS = 60;
const DAY_SECONDS = 86_400;

/**
 * Counts a request of the caller, whatever becomes of it. Returns the header fields of the quota; undefined if there is none.
 * @throws LimitExceeded `QUOTA_EXCEEDED`
 */
export function takeRequest(caller: Caller | null, limiter: RateLimiter): Promise<Record<string, string>> | undefined {
  const { requests, windowSeconds = DEFAULT_WINDOW_SECONDS } = caller?.quota ?? {};
  if (caller === null || requests === undefined) return undefined;
  const rule = { name: 'token-requests', units: requests, windowSeconds };
  return consumeLimits(limiter, [{ rule, key: caller.key, units: 1, code: 'QUOTA_EXCEEDED' }]);
}

/** What a request for a web proof takes from the caller's quota. */
export function proofUses({ makesWebProof }: Pick<Route, 'makesWebProof'>, caller: Caller | null): readonly LimitUse[] {
  const units = caller?.quota?.webProofsPerDay;
  if (makesWebProof !== true || caller === null || units === undefined) return [];
  const rule = { name: 'token-web-proofs', units, windowSeconds: DAY_SECONDS };
  return [{ rule, key: caller.key, units: 1, code: 'QUOTA_EXCEEDED' }];
}

/** Adds the fields of the quota to those of the row's own limits: both are lists. */
export function withQuotaHeaders<Response extends { readonly headers: Readonly<Record<string, string>> }>(
  response: Response,
  quota: Readonly<Record<string, string>> | null,
): Response {
  if (quota === null) return response;
  const headers: Record<string, string> = { ...response.headers };
  for (const [name, value] of Object.entries(quota)) headers[name] = [value, headers[name]].filter(Boolean).join(', ');
  return { ...response, headers };
}
