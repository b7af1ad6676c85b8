/** Handles as they are compared and stored: trimmed, without `@`, lower case, composed (NFC). */

const KELVIN = '\u212A';

/** Letters and digits of any script, and the marks that platforms allow between them. */
const PLAIN = /^[\p{L}\p{M}\p{N}._·-]{1,64}$/u;

/** Whether a normalised handle may be stored as one: not a name that a reader has made up, such as `channel/…`. */
export function isPlainHandle(handle: string): boolean {
  return PLAIN.test(handle);
}

/** What most platforms take for a handle, as it is compared: nothing to change, which takes a tenth of the time to see. */
const COMPARABLE = /^[a-z0-9._]+$/;

/** Composed last: a lower-case letter may have a composed form that its capital lacks. */
const lowerCase = (text: string) => text.toLowerCase().normalize('NFC');

/**
 * Trims, takes one leading `@` off, lower-cases, composes letters with their marks. Says nothing about validity: see
 * `PlatformDescriptor.isHandle`. The sign of the kelvin stays: as a `k` it would make another handle.
 */
export function normaliseHandle(raw: string): string {
  if (COMPARABLE.test(raw)) return raw;
  const trimmed = raw.trim();
  const handle = trimmed.startsWith('@') ? trimmed.slice(1) : trimmed;
  return handle.split(KELVIN).map(lowerCase).join(KELVIN);
}
