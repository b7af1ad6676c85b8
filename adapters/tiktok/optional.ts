/** Facts that TikTok may leave out, told apart from facts whose type has changed. */
import { asBoolean, asText } from '../scraping/index.ts';

/** The value is there and has another type than it used to: the answer has changed. */
export const CHANGED: Changed = Object.freeze({ changed: true });

export interface Changed {
  readonly changed: true;
}

const MAX_TEXT = 10_000;

/** The text; null when it is left out or "", which is how TikTok writes what is not set. */
export function optionalText(value: unknown): string | null | Changed {
  if (value === undefined || value === null || value === '') return null;
  return asText(value, MAX_TEXT) ?? CHANGED;
}

export function optionalBoolean(value: unknown): boolean | null | Changed {
  if (value === undefined || value === null) return null;
  return asBoolean(value) ?? CHANGED;
}

/** True when none of the values has changed; narrows them all. */
export function intact<T extends Readonly<Record<string, unknown>>>(
  values: T,
): values is T & { readonly [K in keyof T]: Exclude<T[K], Changed> } {
  return Object.values(values).every((value) => value !== CHANGED);
}
