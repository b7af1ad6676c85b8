/** Finds the row of the route table for a method and a path, for mounts without a router of their own. */
import { DomainError } from '../../core/errors.ts';
import type { Route } from './route.ts';

export interface MatchedRoute {
  readonly route: Route;
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly route: Route;
  readonly segments: readonly string[];
}

/**
 * Makes a function from method and path (without query and without the prefix of the mount) to the row, or null. HEAD finds
 * the rows of GET. A literal segment wins over a parameter. It matches as it was sent: what a host guards by path would not see
 * a percent-encoded one. Rows are looked up by method and number of segments.
 * @throws DomainError `INVALID_REQUEST` for a path that is not valid percent-encoding
 */
export function createRouteMatcher(routes: readonly Route[]): (method: string, path: string) => MatchedRoute | null {
  const patterns = new Map<string, Pattern[]>();
  for (const route of routes) {
    const segments = route.path.split('/');
    const key = `${route.method} ${segments.length}`;
    patterns.set(key, [...(patterns.get(key) ?? []), { route, segments }]);
  }
  for (const candidates of patterns.values()) candidates.sort(byLiterals);
  return (method, path) => {
    const segments = path.split('/');
    const candidates = patterns.get(`${method === 'HEAD' ? 'GET' : method} ${segments.length}`) ?? [];
    const found = candidates.find((candidate) => fits(candidate.segments, segments));
    return found === undefined ? null : { route: found.route, params: paramsOf(found.segments, segments) };
  };
}

const isParameter = (segment: string) => segment.startsWith('{');

/** Paths whose first parameter comes later stand first. */
function byLiterals(a: Pattern, b: Pattern): number {
  const at = a.segments.findIndex((segment, index) => isParameter(segment) !== isParameter(b.segments[index] ?? ''));
  return at === -1 ? 0 : isParameter(a.segments[at] as string) ? 1 : -1;
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((expected, index) => isParameter(expected) || expected === segments[index]);
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  pattern.forEach((expected, index) => {
    if (isParameter(expected)) params[expected.slice(1, -1)] = decode(segments[index] as string);
  });
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new DomainError('INVALID_REQUEST', 'The request is malformed.');
  }
}
