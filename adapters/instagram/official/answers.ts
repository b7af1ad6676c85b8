/** What an answer of the Graph API means before its contents matter: tokens, rates, objects that are gone. */
import { tokenRefused } from '../../official/index.ts';
import {
  asCount,
  field,
  isObject,
  type JsonObject,
  parseJson,
  readTrouble,
  type ScrapingResponse,
  type Verdict,
  whyNoJson,
} from '../../scraping/index.ts';
import { instagramDescriptor } from '../descriptor.ts';

const RATE_LIMITS = new Set([4, 17, 32, 613, 80_002]);
const USAGE_HEADERS = ['x-app-usage', 'x-business-use-case-usage'] as const;
const NEARLY_SPENT_PERCENT = 95;
/** The allowance is counted over a moving hour. */
const REST_SECONDS = 300;
const MAX_USAGES = 50;

export function readAnswer(response: ScrapingResponse): Verdict<JsonObject> | 'gone' | 'bad-parameter' {
  const { status, text } = response;
  if (status >= 300 && status < 400) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  const body = parseJson(text);
  const refused = isObject(body) && isObject(body.error) ? readError(body.error, response) : null;
  if (refused !== null) return refused;
  const trouble = readTrouble(response);
  if (trouble !== null) return trouble;
  if (!isObject(body)) return { kind: 'unreadable', reason: whyNoJson(text), retries: 1 };
  if (status !== 200) return { kind: 'unreadable', reason: `http-${status}` };
  return { kind: 'ok', value: body, restSeconds: restOf(response) };
}

/** Null for an error that the status tells as well. */
function readError(error: JsonObject, response: ScrapingResponse): Verdict<never> | 'gone' | 'bad-parameter' | null {
  const code = asCount(error.code);
  const subcode = asCount(error.error_subcode);
  if (code === null) return null;
  if (code === 190) return tokenRefused(instagramDescriptor, subcode === 463 ? 'expired' : 'revoked');
  if (code === 10 || (code >= 200 && code <= 299)) return tokenRefused(instagramDescriptor, 'scope');
  if (RATE_LIMITS.has(code)) {
    return { kind: 'throttled', retryAfterSeconds: response.retryAfterSeconds ?? restOf(response) ?? REST_SECONDS };
  }
  if (code === 24 || (code === 100 && subcode === 33)) return 'gone';
  if (code === 100) return 'bad-parameter';
  // Trouble of the API's own.
  return { kind: 'unreadable', reason: `api-${code}`, retries: code <= 2 ? 2 : 0 };
}

/** How long to ask nothing, if the allowance is nearly spent. */
function restOf(response: ScrapingResponse): number | undefined {
  const usages = USAGE_HEADERS.flatMap((name) => {
    const usage = parseJson((response.header(name) ?? '').slice(0, 10_000));
    const byCase = isObject(usage) ? Object.values(usage).slice(0, MAX_USAGES).flat() : [];
    return [usage, ...byCase].filter(isObject).slice(0, MAX_USAGES);
  });
  const spent = usages.filter((usage) =>
    ['call_count', 'total_time', 'total_cputime'].some((name) => Number(field(usage, name)) >= NEARLY_SPENT_PERCENT),
  );
  if (spent.length === 0) return undefined;
  const minutes = spent.map((usage) => asCount(usage.estimated_time_to_regain_access) ?? 0);
  return Math.max(...minutes) * 60 || REST_SECONDS;
}
