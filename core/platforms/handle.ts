/** Handles as they are compared and stored: trimmed, without `@`, lower case. */

/**
 * Trims, takes one leading `@` off, lower-cases. Says nothing about validity: see `PlatformDescriptor.isHandle`. The sign of the
 * kelvin stays: as a `k` it would make another handle.
 */
export function normaliseHandle(raw: string): string {
  const trimmed = raw.trim();
  const handle = trimmed.startsWith('@') ? trimmed.slice(1) : trimmed;
  if (!handle.includes('\u212A')) return handle.toLowerCase();
  return handle.replace(/[^\u212A]+/g, (text) => text.toLowerCase());
}
