/** The refusal of a request that no row of the table takes, for hosts that own their whole path space. */
import { DomainError } from '../../core/errors.ts';
import type { Dialect, Route } from './route.ts';

export const NO_SUCH_PATH = 'There is no such path. See /openapi.json for what there is.';

/**
 * Makes a function from method and path (without query) to the refusal: `METHOD_NOT_ALLOWED` with the methods that the
 * path has in `details.allow`, else `NOT_FOUND`.
 */
export function createNotFound(routes: readonly Route[]): (method: string, path: string) => DomainError {
  const patterns = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (method, path) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map((entry) => entry.method);
    // What takes GET takes HEAD as well, without a row of its own.
    const allow = [...new Set(methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])))];
    return allow.length === 0
      ? new DomainError('NOT_FOUND', NO_SUCH_PATH)
      : new DomainError('METHOD_NOT_ALLOWED', `This path takes ${allow.join(', ')}, not ${method}.`, {
          details: { allow },
        });
  };
}

/** The path of a request's target, which may be an absolute URL (RFC 9112, section 3.2.2); without the query. */
export function pathOfTarget(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0] as string;
  return path === '' ? '/' : path;
}

/**
 * The dialect in which a request that reached no row is refused: the one of the version whose base path it has. A client
 * of v2 reads `error.code` in the envelope, whatever went wrong.
 *
 * @param path without query and without the prefix of a mount.
 */
export function dialectOfPath(path: string): Dialect {
  if (path.startsWith('/api/v2.0/')) return 'v2';
  return path.startsWith('/api/v1/') ? 'v1' : 'engagement';
}
