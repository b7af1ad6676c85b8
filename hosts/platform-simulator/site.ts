/** What one simulated platform is to the server: a function from a request to an answer. */
import type { RequestFacts } from './failure-rules.ts';
import { cookieOf, type Failures, html, type SiteAnswer, type SiteRequest } from './messages.ts';
import type { World } from './world.ts';
import type { FailureRule } from './world-inputs.ts';

export type PlatformSite = (request: SiteRequest) => SiteAnswer;

/** What a request asks for; `endpoint` is the name in failure rules and in the request log. */
export interface Endpoint extends RequestFacts {
  /** The answer, bent the way the rule says if that is one of the endpoint's own. */
  readonly answer: (rule: FailureRule | null) => SiteAnswer;
  readonly failures: Failures;
}

/** What a path of a platform asks for. */
export type Route = Omit<Endpoint, 'platform'>;

/** How a site writes down an endpoint, whose kind words its failures. */
export const endpointsOf =
  <Kind>(failuresOf: (kind: Kind) => Failures) =>
  (name: string, kind: Kind, asked: Pick<Route, 'contentId' | 'handle'>, answer: Route['answer']): Route => ({
    ...asked,
    endpoint: name,
    answer,
    failures: failuresOf(kind),
  });

/** Answers the requests of one site, and logs them. */
export function createSite(world: World, route: (request: SiteRequest) => Endpoint): PlatformSite {
  return (request) => {
    const { answer, failures, ...asked } = route(request);
    world.logRequest(asked);
    const rule = world.failures.take({ ...asked, session: cookieOf(request, 'sessionid') });
    if (rule === null) return answer(null);
    const all = { ...failures, ...commonFailures(rule, () => answer(null)) };
    return { ...(all[rule.shape]?.() ?? answer(rule)), latencyMs: rule.latencyMs };
  };
}

/** The failures that look alike on every platform. `right` makes the answer that would have been given without the failure. */
function commonFailures({ retryAfterSeconds: seconds }: FailureRule, right: () => SiteAnswer): Failures {
  const retryAfter: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  const text = (status: number, body: string, headers = {}): SiteAnswer => ({
    status,
    headers: { 'content-type': 'text/plain', ...headers },
    body,
  });
  return {
    slow: right,
    hang: () => ({ status: 200, delivery: 'hang' }),
    reset: () => ({ status: 200, delivery: 'reset' }),
    'endless-body': () => ({ status: 200, headers: { 'content-type': 'text/html' }, delivery: 'endless' }),
    'rate-limited': () => text(429, 'Too many requests', retryAfter),
    'server-error': () => text(500, 'Oops, an error occurred.'),
    unavailable: () => ({
      ...html('<!DOCTYPE html><html><body><h1>Service unavailable</h1></body></html>'),
      status: 503,
    }),
    'empty-body': () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '' }),
    'html-instead-of-json': () => html('<!DOCTYPE html><html><head><title>Page</title></head><body></body></html>'),
    truncated: () => {
      const { body = '', ...answer } = right();
      return { ...answer, body: body.slice(0, Math.floor(body.length / 2)) };
    },
  };
}
