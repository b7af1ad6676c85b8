import { ConfigurationError } from '../../core/configuration-error.ts';

/**
 * The path of a mount without a slash at its end; empty for the root.
 * @param field the name of the option, for the error
 * @throws ConfigurationError if the path does not begin with a slash: no request would match it
 */
export function mountPath(path: unknown, field: string): string {
  if (path === undefined || path === '') return '';
  if (typeof path === 'string' && /^\/[^?#]*$/.test(path)) return path.replace(/\/$/, '');
  const message = `must be a path that begins with a slash, such as '/engagement', not ${JSON.stringify(path)}`;
  throw new ConfigurationError(`${field} ${message}.`, { issues: [{ field, message }] });
}
