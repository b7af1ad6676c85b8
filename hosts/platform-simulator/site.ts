/** What one simulated platform is to the server: a function from a request to an answer. */
import type { FailureRule } from './world-inputs.ts';

export interface SiteRequest {
  readonly method: string;
  /** Absolute, with the simulator's own origin. */
  readonly url: URL;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: ReadonlyMap<string, string>;
  /** As UTF-8; at most 1 MiB. */
  readonly body: string;
}

export interface SiteAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** How the answer is delivered; by default whole and at once. */
  readonly delivery?: 'whole' | 'hang' | 'reset' | 'endless';
  readonly latencyMs?: number;
}

export type PlatformSite = (request: SiteRequest) => SiteAnswer;

export function html(body: string, headers: Readonly<Record<string, string | readonly string[]>> = {}): SiteAnswer {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function json(value: unknown, status = 200): SiteAnswer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) };
}

export function redirect(location: string, status = 302): SiteAnswer {
  return { status, headers: { location }, body: '' };
}

/** JSON that may stand inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/**
 * The shapes that look alike on every platform, or null for one the platform's simulator has to make itself.
 * `right` makes the answer that would have been given without the failure.
 */
export function commonFailure(rule: FailureRule, right: () => SiteAnswer): SiteAnswer | null {
  const latencyMs = rule.latencyMs;
  switch (rule.shape) {
    case 'slow':
      return { ...right(), latencyMs };
    case 'hang':
    case 'reset':
      return { status: 200, delivery: rule.shape, latencyMs };
    case 'endless-body':
      return { status: 200, headers: { 'content-type': 'text/html' }, delivery: 'endless', latencyMs };
    case 'rate-limited': {
      const retryAfter: Record<string, string> =
        rule.retryAfterSeconds === undefined ? {} : { 'retry-after': String(rule.retryAfterSeconds) };
      return {
        status: 429,
        headers: { 'content-type': 'text/plain', ...retryAfter },
        body: 'Too many requests',
        latencyMs,
      };
    }
    case 'server-error':
      return { status: 500, headers: { 'content-type': 'text/plain' }, body: 'Oops, an error occurred.', latencyMs };
    case 'unavailable':
      return {
        ...html('<!DOCTYPE html><html><body><h1>Service unavailable</h1></body></html>'),
        status: 503,
        latencyMs,
      };
    case 'empty-body':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '', latencyMs };
    case 'html-instead-of-json':
      return { ...html('<!DOCTYPE html><html><head><title>Page</title></head><body></body></html>'), latencyMs };
    case 'truncated': {
      const answer = right();
      return { ...answer, body: (answer.body ?? '').slice(0, Math.floor((answer.body ?? '').length / 2)), latencyMs };
    }
    default:
      return null;
  }
}
