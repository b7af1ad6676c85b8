/** What one simulated platform is to the server: a function from a request to an answer. */
import type { RequestFacts } from './failure-rules.ts';
import type { FailureShape } from './failure-shapes.ts';
import type { World } from './world.ts';
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

/** What a request asks for; `endpoint` is the name in failure rules and in the request log. */
export interface Endpoint extends RequestFacts {
  /** The answer, bent the way the rule says if that is one of the endpoint's own. */
  readonly answer: (rule: FailureRule | null) => SiteAnswer;
  /** How the endpoint words a failure; null for one that only its answer can show. */
  readonly failure: (shape: FailureShape) => SiteAnswer | null;
}

/** Answers the requests of one site, and logs them. */
export function createSite(world: World, route: (request: SiteRequest) => Endpoint): PlatformSite {
  return (request) => {
    const { answer, failure, ...asked } = route(request);
    world.logRequest(asked);
    const rule = world.failures.take({ ...asked, session: request.cookies.get('sessionid') });
    if (rule === null) return answer(null);
    const failed = commonFailure(rule, () => answer(null)) ?? failure(rule.shape);
    return { ...(failed ?? answer(rule)), latencyMs: rule.latencyMs };
  };
}

/** The shapes that look alike on every platform. `right` makes the answer that would have been given without the failure. */
function commonFailure(rule: FailureRule, right: () => SiteAnswer): SiteAnswer | null {
  switch (rule.shape) {
    case 'slow':
      return right();
    case 'hang':
    case 'reset':
      return { status: 200, delivery: rule.shape };
    case 'endless-body':
      return { status: 200, headers: { 'content-type': 'text/html' }, delivery: 'endless' };
    case 'rate-limited': {
      const { retryAfterSeconds: seconds } = rule;
      const retryAfter: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
      return { status: 429, headers: { 'content-type': 'text/plain', ...retryAfter }, body: 'Too many requests' };
    }
    case 'server-error':
      return { status: 500, headers: { 'content-type': 'text/plain' }, body: 'Oops, an error occurred.' };
    case 'unavailable':
      return { ...html('<!DOCTYPE html><html><body><h1>Service unavailable</h1></body></html>'), status: 503 };
    case 'empty-body':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '' };
    case 'html-instead-of-json':
      return html('<!DOCTYPE html><html><head><title>Page</title></head><body></body></html>');
    case 'truncated': {
      const { body = '', ...answer } = right();
      return { ...answer, body: body.slice(0, Math.floor(body.length / 2)) };
    }
    default:
      return null;
  }
}
