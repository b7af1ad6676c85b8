/** Decodes visible bytes in every form in which a hidden value could be read from them. */
import { normalised } from '../../normalised.ts';
import { decodeHeaderText, decodeLatin1, decodeUtf8 } from '../http/text.ts';

/** Nested escapes are undone this many times. */
const MAX_ROUNDS = 4;

const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Writes alike what looks alike: letters in another case (`ß` and `SS`, and the Greek `ς`, which only ends words), composed or of full
 * width. Blanks count once, and characters that nobody sees not at all.
 */
export function inOneCase(text: string): string {
  const seen = normalised(text, 'NFKC')
    .replace(/\p{Cf}+/gu, '')
    .replace(/\s+/g, ' ');
  return seen.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

/**
 * Reads `bytes` as they are, with percent, JSON and HTML escapes undone one after the other, and with `+` for spaces, in one letter
 * case. The text after every step counts, since an escape and the text beside it can look like another escape.
 */
export function* decodedTextsOf(bytes: Uint8Array): Generator<string, void> {
  const utf8 = decodeUtf8(bytes);
  const forms = new Set<string>();
  for (const text of utf8 === null ? [lossyUtf8.decode(bytes), decodeLatin1(bytes)] : [utf8]) {
    for (const form of unescapings(text)) {
      forms.add(form);
      // Forms write a space as `+`, and a plus sign as an escape.
      if (form.includes('+')) for (const spaced of unescapings(form.replaceAll('+', ' '))) forms.add(spaced);
    }
  }
  // One by one: a letter can become eighteen.
  for (const form of forms) yield inOneCase(form);
}

/** The text as it is and after each escape that is undone, until nothing changes. */
export function unescapings(text: string): ReadonlySet<string> {
  const texts = new Set([text]);
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current;
    for (const undo of [undoPercentEscapes, undoJsonEscapes, undoHtmlEscapes]) {
      current = undo(current);
      texts.add(current);
    }
    if (current === before) break;
  }
  return texts;
}

function undoPercentEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text
    .replace(/%u([0-9A-Fa-f]{4})/g, (_escape, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
      decodeHeaderText(Uint8Array.from(run.matchAll(/[0-9A-Fa-f]{2}/g), ([hex]) => Number.parseInt(hex, 16))),
    );
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function undoJsonEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([^ux]))/g, (_escape, unit, byte, short) =>
    short === undefined
      ? String.fromCharCode(Number.parseInt(unit ?? byte, 16))
      : (SHORT_ESCAPES[short as string] ?? short),
  );
}

/** The names that HTML reads with or without a semicolon, each with its character behind it. */
const ENTITIES = [
  'amp& AMP& lt< LT< gt> GT> quot" QUOT" COPY© REG® nbsp\u00a0 iexcl¡ cent¢ pound£ curren¤ yen¥ brvbar¦ sect§ uml¨',
  'copy© ordfª laquo« not¬ shy\u00ad reg® macr¯ deg° plusmn± sup2² sup3³ acute´ microµ para¶ middot· cedil¸ sup1¹',
  'ordmº raquo» frac14¼ frac12½ frac34¾ iquest¿ AgraveÀ AacuteÁ AcircÂ AtildeÃ AumlÄ AringÅ AEligÆ CcedilÇ EgraveÈ',
  'EacuteÉ EcircÊ EumlË IgraveÌ IacuteÍ IcircÎ IumlÏ ETHÐ NtildeÑ OgraveÒ OacuteÓ OcircÔ OtildeÕ OumlÖ times×',
  'OslashØ UgraveÙ UacuteÚ UcircÛ UumlÜ YacuteÝ THORNÞ szligß agraveà aacuteá acircâ atildeã aumlä aringå aeligæ',
  'ccedilç egraveè eacuteé ecircê eumlë igraveì iacuteí icircî iumlï ethð ntildeñ ograveò oacuteó ocircô otildeõ',
  'oumlö divide÷ oslashø ugraveù uacuteú ucircû uumlü yacuteý thornþ yumlÿ',
];
/** Names that need the semicolon: of signs, and of the other letters that PHP escapes. */
const CLOSED_ENTITIES = [
  "apos' excl! num# dollar$ percnt% lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; equals= quest? commat@",
  'lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace} Tab\t NewLine\n',
  'ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ lsaquo‹ rsaquo› hellip… bull• euro€ trade™ OEligŒ oeligœ',
  'ScaronŠ scaronš YumlŸ AlphaΑ BetaΒ GammaΓ DeltaΔ EpsilonΕ ZetaΖ EtaΗ ThetaΘ IotaΙ KappaΚ LambdaΛ MuΜ NuΝ XiΞ',
  'OmicronΟ PiΠ RhoΡ SigmaΣ TauΤ UpsilonΥ PhiΦ ChiΧ PsiΨ OmegaΩ alphaα betaβ gammaγ deltaδ epsilonε zetaζ etaη',
  'thetaθ iotaι kappaκ lambdaλ muμ nuν xiξ omicronο piπ rhoρ sigmafς sigmaσ tauτ upsilonυ phiφ chiχ psiψ omegaω',
];
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...charactersOf(ENTITIES, ''),
  ...charactersOf([...ENTITIES, ...CLOSED_ENTITIES], ';'),
]);
const MAX_CODE_POINT = 0x10ffff;

function charactersOf(lists: readonly string[], end: string): [name: string, character: string][] {
  return lists.flatMap((list) => list.split(' ').map((word) => [`${word.slice(0, -1)}${end}`, word.slice(-1)]));
}

function undoHtmlEscapes(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#[xX]0{0,64}([0-9A-Fa-f]{1,6});?|#0{0,64}(\d{1,7});?|([A-Za-z]{2,7}\d{0,2};?))/g,
    (entity, hex, decimal, name) => {
      if (name !== undefined) return undoNamedEntity(name);
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= MAX_CODE_POINT ? String.fromCodePoint(point) : entity;
    },
  );
}

/** HTML reads the longest name that it knows: `&eacutes` is `és`. */
function undoNamedEntity(text: string): string {
  for (let end = text.length; end > 1; end--) {
    const character = CHARACTERS.get(text.slice(0, end));
    if (character !== undefined) return character + text.slice(end);
  }
  return `&${text}`;
}

const utf8 = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export function bytesIn(text: string): number {
  return utf8.encode(text).length;
}

/**
 * What every Base64 that holds `text` has of it, by how many bytes are before it, in both alphabets. The characters at both ends
 * also depend on the bytes beside it, so they are left out.
 */
export function base64Forms(text: string): readonly string[] {
  const latin1 = decodeLatin1(utf8.encode(text));
  const forms = [0, 1, 2].map((before) => {
    const whole = Math.floor(((before + latin1.length) * 8) / 6);
    return btoa('\0'.repeat(before) + latin1).slice(Math.ceil((before * 8) / 6), whole);
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
