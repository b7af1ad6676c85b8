import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/zlib-content-decoder.ts';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../../../core/web-proof/http/parse-response.ts';
import { redactExchange, revealedOfRequest } from '../../../../core/web-proof/redaction/redact.ts';
import { redactionPolicy, redactionSchema } from '../../../../core/web-proof/redaction/schema.ts';
import { tellsOfIdleRule } from '../../../../core/web-proof/redaction/warnings.ts';
import { type ByteRange, complementOfRanges } from '../../../../core/web-proof/tlsnotary/ranges.ts';
import { allVisible } from '../../../../core/web-proof/tlsnotary/visible-bytes.ts';
import { webProofSchema } from '../../../../core/web-proof/web-proof.ts';

const decoder = createZlibContentDecoder();
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';

interface Exchange {
  readonly request?: string;
  readonly response?: string | Uint8Array;
  readonly rules: unknown;
  readonly refuseShortValues?: boolean;
}

/** Hidden bytes as middle dots. */
function shown(bytes: Uint8Array, revealed: readonly ByteRange[]): string {
  const masked = Buffer.from(bytes);
  for (const { start, end } of complementOfRanges(revealed, bytes.length)) masked.fill('\xb7', start, end, 'latin1');
  return masked.toString('latin1');
}

async function redact({ request = GET, response = OK, rules, refuseShortValues }: Exchange) {
  const sent = Uint8Array.from(Buffer.from(request, 'latin1'));
  const received = Uint8Array.from(typeof response === 'string' ? Buffer.from(response, 'latin1') : response);
  const policy = redactionPolicy(redactionSchema.parse(rules), refuseShortValues);
  const asked = parseRequest(allVisible(sent));
  const exchange = { request: asked, response: parseResponse(allVisible(received), asked.method) };
  const revealed = await redactExchange(exchange, policy, decoder);
  expect(revealedOfRequest(asked, policy)).toEqual(revealed.sent);
  const { warnings } = revealed;
  return { sent: shown(sent, revealed.sent), received: shown(received, revealed.received), warnings };
}

const refusal = (exchange: Exchange) =>
  redact(exchange).then(
    () => 'accepted',
    (error: { code?: string; message: string }) => `${error.code} ${error.message}`,
  );

const json = (body: string, head = '') =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.from(body, 'latin1').length}\r\n\r\n${body}`;

const chunked = (chunks: readonly string[], trailers = '') =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('')}0\r\n${trailers}\r\n`;

const gzipped = (body: string, coding = 'gzip') => {
  const bytes = gzipSync(body);
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
};

describe('what a rule hides', () => {
  const asked = (target: string, ...lines: string[]) =>
    [`POST ${target} HTTP/1.1`, ...lines, 'Content-Type: text/plain', 'Content-Length: 0', '', ''].join('\r\n');
  /** A text with what stands between `«` and `»` hidden. */
  const hiding = (marked: string) =>
    marked.replaceAll(/«(.*?)»/g, (_all, value: string) => '\xb7'.repeat(value.length));
  const plain = (marked: string) => marked.replaceAll(/[«»]/g, '');
  const KEYS = ['Authorization: «Bearer s3cret»', 'X-Api-Key: «one»', 'x-api-key:  «two» '];
  const ALWAYS = ['content-type', 'Content-Length', 'transfer-encoding', 'content-encoding'];

  it.each<[what: string, request: string, rule: object]>([
    [
      'headers but for the named ones',
      asked('/', ...KEYS, 'Host: «a.test»', 'Accept: */*', 'Accept-Encoding: «identity»'),
      { headers_except: ['Accept'] },
    ],
    ['no headers of the framing', asked('/', 'Content-Encoding: identity', 'Host: a.test'), { headers: ALWAYS }],
    ['parameters behind a semicolon', asked('/p?a=1;token=«s3cret»&b=2'), { url_query: ['token'] }],
  ])('of a request: %s', async (_what, request, rule) => {
    expect((await redact({ request: plain(request), rules: [{ request: rule }] })).sent).toBe(hiding(request));
  });

  it('of an answer: headers, also in interim answers and trailers', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </early>\r\nSet-Cookie: «first»\r\n\r\n';
    const head = 'Set-Cookie: «one»\r\nset-cookie:   «two»  \r\nServer: s\r\nTransfer-Encoding: chunked\r\n';
    const trailers = 'set-cookie: «last»\r\nX-Sum: 9\r\n';
    const response = `${early}HTTP/1.1 200 OK\r\n${head}\r\n2\r\nhi\r\n0\r\n${trailers}\r\n`;
    const rules = [{ response: { headers: ['Set-Cookie'] } }];
    const { received } = await redact({ response: plain(response), rules });
    expect(received).toBe(hiding(response));
  });

  it.each<[string, Exchange['response'], string]>([
    ['HTML', json('<html>').replace('200 OK', '500 Oops'), 'is not JSON (status 500), so none of its fields'],
    ['compressed', gzipped('{"a":1}'), 'is compressed (gzip), so its JSON cannot be hidden in part; the server'],
    ['twice coded', json('x', 'Content-Encoding: identity\r\nContent-Encoding: br\r\n'), 'is compressed (br)'],
  ])('is nothing of a body that is %s: no proof', async (_what, response, message) => {
    for (const rule of [{ json_body: ['a'] }, { json_body_except: ['a'] }]) {
      expect(await refusal({ response, rules: [{ response: rule }] })).toContain(message);
    }
  });

  it.each([
    [GET, 'HTTP/1.1 204 No Content\r\n\r\n'],
    [GET.replace('GET', 'HEAD'), 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Encoding: br\r\n\r\n'],
  ])('is nothing of a body that is empty: %j', async (request, response) => {
    expect(await refusal({ request, response, rules: [{ response: { json_body: ['a'] } }] })).toBe('accepted');
  });
});

describe('a hidden value that also appears in what stays visible', () => {
  const secret = 's3cret-token';
  const get = (target: string, ...lines: string[]) => `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  const withKey = (value: string, ...lines: string[]) => get('/', 'Host: a.test', `X-Key: ${value}`, ...lines);
  const hide = (...headers: string[]) => [{ request: { headers } }];
  const hideAnswer = (...headers: string[]) => [{ response: { headers } }];
  const sent = (rules: unknown, request: string, response: string | Uint8Array = OK) => ({ rules, request, response });
  const allowNone = [{ request: { headers_except: [] }, response: { headers_except: [] } }];
  const inBody = 'the response body';

  const KEY = 'the request header x-key';
  /** The header x-key of the request is hidden. */
  const key = (response: string | Uint8Array, ...lines: string[]) =>
    sent(hide('x-key'), withKey(secret, ...lines), response);
  const query = (value: string, answer: string) =>
    sent([{ request: { url_query: ['q'] } }], get(`/?q=${value}`, 'Host: a.test'), json(answer));

  it.each<[what: string, where: string, Exchange]>([
    [KEY, inBody, key(json(`you sent ${secret}`))],
    [KEY, 'the request URL', sent(hide('x-key'), get(`/${secret}`, `X-Key: ${secret}`))],
    [
      KEY,
      'the request body',
      sent(
        hide('x-key'),
        `PUT / HTTP/1.1\r\nX-Key: ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ns3cret\r\n6\r\n-token\r\n0\r\n\r\n`,
      ),
    ],
    ['the query parameter q', inBody, query(`+${secret}+`, secret)],
    ['the query parameter q', inBody, query('s3cret%2Dtoken', secret)],
    ['the response header x-key', inBody, sent(hideAnswer('x-key'), GET, json(secret, `X-Key: ${secret}\r\n`))],
    [
      'the JSON field a.b[0]',
      'the response body (the field c)',
      sent([{ response: { json_body: ['a'] } }], GET, json('{"a":{"b":["s3cret\\u002dtoken"]},"c":"s3cret-token"}')),
    ],
    // A header that says how to talk, if a denylist names it.
    [
      'the request header accept-language',
      inBody,
      sent(hide('accept-language'), get('/', `Accept-Language: ${secret}`), json(secret)),
    ],
    // A header that no rule hides.
    [KEY, 'the response header content-type', key(json('', `Content-Type: text/html; a=${secret}\r\n`))],
    // Left out by an allowlist.
    // However the body is coded.
    [KEY, inBody, key(gzipped(`${secret}, ${secret}`))],
    [KEY, 'the request', key(OK, `${secret}: 1`)],
  ])('is refused: %s in %s', async (what, where, exchange) => {
    expect(await refusal(exchange)).toBe(
      `INTERNAL_SERVER_ERROR The proof cannot be redacted: the value of ${what} also appears in ${where}, where it would stay visible; hide it there too if a rule can, or show it in both places.`,
    );
  });

  it.each<[string, Exchange]>([
    ['a part of a longer word', sent(hide('x-key'), withKey('s3cret7'), json('s3cret77'))],
    [
      'hidden there as well, in pieces',
      sent(
        [...hide('x-key'), { response: { json_body: ['a'] } }],
        withKey(secret),
        chunked(['{"a":"s3cret', '-token"}']),
      ),
    ],
    ['the name of the server', sent(hide('host'), GET.replace('a.test', 'www.a.test'), json('www.a.test'))],
    [
      'a media type in headers that no rule hides',
      sent(
        hide('accept'),
        'PUT / HTTP/1.1\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n',
        `HTTP/1.1 103 Early\r\nContent-Type: application/json\r\n\r\n${json('{}', 'Content-Type: application/json\r\n')}`,
      ),
    ],
    [
      'about talking and left out by an allowlist',
      sent(allowNone, get('/', `Accept-Language: ${secret}`), json(secret, `Server: ${secret}\r\n`)),
    ],
  ])('may be %s', async (_title, exchange) => {
    expect(await refusal(exchange)).toBe('accepted');
  });

  it('is looked for in a decoded body of 1 MiB at most, and not at all when there is nothing to look for', async () => {
    const answered = (key: string, response: Uint8Array) => refusal(sent(hide('x-key'), withKey(key), response));
    expect(await answered(secret, gzipped('x'.repeat(1_048_576)))).toBe('accepted');
    const larger = gzipped('x'.repeat(1_048_577));
    expect(await answered(secret, larger)).toBe(
      'INTERNAL_SERVER_ERROR The proof cannot be redacted: the decoded response body has more than 1048576 bytes, too many to be searched for hidden values. Ask for less, or hide nothing.',
    );
    expect(await answered('abc', larger)).toBe('accepted');
    expect(await answered('abc', gzipped('x', 'lzma'))).toBe('accepted');
    expect(await answered(secret, gzipped('x', 'lzma'))).toContain('unknown content encoding');
  });

  it('is looked for in the chunks of a request, wherever it is hidden in the response', async () => {
    const request = `POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ns3cr\r\n8\r\net-token\r\n0\r\n\r\n`;
    const pad = 'p'.repeat(request.indexOf('s3cr') - 33);
    const response = `HTTP/1.1 200 OK\r\nX-Pad: ${pad}\r\nX-Key: s3cret-token\r\nContent-Length: 0\r\n\r\n`;
    expect(response.indexOf('s3cret')).toBe(request.indexOf('s3cr'));
    expect(await refusal(sent(hideAnswer('x-key'), request, response))).toContain('also appears in the request body');
  });

  it('is not looked for without end', async () => {
    const start = 'a'.repeat(20_000);
    const values = Array.from({ length: 20 }, (_, i) => `"${start}${i}"`);
    const response = json(`{"a":[${values.join(',')}],"b":"${start}${start}"}`);
    expect(await refusal({ response, rules: [{ response: { json_body: ['a'] } }] })).toBe(
      'INTERNAL_SERVER_ERROR The proof cannot be redacted: it takes too long to look for what is to be hidden in what is shown. Hide less, or ask for less.',
    );
  });
});

describe('headers that tell about hidden values', () => {
  const hidePin = [{ response: { json_body: ['pin'] } }];
  const body = '{"name":"Ada","pin":"4711"}';
  const hidden = (line: string) => line.replace(/(?<=: ).*/, (value) => '\xb7'.repeat(value.length));

  it.each([
    'etag: "0123456789abcdef"',
    'Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==',
    'Repr-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
    'Last-Modified: Sun, 22 Nov 2026 07:30:33 GMT',
    'Signature-Input: sig1=("content-digest");keyid="a"',
    'X-Amz-Checksum-Crc32c: wdBDMA==',
    'X-Amz-Content-SHA256: e3b0c44298fc1c14',
    'X-Goog-Hash: crc32c=AAAAAA==',
    'X-Goog-Generation: 1763798400000000',
    'X-Shopify-Hmac-Sha256: XWmrwMey6OsL',
    'X-Body-Checksum: 91a2',
    'X-JWS: eyJhbGciOi',
  ])('hides %s with a part of the body', async (line) => {
    const { received, warnings } = await redact({ response: json(body, `${line}\r\nX-A: 1\r\n`), rules: hidePin });
    expect(received).toBe(json('{"name":"Ada","pin":"\xb7\xb7\xb7\xb7"}', `${hidden(line)}\r\nX-A: 1\r\n`));
    const name = line.split(':')[0]?.toLowerCase();
    expect(warnings).toEqual([`These response headers are hidden too, since they tell about what is hidden: ${name}.`]);
    // They show as long as the body does.
    const whole = json(body, `${line}\r\n`);
    expect(
      (
        await redact({
          response: whole,
          rules: [{ response: { headers: ['x-a'] } }, { request: { headers: ['x-b'] } }],
        })
      ).received,
    ).toBe(whole);
  });

  it.each([
    'Date: today',
    'X-A: 1',
    'Want-Digest: sha-256',
    'Accept-Signature: sig',
    'Cache-Control: public',
    'X-Designation: x',
  ])('leaves %s as it is', async (line) => {
    const { received } = await redact({ response: json(body, `${line}\r\n`), rules: hidePin });
    expect(received).toContain(`${line}\r\n`);
  });

  it('leaves them when nothing of the body is hidden after all', async () => {
    const response = json('{"name":"Ada","pin":""}', 'ETag: "abc"\r\n');
    expect((await redact({ response, rules: hidePin })).received).toBe(response);
    expect((await redact({ response, rules: [{ response: { json_body: ['none'] } }] })).received).toBe(response);
  });

  it('refuses to show them beside what is hidden', async () => {
    const rules = [{ response: { json_body: ['pin'], headers_except: ['etag'] } }];
    expect(await refusal({ response: json(body, 'ETag: "abc"\r\n'), rules })).toContain(
      'the response header etag is to be shown, but it tells about what is hidden',
    );
  });

  it('hides what a request repeats of them', async () => {
    const lines = [
      'If-Match: "abc"',
      'If-None-Match: W/"abc"',
      'If-Range: "abc"',
      'If-Modified-Since: then',
      'If-Unmodified-Since: then',
    ];
    const request = GET.replace('\r\n\r\n', `\r\n${lines.join('\r\n')}\r\n\r\n`);
    const { sent } = await redact({ request, response: json(body), rules: hidePin });
    expect(sent).toBe(GET.replace('\r\n\r\n', `\r\n${lines.map(hidden).join('\r\n')}\r\n\r\n`));
    expect((await redact({ request, response: json(body), rules: [{ response: { headers: ['x'] } }] })).sent).toBe(
      request,
    );
  });

  it('hides signatures over a request of which something is hidden, and over headers of the response', async () => {
    const request = GET.replace('\r\n\r\n', '\r\nX-Key: abc\r\nSignature: sig=:aa:\r\nDigest: md5=x\r\n\r\n');
    const response = json('hi', 'X-Key: one\r\nSignature: sig=:bb:\r\nETag: "x"\r\n');
    const both = await redact({ request, response, rules: [{ request: { headers: ['x-key'] } }] });
    expect(both.sent).toBe(request.replace('abc', '\xb7\xb7\xb7').replace('sig=:aa:', '\xb7'.repeat(8)));
    expect(both.received).toBe(response.replace('sig=:bb:', '\xb7'.repeat(8)));
    const answer = await redact({ request, response, rules: [{ response: { headers: ['x-key'] } }] });
    expect(answer.sent).toBe(request);
    expect(answer.received).toBe(response.replace('one', '\xb7\xb7\xb7').replace('sig=:bb:', '\xb7'.repeat(8)));
  });

  it('finds a validator that the body or the request repeats', async () => {
    const response = json('{"pin":"4711","etag":"0123456789abcdef"}', 'ETag: W/"0123456789abcdef"\r\n');
    expect(await refusal({ response, rules: hidePin })).toContain(
      'the response header etag also appears in the response body (the field etag)',
    );
  });
});

describe('short hidden values', () => {
  const pin = (rest: string, head = '') => json(`{"user":{"pin":"4711"},${rest}}`, head);
  const hidePin = [{ response: { json_body: ['user.pin'] } }];
  const CHANCE = 'These hidden values also appear in what is shown, maybe by chance: the JSON field ';

  it.each<[where: string, Exchange]>([
    ['the response body (the field n[1])', { response: pin('"n":[1,4711]'), rules: hidePin }],
    ['the response body', { response: pin('"4711":1'), rules: hidePin }],
    ['the response header x-note', { response: pin('"a":1', 'X-Note: 4711\r\n'), rules: hidePin }],
  ])('are refused in %s', async (where, exchange) => {
    expect(await refusal(exchange)).toContain(`the value of the JSON field user.pin also appears in ${where}, where`);
  });

  it.each([
    ['Age: 4711'],
    ['X-4711-Id: 1'],
    ['X-Time: 2026-11-22T08:46:40.4711-4711'],
    ['X-Id: f47ac10b-58cc-4711-a567-0e02b2c3d479'],
  ])('are only warned of in headers about the protocol, names, dates and ids: %s', async (line) => {
    const { warnings } = await redact({ response: pin('"a":1', `${line}\r\n`), rules: hidePin });
    expect(warnings).toEqual([`${CHANCE}user.pin.`]);
  });

  it('are looked for in no words of the protocol', async () => {
    const response = json(
      '{"a":"public","b":"plain","c":"created","d":"a.test","x":"yes"}',
      'Cache-Control: public\r\nContent-Type: text/plain; charset=utf-8\r\n',
    ).replace('200 OK', '201 Created');
    const { warnings } = await redact({ response, rules: [{ response: { json_body_except: ['x'] } }] });
    expect(warnings).toEqual([]);
  });

  it('are only warned of as names of fields, unless they have digits', async () => {
    const of = (body: string, name: string) => ({ response: json(body), rules: [{ response: { json_body: [name] } }] });
    const { warnings } = await redact(of('{"winner":"carol","scores":{"carol":10,"bob":7}}', 'winner'));
    expect(warnings).toEqual([`${CHANCE}winner.`]);
    expect((await redact(of('{"view":"public","publicly":8}', 'view'))).warnings).toEqual([]);
    expect(await refusal(of('{"view":"public","note":"it is Public"}', 'view'))).toContain('(the field note)');
    expect(await refusal(of('{"4711":{"type":"4711"}}', '4711.type'))).toContain('also appears in');
  });

  it('that the caller did not name are only warned of as words of the URL', async () => {
    const exchange = { request: GET.replace('/ ', '/user '), response: json('{"id":1,"type":"User"}') };
    const { warnings } = await redact({ ...exchange, rules: [{ response: { json_body_except: ['id'] } }] });
    expect(warnings).toEqual([`${CHANCE}type.`]);
    expect(await refusal({ ...exchange, rules: [{ response: { json_body: ['type'] } }] })).toContain('the request URL');
  });

  it('that are settings in a cookie are no secrets, but numbers are', async () => {
    const request = GET.replace('\r\n\r\n', '\r\nCookie: theme=dark; pin=4711\r\n\r\n');
    const of = (body: string) =>
      refusal({ request, response: json(body), rules: [{ request: { headers: ['cookie'] } }] });
    expect(await of('dark')).toBe('accepted');
    expect(await of('4711')).toContain('the request header cookie also');
  });

  it('that are true, false or null are not looked for', async () => {
    const response = json('{"a":true,"b":true,"c":null,"d":"null"}');
    expect(await refusal({ response, rules: [{ response: { json_body: ['a', 'c'] } }] })).toBe('accepted');
  });

  it('are refused on request, since their length tells', async () => {
    const refused = async (exchange: Exchange) => await refusal({ ...exchange, refuseShortValues: true });
    const response = json('{"a":true,"b":"1234567","c":"12345678","d":null,"e":""}');
    const field = (name: string) => [{ response: { json_body: [name] } }];
    for (const name of ['a', 'b', 'd', 'e']) {
      expect(await refused({ response, rules: field(name) })).toBe(
        `INTERNAL_SERVER_ERROR The proof cannot be redacted: the JSON field ${name} is a boolean, null or a value of fewer than 8 bytes, and its length tells too much about it. To hide it anyway, leave refuseShortValues out.`,
      );
    }
    expect(await refused({ response, rules: field('c') })).toBe('accepted');
    const request = GET.replace('/ ', '/?pin=4711 ');
    expect(await refused({ request, rules: [{ request: { url_query: ['pin'] } }] })).toContain(
      'the query parameter pin is',
    );
    // Hidden by an allowlist: words of the protocol, and the name of the server.
    const talk = GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n').replace('a.test', 'a.io');
    expect(await refused({ request: talk, rules: [{ request: { headers_except: [] } }] })).toBe('accepted');
  });
});

describe('names that match nothing', () => {
  const warningsOf = async (exchange: Exchange) => (await redact(exchange)).warnings;
  const response = json('{"user":{"email":"x"},"items":[{"id":88}],"empty":{}}', 'X-A: 99\r\n');
  const request = GET.replace('/ ', '/?a%20b=77&flag ');

  it('are told so briefly that what makes a proof also verifies it, whatever they are', async () => {
    const names = Array.from({ length: 9 }, (_, index) => '\u0001'.repeat(99) + index);
    const warnings = await warningsOf({ response, rules: [{ response: { json_body: names } }] });
    const proof = { data: '00', version: '0.1.0-alpha.12', meta: { notaryUrl: 'x', warnings } };
    expect(warnings).toHaveLength(1);
    expect(webProofSchema.safeParse(proof).error?.issues).toBeUndefined();
  });

  it('are told, each by its field', async () => {
    const rules = [
      { request: { headers: ['Authorisation', 'host', 'content-length'], url_query: ['a b', 'a+b', 'q', 'flag'] } },
      {
        response: {
          headers: ['x-a', 'x-b', 'Content-Type'],
          json_body: ['user.emial', 'user.email', 'items.id', 'items[3].id', 'empty'],
        },
      },
    ];
    expect(await warningsOf({ request, response, rules })).toEqual([
      'request.headers: these match no header, so they hide nothing: Authorisation.',
      'request.headers: always shown, so not hidden: content-length.',
      'request.url_query: these match no parameter with a value, so they hide nothing: q, flag.',
      'response.headers: these match no header, so they hide nothing: x-b.',
      'response.headers: always shown, so not hidden: Content-Type.',
      'response.json_body: these match no field of the response, so they hide nothing: user.emial, items[3].id.',
    ]);
  });

  it('are told for allowlists too', async () => {
    const rules = [
      { request: { headers_except: ['hots', 'content-type'], url_query_except: ['q'] } },
      { response: { headers_except: ['x-b'], json_body_except: ['user.emial', 'items'] } },
    ];
    expect(await warningsOf({ request, response, rules })).toEqual([
      'request.headers_except: these match no header, so they show nothing: hots, content-type.',
      'request.url_query_except: these match no parameter with a value, so they show nothing: q.',
      'request.url_query_except: these have no value that could be hidden, so they are shown: flag.',
      'response.headers_except: these match no header, so they show nothing: x-b.',
      'response.json_body_except: these match no field of the response, so they show nothing: user.emial.',
    ]);
  });

  it('are told for parameters that an allowlist does not name and that have no value', async () => {
    const told = async (query: string, names: string[]) =>
      warningsOf({ request: GET.replace('/ ', `/?${query} `), rules: [{ request: { url_query_except: names } }] });
    const shown = (names: string) => [
      `request.url_query_except: these have no value that could be hidden, so they are shown: ${names}.`,
    ];
    expect(await told('t0ken&a=1&&b=', ['a'])).toEqual(shown('t0ken'));
    expect(await told('t0ken', [])).toEqual(shown('t0ken'));
    expect(await told('a&b%20c&d', ['a', 'b c', 'd']).then((warnings) => warnings.join())).not.toContain('are shown');
    expect(await told('a=1', ['a'])).toEqual([]);
  });

  it('are told when there is no body, and not when another path covers the same', async () => {
    expect(await warningsOf({ rules: [{ response: { json_body: ['a'] } }] })).toEqual([
      'response.json_body: these match no field of the response, so they hide nothing: a.',
    ]);
    const rules = [{ response: { json_body: ['user', 'user.email', 'items.*', 'items.id', '$.user', 'user'] } }];
    expect(await warningsOf({ response, rules })).toEqual([]);
  });

  it('are told apart from what is said about the values that are hidden', async () => {
    const rules = [
      { request: { headers: ['Authorisation', 'content-length'], url_query_except: ['q'] } },
      { response: { headers_except: ['x-b'], json_body: ['user.emial'] } },
    ];
    const idle = await warningsOf({ request, response, rules });
    expect(idle).toHaveLength(6);
    expect(idle.filter((warning) => !tellsOfIdleRule(warning))).toEqual([]);
    const ofA = [{ response: { json_body: ['a'] } }];
    const hiding = { response: json('{"a":"4711","b":"4711-04"}', 'ETag: "a-version"\r\n'), rules: ofA };
    const other = await warningsOf(hiding);
    expect(other).toHaveLength(2);
    expect(other.filter(tellsOfIdleRule)).toEqual([]);
  });

  it('have nothing that a terminal obeys', async () => {
    const rules = [{ response: { json_body: ['\u001b[2J\u009b31m\u202e'] } }];
    expect(await warningsOf({ response, rules })).toEqual([expect.stringContaining(': \\u001b[2J\\u009b31m\\u202e.')]);
  });

  it('are bounded in number and length', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `${'n'.repeat(1_000)}${i}`);
    const [warning = ''] = await warningsOf({ rules: [{ request: { headers: names } }] });
    expect(warning).toMatch(/n…, n.* and 192 more\.$/);
    expect(warning.length).toBeLessThan(800);
  });
});
