/** Paths of requests. */

/** A value that a path cannot hold. */
export class UnusablePathValue extends TypeError {}

/**
 * Puts values into a path. @throws UnusablePathValue for a value that is missing, and for `.` and `..`: percent-encoded or not, a URL
 * drops these segments and names another resource
 */
export function filledPath(path: string, valueFor: (name: string) => unknown): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(valueFor(name) ?? '');
    if (value === '') throw new UnusablePathValue(`\`${name}\` is missing.`);
    if (value === '.' || value === '..') throw new UnusablePathValue(`\`${name}\` must not be \`${value}\`.`);
    return encodeURIComponent(value);
  });
}
