/** Inputs that are made to be slow, for every function that reads text or bytes from outside. */

import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { readApiBody } from '../../adapters/instagram/api-verdict.ts';
import { position as instagramPosition } from '../../adapters/instagram/cursor.ts';
import { readPage as readInstagramPage } from '../../adapters/instagram/page.ts';
import { loginOrChallenge } from '../../adapters/instagram/refusals.ts';
import { asUrl, findAll, type Identity, parseJson } from '../../adapters/scraping/index.ts';
import { decodeCursor } from '../../adapters/scraping/reader.ts';
import { readApi, readPage as readTikTokPage } from '../../adapters/tiktok/answers.ts';
import { position as tiktokPosition } from '../../adapters/tiktok/comments.ts';
import { placeholderEmail } from '../../core/engagement/creators/placeholder-email.ts';
import { checkWebhookUrl } from '../../core/engagement/webhooks/check-url.ts';
import { verifyStandardSignature } from '../../core/engagement/webhooks/signature.ts';
import { readComments } from '../../core/lookups/read-comments.ts';
import { readRetryAfter } from '../../core/retry-after.ts';
import { decodeBase64Url } from '../../core/security/base64.ts';
import { readJson } from '../../core/web-proof/extraction/read-json.ts';
import { parseRequest } from '../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../core/web-proof/http/parse-response.ts';
import { createResponseEnd } from '../../core/web-proof/notarize/response-end.ts';
import { parseHeaderLine } from '../../core/web-proof/prove-request.ts';
import { decodedTextsOf } from '../../core/web-proof/redaction/decoded-texts.ts';
import { credentialParts, hiddenValue } from '../../core/web-proof/redaction/hidden-value.ts';
import { findHiddenValue } from '../../core/web-proof/redaction/hidden-value-search.ts';
import { type JsonPath, matchPaths, parseJsonPath } from '../../core/web-proof/redaction/json-path.ts';
import { findScalars } from '../../core/web-proof/redaction/json-values.ts';
import { formDecode } from '../../core/web-proof/redaction/query-values.ts';
import { allVisible } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { parseBody } from '../../plugins/http/body.ts';
import { escapeHtml } from '../../plugins/http/pages/html.ts';
import { everyService, filled } from '../security/support.ts';
import { hiding } from './hidden-parts.ts';
import { parseHandle, parsePostUrl, platformsOf } from './platforms.ts';

/** Texts on which patterns and scanners that go back and forth go back and forth the most. */
export const SLOW_TEXTS = {
  letters: (n) => 'a'.repeat(n),
  'blanks in the middle': (n) => `x${' '.repeat(n)}x`,
  'blanks of every kind': (n) => `a ${'\u2028\t '.repeat(n / 3)}x\u2028x`,
  'blanks before a line': (n) => `a${' '.repeat(n)}x\u2028x`,
  'blanks at the end': (n) => `a: x${'\t '.repeat(n / 2)}x`,
  'only blanks at the end': (n) => `a: x${'\t '.repeat(n / 2)}`,
  'only blanks': (n) => '\t '.repeat(n / 2),
  'line ends': (n) => `${'\r\n\n\r'.repeat(n / 4)}x`,
  dots: (n) => `${'.'.repeat(n)}!`,
  labels: (n) => `https://${'a.'.repeat(n / 2)}!`,
  slashes: (n) => `https://www.instagram.com/${'/'.repeat(n)}`,
  mail: (n) => `a@${'a.'.repeat(n / 2)}`,
  'a local part': (n) => `${'a.a-'.repeat(n / 4)}@`,
  dashes: (n) => `${'-'.repeat(n)}!`,
  digits: (n) => `${'0'.repeat(n)}x`,
  date: (n) => `2026-01-01T00:00:00.${'0'.repeat(n)}x`,
  'a week day': (n) => `Mon, ${'01 '.repeat(n / 3)}`,
  percents: (n) => '%41%'.repeat(n / 4),
  ampersands: (n) => '&a=&#x4;&amp'.repeat(n / 12),
  backslashes: (n) => `${'\\u0041\\'.repeat(n / 7)}`,
  quotes: (n) => '"'.repeat(n),
  brackets: (n) => '[0][*].'.repeat(n / 7),
  'deep lists': (n) => '['.repeat(n),
  'deep objects': (n) => '{"a":'.repeat(n / 5),
  'deep and closed': (n) => `${'['.repeat(n / 2)}${']'.repeat(n / 2)}`,
  colons: (n) => `{${': '.repeat(n / 2)}x`,
  'long numbers': (n) => `[${'1'.repeat(n)}]`,
  'many numbers': (n) => `[${'12345678901234567,'.repeat(n / 18)}1]`,
  scripts: (n) => '<script'.repeat(n / 7),
  'open scripts': (n) => '<script>'.repeat(n / 8),
  'empty scripts': (n) => '<script></script>'.repeat(n / 17),
  'data scripts': (n) => '<script type="application/json" data-sjs>{"a":[1]}</script>'.repeat(n / 60),
  tokens: (n) => '["LSD",[],{"token":"'.repeat(n / 20),
  ids: (n) => 'id="cs" id="wci" '.repeat(n / 17),
  'angle brackets': (n) => '<'.repeat(n),
  signatures: (n) => 'v1,a '.repeat(n / 5),
  'digits and blanks': (n) => '1 '.repeat(n / 2),
  'letters with accents': (n) => 'e\xcc\x81'.repeat(n / 3),
  'short encoded words': (n) => 'QUFBQUFB '.repeat(n / 9),
  'a long name around many values': (n) => `{"${'a'.repeat(n / 64)}":[${'1,'.repeat((n * 31) / 64)}1]}`,
  surrogates: (n) => '\ud800'.repeat(n),
  base64: (n) => `${'QUJD'.repeat(n / 4)}=`,
} as const satisfies Record<string, (size: number) => string>;

const identity = (): Identity => ({
  kind: 'anonymous',
  label: 'anonymous-1',
  cookie: async () => undefined,
  setCookie: async () => undefined,
  memory: new Map(),
});
const answered = (text: string) => ({ url: 'https://www.tiktok.com/', status: 200, text, header: () => text });
const clock = { now: () => new Date(0) };
const reading = () => ({ identity: identity(), clock, signal: new AbortController().signal });
const now = new Date('2026-03-01T12:00:00.000Z');
const guard = createEgressGuard({ lookup: async () => [] });
const bytes = (text: string) => new TextEncoder().encode(text);

/** Some of the texts hold it at every place. */
const PIN = bytes('0101');

/** Everything that takes a text from outside. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'post URLs': parsePostUrl,
  'Instagram handles': (text) => parseHandle('instagram', text),
  'TikTok handles': (text) => parseHandle('tiktok', text),
  'hosts of outbound requests': (text) => guard.resolve(text, 443),
  'webhook URLs': (text) => checkWebhookUrl(guard, text),
  'Retry-After': (text) => readRetryAfter(text, now),
  'placeholder addresses': placeholderEmail,
  'webhook signatures': (text) =>
    verifyStandardSignature(
      'whsec_QUJD',
      { id: 'a', timestamp: String(now.getTime() / 1000), signature: text },
      '',
      now,
    ),
  'URL-safe Base64': decodeBase64Url,
  'comment cursors': (text) =>
    readComments({
      platforms: platformsOf(),
      resolvePost: async () => ({ platform: 'tiktok', contentType: 'post', contentId: '1', canonicalUrl: '' }),
    })('', text),
  'Instagram cursors': (text) => decodeCursor(text, '1', instagramPosition),
  'TikTok cursors': (text) => tiktokPosition.safeParse(text),
  'JSON of platforms': (text) => findAll(parseJson(text), 'a'),
  'URLs of platforms': asUrl,
  'Instagram pages': (text) => readInstagramPage(answered(text), identity(), 'post'),
  'Instagram redirects': (text) => loginOrChallenge(text, 'https://www.instagram.com/p/a/'),
  'Instagram API answers': (text) => readApiBody(answered(text), identity(), 'post'),
  'TikTok pages': (text) => readTikTokPage(answered(text), reading(), '__UNIVERSAL_DATA_FOR_REHYDRATION__'),
  'TikTok API answers': (text) => readApi(answered(text), reading()),
  'JSON bodies': (text) => parseBody({ bytes: bytes(text) }, 'application/json'),
  'form bodies': (text) => parseBody({ bytes: bytes(text) }, 'application/x-www-form-urlencoded', { allowForm: true }),
  'content types': (text) => parseBody({ bytes: bytes('{}') }, `application/${text}`),
  'text in pages': escapeHtml,
  'header lines to prove': (text) => parseHeaderLine(`a:${text}`),
  'credentials in headers': (text) => credentialParts('authorization', text),
  cookies: (text) => credentialParts('cookie', text),
  // Sixteen times as long as the schema lets through.
  'redaction paths': (text) => parseJsonPath(text.slice(0, 2 ** 14)),
  'query parameters': formDecode,
  'text that may echo': (text) => [...decodedTextsOf(bytes(text))],
  'short values in text': (text) =>
    findHiddenValue(
      [hiddenValue('', 'sent', PIN, [{ start: 0, end: 4 }])],
      [{ where: '', bytes: bytes(text), place: 'text' }],
    ),
  'proven JSON': (text) => readJson(bytes(text)),
  'JSON to be redacted': (text) => findScalars(bytes(text), matchPaths([], 'narrow'), () => true),
};

/** A place of a transcript where any text may stand: between these two. */
interface Place {
  readonly before: string;
  readonly after: string;
  /** A text that is taken there, so that more than the first check is measured; null where none can be. */
  readonly takes: keyof typeof SLOW_TEXTS | null;
}

const REQUEST = 'GET / HTTP/1.1\r\n';
const RESPONSE = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${RESPONSE}transfer-encoding: chunked\r\n\r\n`;
const HEAD_END = '\r\n\r\n';
const CHUNK_END = '\r\na\r\n0\r\n\r\n';

const REQUEST_PLACES: Readonly<Record<string, Place>> = {
  target: { before: 'GET /', after: ` HTTP/1.1${HEAD_END}`, takes: 'letters' },
  'header lines': { before: REQUEST, after: HEAD_END, takes: 'only blanks at the end' },
  'header line that is cut short': { before: REQUEST, after: '', takes: null },
  'header name': { before: REQUEST, after: `: a${HEAD_END}`, takes: 'letters' },
  'header value': { before: `${REQUEST}a:`, after: HEAD_END, takes: 'only blanks' },
};

/** Bodies of requests are read by the same code. */
const RESPONSE_PLACES: Readonly<Record<string, Place>> = {
  reason: { before: 'HTTP/1.1 200 ', after: HEAD_END, takes: 'only blanks' },
  'header lines': { before: RESPONSE, after: HEAD_END, takes: 'only blanks at the end' },
  'header line that is cut short': { before: RESPONSE, after: '', takes: null },
  'header value': { before: `${RESPONSE}a:`, after: HEAD_END, takes: 'only blanks' },
  'chunk size': { before: `${CHUNKED}1`, after: CHUNK_END, takes: 'only blanks' },
  'chunk extension': { before: `${CHUNKED}1;`, after: CHUNK_END, takes: 'only blanks' },
  trailers: { before: `${CHUNKED}0\r\n`, after: HEAD_END, takes: 'only blanks at the end' },
};

/** The end of a response, looked for again with every few bytes that come in. */
function findEnd(all: Uint8Array): void {
  const end = createResponseEnd('GET');
  let isComplete = false;
  for (let at = 16; at < all.length + 16 && !isComplete; at += 16) isComplete = end.isComplete(all.subarray(0, at));
  if (!isComplete && !end.endsWithConnection) throw new Error('The response does not end.');
}

const TRANSCRIPT_READERS: Readonly<
  Record<string, { readonly read: (all: Uint8Array) => unknown; readonly places: Readonly<Record<string, Place>> }>
> = {
  'proven requests': { read: (all) => parseRequest(allVisible(all)), places: REQUEST_PLACES },
  'proven responses': { read: (all) => parseResponse(allVisible(all), 'GET'), places: RESPONSE_PLACES },
  'ends of responses': { read: findEnd, places: RESPONSE_PLACES },
};
/** A parser of transcripts, and one place in them that any text may fill. */
export const TRANSCRIPTS = Object.entries(TRANSCRIPT_READERS).flatMap(([reader, { read, places }]) =>
  Object.entries(places).map(([name, place]) => ({ reader, read, name, place })),
);

/** One function and one input. */
export interface HostileCase {
  readonly reader: string;
  readonly input: string;
  run(): unknown;
}

/** Squared, more steps than these tests have time for. */
const ENOUGH = 2 ** 17;
/** Of what one field of a request may hold. */
const LONGEST_FIELD = 2 ** 16;

const caseOf = <T>(
  reader: string,
  input: string,
  size: number,
  make: (size: number) => T,
  read: (made: T) => unknown,
): HostileCase => ({ reader, input, run: () => read(make(size)) });

const FAMILIES = Object.entries(SLOW_TEXTS);

function textCases(): HostileCase[] {
  return Object.entries(READERS).flatMap(([reader, read]) =>
    FAMILIES.map(([input, text]) => caseOf(reader, input, ENOUGH, text, read)),
  );
}

function transcriptCases(): HostileCase[] {
  return TRANSCRIPTS.flatMap(({ reader, read, name, place: { before, after } }) =>
    FAMILIES.map(([input, text]) => {
      const transcript = (size: number) => bytes(before + text(size) + after);
      return caseOf(`${reader}, ${name}`, input, ENOUGH, transcript, read);
    }),
  );
}

function schemaCases(): HostileCase[] {
  const { routes } = createCredence({ ...everyService(), storage: { url: 'sqlite::memory:' } });
  // Many rows share one.
  const schemas = new Set(
    routes.flatMap(({ body, query, params }) => [body, query, params].filter((one) => one !== undefined)),
  );
  const everyField = (text: string) => {
    for (const schema of schemas) schema.safeParse(filled(schema, text));
  };
  return FAMILIES.map(([input, text]) => caseOf('every field of every route', input, LONGEST_FIELD, text, everyField));
}

function manySmallThings(): HostileCase[] {
  const chunked = (count: number) =>
    bytes(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(count)}0\r\n\r\n`);
  const hidden = (count: number) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: ';
    const all = bytes(`${head}${2 * count}\r\n\r\n${'ab'.repeat(count)}`);
    const start = all.length - 2 * count;
    const ranges = Array.from({ length: count }, (_, at) => ({ start: start + 2 * at, end: start + 2 * at + 1 }));
    return hiding(all, ranges);
  };
  const headers = (count: number) => bytes(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(count)}\r\n`);
  const list = (count: number) => bytes(`[${'{"a":[{"a":1}]},'.repeat(count)}0]`);
  const paths = ['*.a.*.*', 'a.a', '[0].a', '*.*.*.*.*.*']
    .map(parseJsonPath)
    .filter((path): path is JsonPath => path !== null);
  const wild = (count: number) => bytes(`${'['.repeat(60)}${'1,'.repeat(count)}1${']'.repeat(60)}`);
  const wildPaths = Array.from({ length: 4 }, (_, index) => parseJsonPath(`${'*.'.repeat(60)}a${index}`)).filter(
    (path): path is JsonPath => path !== null,
  );
  const redactWild = (all: Uint8Array) => findScalars(all, matchPaths(wildPaths, 'wide'), ({ covered }) => covered);
  const redact = (all: Uint8Array) => findScalars(all, matchPaths(paths, 'wide'), ({ covered }) => covered);
  return [
    caseOf('proven responses', 'many chunks', 2 ** 15, chunked, (all) => parseResponse(allVisible(all), 'GET')),
    caseOf('proven responses', 'many hidden ranges', 2 ** 15, hidden, (visible) => parseResponse(visible, 'GET')),
    caseOf('proven responses', 'many headers', 2 ** 15, headers, (all) => parseResponse(allVisible(all), 'GET')),
    caseOf('JSON to be redacted', 'many elements', 2 ** 13, list, redact),
    caseOf('JSON to be redacted', 'wildcards over many elements', 2 ** 15, wild, redactWild),
  ];
}

/** Every case, by the function that reads. */
export function hostileCases(): ReadonlyMap<string, readonly HostileCase[]> {
  const cases = [...textCases(), ...transcriptCases(), ...schemaCases(), ...manySmallThings()];
  return Map.groupBy(cases, ({ reader }) => reader);
}
