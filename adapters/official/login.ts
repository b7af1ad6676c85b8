/** What the logins of official APIs read alike. */
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { asCount, asText, clearRefusal, type Verdict } from '../scraping/index.ts';

/** A token as it is sent in a header; null if it is none. */
export function readToken(value: unknown): string | null {
  const token = asText(value, 4_096);
  return token !== null && /^[\x21-\x7e]+$/.test(token) ? token : null;
}

/** When something ends that lasts so many seconds; null if that is not told. */
export function readExpiry(value: unknown, clock: Clock): Date | null {
  const seconds = asCount(value);
  return seconds === null ? null : new Date(clock.now().getTime() + seconds * 1_000);
}

/** The app's id or secret is wrong, or the code was used before. */
export function codeRefused({ name, label }: PlatformDescriptor): Verdict<never> {
  const message = `${label} did not accept the code: connect the account again, and check the id and secret of the app.`;
  return clearRefusal(name, 'INVALID_REQUEST', message, 'code-refused');
}

/** What is not told in the answer is not asked for. */
export function done(): Verdict<null> {
  return { kind: 'ok', value: null };
}
