/** For hosts that own their whole path space: the refusal of a request that no row of the table takes. */
import { DomainError } from '../../core/errors.ts';
import type { Route } from './route.ts';

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
    const allow = [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map((entry) => entry.method))];
    return allow.length === 0
      ? new DomainError('NOT_FOUND', NO_SUCH_PATH)
      : new DomainError('METHOD_NOT_ALLOWED', `This path takes ${allow.join(', ')}, not ${method}.`, {
          details: { allow },
        });
  };
}
