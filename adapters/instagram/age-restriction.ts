/** Whether a post is kept from a reader for their age, by what a ruling or gate says in any language. */
import { asCount, asText, findObjects, type JsonObject } from '../scraping/index.ts';

/** Fields that name the kind of a gate for programs, and those that may name anything else as well. */
const GATES = ['gating_type', 'gate_type', 'ruling_type', 'restriction_type'];
const KINDS = [...GATES, 'reason', 'category'];
const FLAGS = ['is_age_restricted', 'age_restricted', 'is_age_gated', 'age_gated', 'requires_age_verification'];
const AGES = ['min_age', 'minimum_age', 'required_age', 'age_limit'];
/** On its own, so that neither a page nor a language is an age. */
const AGE_KIND =
  /(?:^|[^a-z])(?:(?:age|minors?|underage|adults?)(?:[^a-z]|$)|age(?:gat|restrict|verif))|(?:under|over)[_-]?(?:18|21)(?!\d)|(?<!\d)(?:18|21)[_-]?plus/i;
/** One name, rather than a sentence for people. */
const NAME = /^(?=[\d_-]*[a-z])[\w-]+$/i;

const TEXTS = ['title', 'description', 'subtitle'];
/** No part of a larger number or a date. */
const AGE = String.raw`(?<!\p{Nd}|\p{Nd}[.,/]|(?:section|article|artikel|artículo|artigo|§)\s?)(?:1[3-9]|2[0-5])(?!\p{Nd}|[.,/]\p{Nd})`;
/** "Years" and "or older", as they follow an age. A number beside other words is a day, a duration or a count. */
const YEARS =
  'years?|yrs|or (?:older|over|more)|and (?:older|over|up)|ans(?!\\p{L})|a[ñn]os|anni(?!\\p{L})|(?:de )?ani(?!\\p{L})|jahre|jaar|år|vuo|let(?!\\p{L})|rok|lat(?!\\p{L})|év|ετών|χρον|лет|год|рок|tahun|tuổi|yaş|taon|歳|才|岁|歲|周岁|세|살|ปี|वर्ष|साल|বছর|عام|سنة|سال|שנ';
const BEFORE_AGE = 'must be|aged?|age of|under|over|older than|younger than|people of';
/** An age in the digits of any script, such as "(18+)", "١٨ عامًا" or "18歳". */
const AGE_IN_TEXT = new RegExp(
  `${AGE}\\s?(?:\\+|[\\s-]?(?:${YEARS}))|(?<!\\p{L})(?:${BEFORE_AGE})\\s${AGE}|^\\W*(?:\\d\\d\\s?[-–]\\s?)?${AGE}\\W*$`,
  'iu',
);
/** Words for age, adults and minors, in languages with spaces between words and in others. */
const AGE_WORDS =
  /(?<!\p{L})(?:age[- ]|adult|minors?(?!\p{L})|underage|edad(?!\p{L})|idade|âge(?!\p{L})|età(?!\p{L})|alters(?:b|gr|fr|n|v)|mindestalter|erwachsen|leeftijd|volwassen|alders|ålders|voksne|vuxna|ikära|aikui|věk|dospěl|wiek|dorosł|возраст|взросл|дорослих|korhat|felnőtt|ηλικ|ενηλίκ|vârst|umur|dewasa|yaş|yetişkin|tuổi)|הגבלת גיל|מבוגרים|成年|年齢|年龄|年齡|성인|연령|อายุ|ผู้ใหญ่|उम्र|आयु|वयस्क|عمر|بالغ/iu;

/** "Restricted" in the languages of most of Instagram's readers, for titles without an age. */
const RESTRICTED =
  /restric|restriç|restring|restreint|restrit|restriz|ristret|eingeschr|beschr[äa]nk|beperk|begr[äæe]n[sz]|rajoit|omezen|korlátoz|περιορισ|מוגבל|ograniczon|ограничен|обмежен|k[ıi]s[ıi]tl|terbatas|dibatasi|terhad|hạn chế|制限|受限|限制|제한|จำกัด|प्रतिबंध|مقيد|محدود/i;

/** Words of place in the same languages: what is kept from a country says nothing of an age, unless an age is told. */
const PLACE =
  /countr|regi[oóãõ]|région|location|\bland\b|pa[ií]s|\bpays\b|\bpaese\b|kraj|maassa|zemi|ország|χώρα|מדינ|țar[aă]|регион|регіон|стран(?!иц)|країн|ülke|bölge|negara|wilayah|quốc gia|khu vực|地域|地区|国家|お住まいの国|국가|지역|ประเทศ|(?<![\p{L}\p{M}])देश|بلد|منطقة|دولة/iu;

/** By a structured field. The texts for people count only if no field names another kind of gate. */
export function isAgeRestriction(ruling: unknown): boolean {
  const has = (test: (object: JsonObject) => boolean): boolean => findObjects(ruling, test).length > 0;
  if (has(isStructured)) return true;
  if (has(namesGate)) return false;
  return has(tellsAge) || (has(isTitledRestricted) && !has(tellsPlace));
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
    AGES.some((name) => (asCount(object[name]) ?? 0) > 0) ||
    KINDS.some((name) => AGE_KIND.test((asText(object[name], 200) ?? '').replace(/([a-z])([A-Z])/g, '$1_$2')))
  );
}

function namesGate(object: JsonObject): boolean {
  return GATES.some((name) => NAME.test(asText(object[name], 200) ?? ''));
}

function tellsAge(object: JsonObject): boolean {
  return textsOf(object).some((text) => AGE_IN_TEXT.test(text) || AGE_WORDS.test(text));
}

function tellsPlace(object: JsonObject): boolean {
  return textsOf(object).some((text) => PLACE.test(text));
}

function isTitledRestricted(object: JsonObject): boolean {
  return RESTRICTED.test(asText(object.title, 2_000) ?? '');
}

function textsOf(object: JsonObject): readonly string[] {
  return TEXTS.map((name) => (asText(object[name], 2_000) ?? '').replace(/\p{Nd}/gu, asciiDigit));
}

/** The digits of a script are in a row of ten, from zero to nine. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > 0 && code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
