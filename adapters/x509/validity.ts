/** The time in which a certificate is valid. */
import { type DerElement, DerError, expectTag, readElements, TAG } from './der.ts';

export interface Validity {
  /** Unix seconds, both inclusive. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Dates before it cannot be compared by all verifiers. */
const FIRST_YEAR = 1970;

/** @throws DerError for other than two dates from 1970 on, each as `YYMMDDhhmmssZ` or `YYYYMMDDhhmmssZ`. */
export function readValidity(element: DerElement | undefined): Validity {
  const [notBefore, notAfter, ...rest] = readElements(expectTag(element, TAG.sequence).content);
  if (rest.length > 0) throw new DerError('its validity is malformed');
  return { notBefore: readTime(notBefore), notAfter: readTime(notAfter) };
}

function readTime(element: DerElement | undefined): number {
  const text = String.fromCharCode(...(element?.content ?? []));
  const short = element?.tag === TAG.utcTime;
  if (!short && element?.tag !== TAG.generalizedTime) throw new DerError('its validity is malformed');
  const match = (
    short ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/ : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/
  ).exec(text);
  if (match === null) throw new DerError('its validity is malformed');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const fullYear = short ? (year < 50 ? 2000 + year : 1900 + year) : year;
  if (fullYear < FIRST_YEAR) throw new DerError(`its validity has a date before ${FIRST_YEAR}`);
  const time = new Date(0);
  time.setUTCFullYear(fullYear, month - 1, day);
  time.setUTCHours(hour, minute, second);
  const canonical = time
    .toISOString()
    .replace(/\D/g, '')
    .slice(short ? 2 : 0, 14);
  if (canonical !== match.slice(1).join('')) throw new DerError('its validity is not a date');
  return time.getTime() / 1000;
}
