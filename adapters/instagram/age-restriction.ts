/** Whether a post is kept from a reader for their age, by what a ruling or gate says in any language. */
import { asText, findObjects, type JsonObject } from '../scraping/index.ts';

/** Fields that name the kind of a gate for programs. */
const KINDS = ['gating_type', 'gate_type', 'ruling_type', 'restriction_type', 'reason', 'category'];
const FLAGS = ['is_age_restricted', 'age_restricted', 'is_age_gated', 'age_gated', 'requires_age_verification'];
const AGES = ['min_age', 'minimum_age', 'required_age', 'age_limit'];
const AGE_KIND =
  /(?:^|[^a-z])(?:age|minor|minors|underage|adult|adults|legal_age)(?:[^a-z]|$)|age_?(?:gat|restrict|verif)/i;

const TEXTS = ['title', 'description', 'subtitle'];
/** An age in the digits of any script, on its own: "18", "(18+)", "١٨", "18歳". */
const AGE_IN_TEXT = /(?<!\p{Nd})(?:1[6-9]|2[01])(?!\p{Nd})/u;
/** "Restricted" in the languages of most of Instagram's readers, for titles without a number. */
const RESTRICTED =
  /restrict|restring|restreint|restrit|restriz|ristret|eingeschr|beschr[äa]nk|beperk|ograniczon|ограничен|обмежен|k[ıi]s[ıi]tl|terbatas|dibatasi|hạn chế|制限|受限|限制|제한|จำกัด|प्रतिबंध|مقيد|محدود/i;

const PLACE = /countr|region|location/i;

/** By a structured field or, if there is none, by the texts for people. */
export function isAgeRestriction(ruling: unknown): boolean {
  return findObjects(ruling, (object) => isStructured(object) || isWritten(object)).length > 0;
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
    KINDS.some((name) => AGE_KIND.test(asText(object[name], 200) ?? ''))
  );
}

function isWritten(object: JsonObject): boolean {
  return TEXTS.some((name) => {
    const text = (asText(object[name], 2_000) ?? '').replace(/\p{Nd}/gu, asciiDigit);
    return AGE_IN_TEXT.test(text) || (name === 'title' && RESTRICTED.test(text) && !PLACE.test(text));
  });
}

/** The digits of a script are in a row of ten, from zero to nine. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > 0 && code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
