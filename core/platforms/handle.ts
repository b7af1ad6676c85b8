/** Handles as they are compared and stored: trimmed, without `@`, lower case, composed (NFC). */

const KELVIN = '\u212A';

/** Composed last: a lower-case letter may have a composed form that its capital lacks. */
const lowerCase = (text: string) => text.toLowerCase().normalize('NFC');

/**
 * Trims, takes one leading `@` off, lower-cases, composes letters with their marks. Says nothing about validity: see
 * `PlatformDescriptor.isHandle`. The sign of the kelvin stays: as a `k` it would make another handle.
 */
export function normaliseHandle(raw: string): string {
  const trimmed = raw.trim();
  const handle = trimmed.startsWith('@') ? trimmed.slice(1) : trimmed;
  return handle.split(KELVIN).map(lowerCase).join(KELVIN);
}
