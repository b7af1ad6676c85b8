import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/zlib-content-decoder.ts';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { parseResponse } from '../../../../core/web-proof/http/parse-response.ts';
import { allVisible } from '../../../../core/web-proof/http/visible-bytes.ts';
import { redactExchange, revealedOfRequest } from '../../../../core/web-proof/redaction/redact.ts';
import { redactionPolicy, redactionSchema } from '../../../../core/web-proof/redaction/schema.ts';
import { type ByteRange, complementOfRanges } from '../../../../core/web-proof/tlsnotary/ranges.ts';

const decoder = createZlibContentDecoder();
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';

interface Exchange {
  readonly request?: string;
  readonly response?: string | Uint8Array;
  readonly rules: unknown;
}

/** Hidden bytes as middle dots. */
function shown(bytes: Uint8Array, revealed: readonly ByteRange[]): string {
  const masked = Buffer.from(bytes);
  for (const { start, end } of complementOfRanges(revealed, bytes.length)) masked.fill('\xb7', start, end, 'latin1');
  return masked.toString('latin1');
}

async function redact({ request = GET, response = OK, rules }: Exchange) {
  const sent = Uint8Array.from(Buffer.from(request, 'latin1'));
  const received = Uint8Array.from(typeof response === 'string' ? Buffer.from(response, 'latin1') : response);
  const policy = redactionPolicy(redactionSchema.parse(rules));
  const asked = parseRequest(allVisible(sent));
  const exchange = { request: asked, response: parseResponse(allVisible(received), asked.method) };
  const revealed = await redactExchange(exchange, policy, decoder);
  expect(revealedOfRequest(asked, policy)).toEqual(revealed.sent);
  return { sent: shown(sent, revealed.sent), received: shown(received, revealed.received) };
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

describe('hidden header values', () => {
  const request = 'GET / HTTP/1.1\r\nHost: a.test\r\nX-Key: one\r\nx-key:  two \r\nContent-Type: t\r\n\r\n';

  it('of a request: every line of a name, in any case, without the blanks around them', async () => {
    expect((await redact({ request, rules: [{ request: { headers: ['X-KEY'] } }] })).sent).toBe(
      'GET / HTTP/1.1\r\nHost: a.test\r\nX-Key: \xb7\xb7\xb7\r\nx-key:  \xb7\xb7\xb7 \r\nContent-Type: t\r\n\r\n',
    );
  });

  it('of a request: all but those listed', async () => {
    expect((await redact({ request, rules: [{ request: { headers_except: ['Host'] } }] })).sent).toBe(
      'GET / HTTP/1.1\r\nHost: a.test\r\nX-Key: \xb7\xb7\xb7\r\nx-key:  \xb7\xb7\xb7 \r\nContent-Type: t\r\n\r\n',
    );
  });

  it('of a response: in interim answers, the answer itself and the trailers behind chunks', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nX-A: 1\r\n\r\n';
    const expected = (text: string) => text.replaceAll('X-A: 1', 'X-A: \xb7');
    for (const answer of [
      `${interim}HTTP/1.1 200 OK\r\nX-A: 1\r\nX-B: 2\r\n\r\nX-A: body`,
      `${interim}${interim}${chunked(['hello', 'X-A: body'], 'X-A: 1\r\nX-B: 2\r\n')}`,
      chunked([], 'X-A: 1\r\n'),
      'HTTP/1.1 101 Switching Protocols\r\nX-A: 1\r\n\r\n',
      'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n',
    ]) {
      const { received } = await redact({ response: answer, rules: [{ response: { headers: ['x-a'] } }] });
      expect(received).toBe(expected(answer));
    }
  });

  it('of an answer to HEAD, whose framing has no body behind it', async () => {
    const { received } = await redact({
      request: 'HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\n',
      response: 'HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      rules: [{ response: { headers: ['x-a'] } }],
    });
    expect(received).toBe('HTTP/1.1 200 OK\r\nX-A: \xb7\r\nTransfer-Encoding: chunked\r\n\r\n');
  });

  it('never those that say how to read the message', async () => {
    const framing = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: identity\r\n';
    for (const response of [
      `${framing}Content-Length: 2\r\n\r\nhi`,
      `${framing}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    ]) {
      const names = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding'];
      for (const list of [{ headers: names }, { headers_except: [] }]) {
        expect((await redact({ response, rules: [{ response: list }] })).received).toBe(response);
      }
    }
  });

  it('nothing when nothing is asked, whatever the body is', async () => {
    const response = gzipped('x', 'unheard-of');
    expect(await redact({ response, rules: [] })).toEqual({ sent: GET, received: response.toString('latin1') });
  });
});

describe('hidden query values', () => {
  const sent = async (target: string, list: { url_query?: string[]; url_query_except?: string[] }) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: a.test\r\n\r\n`;
    return (await redact({ request, rules: [{ request: list }] })).sent.split(' ')[1];
  };

  it.each([
    ['/p', ['a'], '/p'],
    ['/p?', ['a'], '/p?'],
    ['/p?a=1&b=2&a=3', ['a'], '/p?a=\xb7&b=2&a=\xb7'],
    ['/a=0?a=1?2', ['a'], '/a=0?a=\xb7\xb7\xb7'],
    ['https://a.test/?a=1', ['a'], 'https://a.test/?a=\xb7'],
    ['/?A=1&a=2', ['a'], '/?A=1&a=\xb7'],
    ['/?a&a=&a=b=c', ['a'], '/?a&a=&a=\xb7\xb7\xb7'],
    ['/?api%20key=1&api+key=2', ['api key'], '/?api%20key=\xb7&api+key=\xb7'],
    ['/?api%20key=1&api+key=2', ['api+key'], '/?api%20key=\xb7&api+key=\xb7'],
    ['/?%zz=1&%yy=2', ['%zz'], '/?%zz=\xb7&%yy=2'],
    ['/?x=1;a=22&b=3', ['a'], '/?x=1;a=\xb7\xb7&b=3'],
    ['/?a=1;b=2', ['a'], '/?a=\xb7\xb7\xb7\xb7\xb7'],
  ])('%s without %j', async (target, names, expected) => {
    expect(await sent(target, { url_query: names })).toBe(expected);
  });

  it.each([
    ['/?a=1&b=22&c', ['a'], '/?a=1&b=\xb7\xb7&c'],
    ['/?a%2Eb=1&c=2', ['a.b'], '/?a%2Eb=1&c=\xb7'],
    ['/?a=1;b=2', ['a'], '/?a=1;b=\xb7'],
    ['/?a=1', [], '/?a=\xb7'],
    ['/a=1', [], '/a=1'],
  ])('%s with %j only', async (target, names, expected) => {
    expect(await sent(target, { url_query_except: names })).toBe(expected);
  });
});

describe('hidden JSON values', () => {
  const received = async (response: string | Uint8Array, list: { json_body?: string[]; json_body_except?: string[] }) =>
    (await redact({ response, rules: [{ response: list }] })).received;

  it('of a body, however it is framed', async () => {
    expect(await received(json('{"a":"one","b":2}'), { json_body: ['a'] })).toBe(json('{"a":"\xb7\xb7\xb7","b":2}'));
    expect(await received(json('{"a":"one","b":2}'), { json_body_except: ['a'] })).toBe(json('{"a":"one","b":\xb7}'));
    expect(await received(chunked(['{"a":"o', 'n', 'e","b":2,', '"c":"x"}']), { json_body: ['a', 'c'] })).toBe(
      chunked(['{"a":"\xb7', '\xb7', '\xb7","b":2,', '"c":"\xb7"}']),
    );
    expect(await received(chunked(['{"a":', '"one"', ',"a":"two"}']), { json_body: ['a'] })).toBe(
      chunked(['{"a":', '"\xb7\xb7\xb7"', ',"a":"\xb7\xb7\xb7"}']),
    );
  });

  it('where a path could mean two things: all when it hides, the plainer one when it shows', async () => {
    const body = '{"a.b":1,"a":{"b":2},"$":{"c":3},"c":4}';
    expect(await received(json(body), { json_body: ['a.b', '$.c'] })).toBe(
      json('{"a.b":\xb7,"a":{"b":\xb7},"$":{"c":\xb7},"c":\xb7}'),
    );
    expect(await received(json(body), { json_body_except: ['a.b', '$.c'] })).toBe(
      json('{"a.b":\xb7,"a":{"b":2},"$":{"c":3},"c":\xb7}'),
    );
  });

  it('of a body that says it is not compressed', async () => {
    for (const coding of ['identity', 'IDENTITY', '']) {
      const response = json('{"a":"one"}', `Content-Encoding: ${coding}\r\n`);
      expect(await received(response, { json_body: ['a'] })).toBe(response.replace('one', '\xb7\xb7\xb7'));
    }
  });

  it('need no body', async () => {
    expect(await received(OK, { json_body: ['a'] })).toBe(OK);
  });

  it('cannot be hidden in a compressed body; the advice depends on who asked for it', async () => {
    const rules = [{ response: { json_body: ['a'] } }];
    const response = gzipped('{"a":1}');
    const asking = (...values: string[]) =>
      `GET / HTTP/1.1\r\nHost: a.test\r\n${values.map((value) => `Accept-Encoding: ${value}\r\n`).join('')}\r\n`;
    const start = 'INTERNAL_SERVER_ERROR The proof cannot be redacted: the response body is compressed (gzip), so ';
    expect(await refusal({ response, rules })).toBe(
      `${start}its JSON cannot be hidden in part; the server compresses unasked.`,
    );
    expect(await refusal({ request: asking('Identity'), response, rules })).toContain('compresses unasked');
    expect(await refusal({ request: asking('identity', 'gzip'), response, rules })).toContain(
      'in part; leave the accept-encoding header out of the request.',
    );
    expect(await refusal({ response: gzipped('{}', `gzip-${'x'.repeat(60)}`), rules })).toContain(
      `(gzip-${'x'.repeat(35)}), `,
    );
    for (const coding of ['identity, gzip', 'gzip, identity', 'x']) {
      expect(await refusal({ response: gzipped('{}', coding), rules })).toContain(`compressed (${coding})`);
    }
  });

  it('cannot be hidden in a body that is not JSON', async () => {
    const response = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>';
    expect(await refusal({ response, rules: [{ response: { json_body: ['a'] } }] })).toBe(
      'INTERNAL_SERVER_ERROR The proof cannot be redacted: the response body is not JSON (status 502), so none of its fields can be hidden; check the request, or leave json_body out of the redaction.',
    );
  });
});

describe('a hidden value that also stands in what stays visible', () => {
  const secret = 's3cret-token';
  const withKey = (value: string) => `GET / HTTP/1.1\r\nHost: a.test\r\nX-Key: ${value}\r\n\r\n`;
  const hideKey = [{ request: { headers: ['x-key'] } }];

  it.each<[string, Exchange, string]>([
    [
      'a request header in the response',
      { request: withKey(secret), response: json(`you sent ${secret}`), rules: hideKey },
      'the request header x-key also stands in the response',
    ],
    [
      'a request header in the URL',
      { request: withKey(secret).replace('/', `/${secret}`), rules: hideKey },
      'the request header x-key also stands in the request',
    ],
    [
      'a request header in a compressed body',
      { request: withKey(secret), response: gzipped(`you sent ${secret}`), rules: hideKey },
      'the request header x-key also stands in the response body',
    ],
    [
      'a request header in a body that framing cuts',
      { request: withKey(secret), response: chunked(['you sent s3cret', '-token']), rules: hideKey },
      'the request header x-key also stands in the response body',
    ],
    [
      'a request header in the chunks of the request',
      {
        request: `PUT / HTTP/1.1\r\nHost: a.test\r\nX-Key: ${secret}\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ns3cret\r\n6\r\n-token\r\n0\r\n\r\n`,
        rules: hideKey,
      },
      'the request header x-key also stands in the request body',
    ],
    [
      'the token of a credential',
      {
        request: `GET / HTTP/1.1\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
        response: json(secret),
        rules: [{ request: { headers: ['authorization'] } }],
      },
      'the request header authorization also stands in the response',
    ],
    [
      'a query parameter with its escapes undone',
      {
        request: 'GET /?q=two%20little+words HTTP/1.1\r\nHost: a.test\r\n\r\n',
        response: json('two little words'),
        rules: [{ request: { url_query: ['q'] } }],
      },
      'the query parameter q also stands in the response',
    ],
    [
      'a response header',
      { response: json(secret, `X-Key: ${secret}\r\n`), rules: [{ response: { headers: ['x-key'] } }] },
      'the response header x-key also stands in the response',
    ],
    [
      'a JSON value, also by its meaning',
      {
        response: json('{"a":{"b":["s3cret\\u002dtoken"]},"c":"s3cret-token"}'),
        rules: [{ response: { json_body: ['a'] } }],
      },
      'the JSON field a.b[0] also stands in the response',
    ],
    [
      'what talks about talking, when a denylist names it',
      {
        request: `GET / HTTP/1.1\r\nAccept-Language: ${secret}\r\n\r\n`,
        response: json(secret),
        rules: [{ request: { headers: ['accept-language'] } }],
      },
      'the request header accept-language also stands in the response',
    ],
    [
      'the same in a response',
      { response: json(secret, `Server: ${secret}\r\n`), rules: [{ response: { headers: ['server'] } }] },
      'the response header server also stands in the response',
    ],
    [
      'the same in another header',
      {
        request: `GET / HTTP/1.1\r\nAccept-Language: ${secret}\r\nX-Key: ${secret}\r\n\r\n`,
        response: json(''),
        rules: [{ request: { headers: ['accept-language'] } }],
      },
      'the request header accept-language also stands in the request',
    ],
    [
      'the same in another header of the response',
      {
        response: json('', `Server: ${secret}\r\nX-Key: ${secret}\r\n`),
        rules: [{ response: { headers: ['server'] } }],
      },
      'the response header server also stands in the response',
    ],
    [
      'a secret in what is never hidden',
      {
        request: withKey(secret),
        response: json('', `Content-Type: text/html; a=${secret}\r\n`),
        rules: hideKey,
      },
      'the request header x-key also stands in the response',
    ],
    [
      'a secret beside what talks about talking',
      {
        request: withKey(secret).replace('\r\n\r\n', '\r\nAccept: application/json\r\n\r\n'),
        response: json('', `Content-Type: application/json; a=${secret}\r\n`),
        rules: [{ request: { headers: ['x-key', 'accept'] } }],
      },
      'the request header x-key also stands in the response',
    ],
    [
      'another header, when an allowlist leaves it out',
      { response: json(secret, `X-Key: ${secret}\r\n`), rules: [{ response: { headers_except: [] } }] },
      'the response header x-key also stands in the response',
    ],
    [
      'the same in a request',
      { request: withKey(secret), response: json(secret), rules: [{ request: { headers_except: [] } }] },
      'the request header x-key also stands in the response',
    ],
  ])('%s', async (_title, exchange, message) => {
    expect(await refusal(exchange)).toBe(
      `INTERNAL_SERVER_ERROR The proof cannot be redacted: the value of ${message}, where it would stay visible; hide it there too, or show it in both places.`,
    );
  });

  it.each<[string, Exchange]>([
    ['short of 8 bytes', { request: withKey('s3cret7'), response: json('s3cret7'), rules: hideKey }],
    [
      'hidden there as well',
      {
        request: withKey(secret),
        response: json(`{"a":"${secret}"}`),
        rules: [...hideKey, { response: { json_body: ['a'] } }],
      },
    ],
    [
      'hidden there as well, in pieces',
      {
        request: withKey(secret),
        response: chunked(['{"a":"s3cret', '-token"}']),
        rules: [...hideKey, { response: { json_body: ['a'] } }],
      },
    ],
    [
      'the name of the server, which no proof keeps secret',
      {
        request: GET.replace('a.test', 'www.a.test'),
        response: json('www.a.test'),
        rules: [{ request: { headers: ['host'] } }],
      },
    ],
    [
      'no secret that could be hidden there, when a denylist names it',
      {
        request: `PUT / HTTP/1.1\r\nHost: a.test\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n`,
        response: `HTTP/1.1 103 Early\r\nContent-Type: application/json\r\n\r\n${json('{}', 'Content-Type: application/json\r\n')}`,
        rules: [{ request: { headers: ['accept'] } }],
      },
    ],
    [
      'no secret, left out by an allowlist',
      {
        request: `GET / HTTP/1.1\r\nHost: a.test\r\nAccept-Language: ${secret}\r\n\r\n`,
        response: json(secret),
        rules: [{ request: { headers_except: [] } }],
      },
    ],
    [
      'no secret, left out by an allowlist for the response',
      {
        response: json(secret, `Server: ${secret}\r\nX-XSS-Protection: ${secret}\r\n`),
        rules: [{ response: { headers_except: [] } }],
      },
    ],
  ])('may be %s', async (_title, exchange) => {
    expect(await refusal(exchange)).toBe('accepted');
  });

  it('is looked for in every body that can be read, and no other is proven', async () => {
    expect(await refusal({ request: withKey(secret), response: gzipped('x', 'zstd'), rules: hideKey })).toBe(
      'INTERNAL_SERVER_ERROR The proof cannot be redacted: the response body has an unknown content encoding, so it cannot be searched for hidden values.',
    );
    const request = withKey(secret).replace('\r\n\r\n', '\r\nContent-Encoding: zstd\r\nContent-Length: 1\r\n\r\nx');
    expect(await refusal({ request: request.replace('GET', 'PUT'), rules: hideKey })).toContain(
      'the request body has an',
    );
  });

  it('is looked for in a decoded body of 1 MiB at most, and not at all when there is nothing to look for', async () => {
    const full = { request: withKey(secret), rules: hideKey };
    expect(await refusal({ ...full, response: gzipped('x'.repeat(1_048_576)) })).toBe('accepted');
    const larger = gzipped('x'.repeat(1_048_577));
    expect(await refusal({ ...full, response: larger })).toBe(
      'INTERNAL_SERVER_ERROR The proof cannot be redacted: the decoded response body has more than 1048576 bytes, too many to be searched for hidden values; ask for less, or hide nothing.',
    );
    expect(await refusal({ ...full, request: withKey('short'), response: larger })).toBe('accepted');
    expect(await refusal({ ...full, request: withKey('short'), response: gzipped('x', 'zstd') })).toBe('accepted');
  });

  it('is looked for in the chunks of a request, wherever it is hidden in the response', async () => {
    const request = `POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ns3cr\r\n8\r\net-token\r\n0\r\n\r\n`;
    const pad = 'p'.repeat(request.indexOf('s3cr') - 33);
    const response = `HTTP/1.1 200 OK\r\nX-Pad: ${pad}\r\nX-Key: s3cret-token\r\nContent-Length: 0\r\n\r\n`;
    expect(response.indexOf('s3cret')).toBe(request.indexOf('s3cr'));
    const rules = [{ response: { headers: ['x-key'] } }];
    expect(await refusal({ request, response, rules })).toContain('also stands in the request body');
  });

  it('is not looked for without end', async () => {
    const start = 'a'.repeat(20_000);
    const values = Array.from({ length: 20 }, (_, i) => `"${start}${i}"`);
    const response = json(`{"a":[${values.join(',')}],"b":"${start}${start}"}`);
    expect(await refusal({ response, rules: [{ response: { json_body: ['a'] } }] })).toBe(
      'INTERNAL_SERVER_ERROR The proof cannot be redacted: too many similar values are to be hidden to be told apart.',
    );
  });
});
