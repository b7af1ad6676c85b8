/** Which of the languages of the connect page a browser asks for. */
import { type Language, TEXTS } from './texts/index.ts';

export const DEFAULT_LANGUAGE: Language = 'en';

/** More than browsers send; the rest is not read. */
const MAX_CHARACTERS = 1_000;
const MAX_RANGES = 20;

/** A weight as RFC 9110 writes it: 0 to 1 with at most three decimals. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Returns the language that is asked for by `lang`, else the supported one with the largest weight in `Accept-Language`, the
 * first of equals. Regions do not matter: `pt-BR` is Portuguese. What is malformed or unknown is skipped.
 */
export function chooseLanguage(lang: string | undefined, acceptLanguage: string | undefined): Language {
  const asked = languageOf(lang ?? '');
  if (asked !== null) return asked;
  let best: { readonly language: Language; readonly weight: number } | null = null;
  for (const range of (acceptLanguage ?? '').slice(0, MAX_CHARACTERS).split(',').slice(0, MAX_RANGES)) {
    const [tag = '', ...parameters] = range.split(';');
    const language = tag.trim() === '*' ? DEFAULT_LANGUAGE : languageOf(tag);
    const weight = weightOf(parameters);
    if (language !== null && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? DEFAULT_LANGUAGE;
}

function languageOf(tag: string): Language | null {
  const primary = tag.trim().slice(0, 3).toLowerCase().replace(/[-_]$/, '');
  return Object.hasOwn(TEXTS, primary) ? (primary as Language) : null;
}

/** 0, so never chosen, if it is malformed. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.map((text) => text.trim().toLowerCase()).find((text) => text.startsWith('q='));
  if (given === undefined) return 1;
  const value = given.slice(2);
  return WEIGHT.test(value) ? Number(value) : 0;
}
