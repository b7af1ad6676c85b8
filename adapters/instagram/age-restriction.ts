/** Whether a post is kept from a reader for their age, by what a ruling or gate says in any language. */
import { asText, findObjects, type JsonObject } from '../scraping/index.ts';

/** Fields that name the kind of a gate for programs. */
const KINDS = ['gating_type', 'gate_type', 'ruling_type', 'restriction_type', 'reason', 'category'];
const FLAGS = ['is_age_restricted', 'age_restricted', 'is_age_gated', 'age_gated', 'requires_age_verification'];
const AGES = ['min_age', 'minimum_age', 'required_age', 'age_limit'];
/** On its own, so that neither a page nor a language is an age. */
const AGE_KIND = /(?:^|[^a-z])(?:(?:age|minors?|underage|adults?)(?:[^a-z]|$)|age(?:gat|restrict|verif))/i;
/** One name, rather than a sentence for people. */
const NAME = /^(?=[\d_-]*[a-z])[\w-]+$/i;

const TEXTS = ['title', 'description', 'subtitle'];
/** An age in the digits of any script, such as "(18+)", "١٨" or "18歳". It is no part of a larger number, nor the number of a law. */
const AGE_IN_TEXT =
  /(?<!\p{Nd}|\p{Nd}[.,]|(?:section|article|artikel|artículo|artigo|§)\s?)(?:1[6-9]|2[01])(?!\p{Nd}|[.,]\p{Nd})/iu;
/** Dates, times and numbers with spaces between thousands: none of their parts is an age. Of text with ASCII digits. */
const NO_AGES = [
  /\d{1,4}(?:([./-])\s?\d{1,2}\1\s?| \d{1,2} )\d{1,4}/gu,
  /\d{1,2}(?:st|nd|rd|th|er|º)?[.,]?\s(?:de\s|of\s)?\p{L}{3,12}[.,]?\s(?:de\s)?(?:19|20)\d\d(?!\d)/giu,
  /(?<!\p{L})\p{L}{3,12}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d(?!\d)/giu,
  /\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일]/gu,
  /\d{1,2}:\d\d/gu,
  /\d{1,3}(?:[ '\u00a0\u202f]\d{3})+(?!\d)/gu,
];

/** "Restricted" in the languages of most of Instagram's readers, for titles without a number. */
const RESTRICTED =
  /restrict|restring|restreint|restrit|restriz|ristret|eingeschr|beschr[äa]nk|beperk|ograniczon|ограничен|обмежен|k[ıi]s[ıi]tl|terbatas|dibatasi|hạn chế|制限|受限|限制|제한|จำกัด|प्रतिबंध|مقيد|محدود/i;

/** Words of place in the same languages: what is kept from a country says nothing of an age. */
const PLACE =
  /countr|regi[oóãõ]|région|location|\bland\b|pa[ií]s|\bpays\b|\bpaese\b|kraj|регион|регіон|стран|країн|ülke|bölge|negara|wilayah|quốc gia|khu vực|地域|地区|国家|お住まいの国|국가|지역|ประเทศ|देश|بلد|منطقة|دولة/i;

/** By a structured field. The texts for people count only if no field names another kind. */
export function isAgeRestriction(ruling: unknown): boolean {
  const has = (test: (object: JsonObject) => boolean): boolean => findObjects(ruling, test).length > 0;
  return has(isStructured) || (!has(namesKind) && has(isWritten));
}

/** Whether the ruling says anything at all about why. */
export function saysWhy(ruling: unknown): boolean {
  const says = (object: JsonObject): boolean =>
    [...TEXTS, ...KINDS].some((name) => (asText(object[name], 2_000) ?? '') !== '');
  return findObjects(ruling, says).length > 0;
}

function isStructured(object: JsonObject): boolean {
  return (
    FLAGS.some((name) => object[name] === true) ||
    AGES.some((name) => typeof object[name] === 'number' && Number(object[name]) > 0) ||
    KINDS.some((name) => AGE_KIND.test((asText(object[name], 200) ?? '').replace(/([a-z])([A-Z])/g, '$1_$2')))
  );
}

function namesKind(object: JsonObject): boolean {
  return KINDS.some((name) => NAME.test(asText(object[name], 200) ?? ''));
}

function isWritten(object: JsonObject): boolean {
  return TEXTS.some((name) => {
    const text = (asText(object[name], 2_000) ?? '').replace(/\p{Nd}/gu, asciiDigit);
    return !PLACE.test(text) && (namesAge(text) || (name === 'title' && RESTRICTED.test(text)));
  });
}

function namesAge(text: string): boolean {
  return AGE_IN_TEXT.test(NO_AGES.reduce((rest, pattern) => rest.replace(pattern, ' … '), text));
}

/** The digits of a script are in a row of ten, from zero to nine. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > 0 && code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
