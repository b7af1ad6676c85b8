import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { webProofSchema } from '../../core/web-proof/web-proof.ts';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, jsonAnswer, type OriginOptions, startOrigin } from '../support/tls-origin.ts';
import { unprovable } from '../support/unprovable.ts';

const authority = createAuthority();
const { prove, verify } = setUpProving(authority);

interface Shown {
  readonly data: Buffer;
  readonly sent: string;
  readonly received: string;
}

/** Proves with a redaction and verifies; texts are the transcripts with hidden bytes as `X`. */
async function shown(answer: OriginOptions['answer'], body: Record<string, unknown>, path = '/'): Promise<Shown> {
  await using origin = await startOrigin(authority, { answer });
  const proof = await prove({ url: origin.url(path), ...body });
  const verified = await verify(proof);
  return {
    data: Buffer.from(proof.data, 'hex'),
    sent: Buffer.from(verified.request.raw).toString('latin1'),
    received: Buffer.from(verified.response.raw).toString('latin1'),
  };
}

const ok = jsonAnswer({ ok: true });
const x = (text: string) => 'X'.repeat(Buffer.byteLength(text));

describe('request headers', () => {
  const headers = [
    'Authorization: Bearer s3cret-t0ken',
    'X-Api-Key: one',
    'x-api-key: two',
    'Content-Type: text/plain',
    'Accept: */*',
  ];

  it('are hidden by name, without case, every duplicate', async () => {
    const { sent, data } = await shown(ok, {
      headers,
      redaction: [{ request: { headers: ['AUTHORIZATION', 'X-API-Key'] } }],
    });
    expect(sent).toContain(
      `authorization: ${x('Bearer s3cret-t0ken')}\r\nx-api-key: XXX\r\nx-api-key: XXX\r\ncontent-type: text/plain\r\naccept: */*\r\n`,
    );
    expect(sent).toContain('host: origin.test');
    expect(data.includes('s3cret-t0ken')).toBe(false);
  });

  it('are hidden but for the named ones and those that are always revealed', async () => {
    const { sent } = await shown(ok, {
      method: 'POST',
      body: 'hello',
      headers,
      redaction: [{ request: { headers_except: ['Accept'] } }],
    });
    expect(sent).toMatch(
      /authorization: X+\r\nx-api-key: XXX\r\nx-api-key: XXX\r\ncontent-type: text\/plain\r\naccept: \*\/\*\r\n/,
    );
    expect(sent).toMatch(/connection: XXXXX\r\nhost: X+\r\ncontent-length: 5\r\naccept-encoding: XXXXXXXX\r\n/);
  });

  it('that are always revealed cannot be hidden', async () => {
    const always = ['content-type', 'Content-Length', 'transfer-encoding', 'content-encoding'];
    const { sent } = await shown(ok, {
      method: 'POST',
      body: 'hello',
      headers: ['Content-Type: text/plain', 'content-encoding: identity'],
      redaction: [{ request: { headers: always } }],
    });
    expect(sent).not.toContain('X');
  });
});

describe('query parameters', () => {
  const path = '/p?token=s3cret&symbol=E&token=%73econd&flag&empty=&a%20b=v+w&=n';

  it('are hidden by name, every duplicate, in either spelling', async () => {
    const { sent } = await shown(
      ok,
      { redaction: [{ request: { url_query: ['token', 'a%20b', 'flag', 'empty'] } }] },
      path,
    );
    expect(sent).toContain('GET /p?token=XXXXXX&symbol=E&token=XXXXXXXX&flag&empty=&a%20b=XXX&=n HTTP/1.1\r\n');
  });

  it('behind a semicolon are hidden too', async () => {
    const { sent } = await shown(ok, { redaction: [{ request: { url_query: ['token'] } }] }, '/p?a=1;token=s3cret&b=2');
    expect(sent).toContain('GET /p?a=1;token=XXXXXX&b=2 HTTP/1.1');
  });
});

describe('response headers', () => {
  const answer = [
    'HTTP/1.1 103 Early Hints\r\nLink: </early>\r\nSet-Cookie: first\r\n\r\n',
    'HTTP/1.1 200 OK\r\nSet-Cookie: one\r\nset-cookie:   two  \r\nServer: s\r\nTransfer-Encoding: chunked\r\n',
    'Content-Type: text/plain\r\n\r\n2\r\nhi\r\n0\r\nset-cookie: last\r\nX-Sum: 9\r\n\r\n',
  ].join('');

  it('are hidden by name, also in interim answers and trailers', async () => {
    const { received } = await shown(answer, { redaction: [{ response: { headers: ['Set-Cookie'] } }] });
    expect(received).toBe(
      answer.replace('first', 'XXXXX').replace('one', 'XXX').replace('two', 'XXX').replace('last', 'XXXX'),
    );
  });
});

describe('JSON bodies', () => {
  it('hide values, keep names, quotes and lengths', async () => {
    const answer = jsonAnswer('{"user":{"email":"me@x.test","id":12345},"ok":true,"user":{"email":"again"}}');
    const { received } = await shown(answer, {
      redaction: [{ response: { json_body: ['user.email'] } }, { response: { json_body: ['ok'] } }],
    });
    expect(received.split('\r\n\r\n')[1]).toBe(
      '{"user":{"email":"XXXXXXXXX","id":12345},"ok":XXXX,"user":{"email":"XXXXX"}}',
    );
  });

  it('that are empty have nothing to hide', async () => {
    const redaction = [{ response: { json_body: ['a'] } }];
    await expect(shown('HTTP/1.1 204 No Content\r\n\r\n', { redaction })).resolves.toBeDefined();
    await expect(
      shown('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', { redaction, method: 'HEAD' }),
    ).resolves.toBeDefined();
  });

  it.each([
    [
      'HTML',
      'HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>',
      /is not JSON \(status 500\)/,
    ],
    ['two documents', jsonAnswer('{"a":1}{"a":2}'), /is not JSON/],
    ['no UTF-8', Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":"é"}', 'latin1'), /is not UTF-8/],
    ['compressed', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx', /compressed \(gzip\)/],
    [
      'two codings',
      'HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx',
      /compressed \(br\)/,
    ],
  ])('that are %s are refused', async (_what, answer, message) => {
    for (const response of [{ json_body: ['a'] }, { json_body_except: ['a'] }]) {
      await expect(shown(answer, { redaction: [{ response }] })).rejects.toMatchObject(unprovable(message));
    }
  });
});

describe('what a hidden value can be guessed from', () => {
  const pinned = jsonAnswer('{"name":"Ada","pin":"4711"}', [
    'ETag: W/"1b-aTszWNXrRvbBJGcKxDrZvUrFRgs"',
    'Content-MD5: abc=',
  ]);
  const redaction = [{ response: { json_body: ['pin'] } }];

  it('is hidden with it, and the caller is told', async () => {
    await using origin = await startOrigin(authority, { answer: pinned });
    const proof = webProofSchema.parse(await prove({ url: origin.url(), redaction }));
    const { response } = await verify(proof);
    expect(Buffer.from(response.raw).toString()).toMatch(/etag: X+\r\n.*content-md5: XXXX\r\n/is);
    expect(proof.meta.warnings).toEqual([
      'These response headers are hidden too, since they tell about what is hidden: etag, content-md5.',
    ]);
  });

  it('is not shown on request either', async () => {
    const shownTag = [{ response: { json_body: ['pin'], headers_except: ['etag'] } }];
    await expect(shown(pinned, { redaction: shownTag })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.stringContaining('the response header etag is to be shown, but it tells about what is hidden'),
    });
  });

  it('may be its length: values for which that is so are refused on request', async () => {
    const answer = jsonAnswer({ active: true, note: 'long enough' });
    const hide = (name: string) => ({ refuseShortValues: true, redaction: [{ response: { json_body: [name] } }] });
    await expect(shown(answer, hide('active'))).rejects.toThrow('the JSON field active is a boolean, null or a value');
    await expect(shown(answer, hide('note'))).resolves.toBeDefined();
  });
});

describe('names that match nothing', () => {
  it('are told beside the proof, which can be verified as it is', async () => {
    await using origin = await startOrigin(authority, { answer: jsonAnswer({ email: 'x' }) });
    const proof = await prove({ url: origin.url(), redaction: [{ response: { json_body: ['emial'] } }] });
    expect(proof.meta).toEqual({
      notaryUrl: 'https://notary.test/v0.1.0-alpha.12',
      warnings: ['response.json_body: these match no field of the response, so they hide nothing: emial.'],
    });
    expect((await verify(webProofSchema.parse(proof))).response.text).toBe('{"email":"x"}');
  });
});

describe('values that the server repeats', () => {
  const echo: OriginOptions['answer'] = ({ head }, socket) =>
    socket.write(jsonAnswer({ head: `${head}`.split('\r\n') }));

  it('are not proven', async () => {
    const body = {
      headers: ['Authorization: Bearer s3cret-t0ken'],
      redaction: [{ request: { headers: ['authorization'] } }],
    };
    await expect(shown(echo, body)).rejects.toMatchObject(
      unprovable(/request header authorization also appears in the response/),
    );
    await expect(
      shown(echo, { redaction: [{ request: { url_query: ['key'] } }] }, '/?key=s3cret%2Fkey'),
    ).rejects.toMatchObject(unprovable(/query parameter key/));
  });

  it('never show in the message', async () => {
    const body = {
      headers: ['Authorization: Bearer s3cret-t0ken'],
      redaction: [{ request: { headers: ['authorization'] } }],
    };
    await expect(shown(echo, body)).rejects.not.toThrow(/s3cret/);
  });

  it('are not proven when only a part of the credential comes back', async () => {
    const headers = ['Authorization: Bearer s3cret-t0ken', 'Cookie: sid=abcdefgh; theme=dark'];
    const redaction = [{ request: { headers: ['authorization', 'cookie'] } }];
    for (const part of ['s3cret-t0ken', 'abcdefgh']) {
      await expect(shown(jsonAnswer({ part }), { headers, redaction })).rejects.toMatchObject(
        unprovable(/also appears/),
      );
    }
  });

  it('are not proven when chunks cut them', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ns3cret\r\n6\r\n-t0ken\r\n0\r\n\r\n';
    const body = { headers: ['X-Key: s3cret-t0ken'], redaction: [{ request: { headers: ['x-key'] } }] };
    await expect(shown(answer, body)).rejects.toMatchObject(unprovable(/the response body/));
  });

  it('are not proven when compression hides them from a simple search', async () => {
    const packed = gzipSync('you said s3cret-t0ken, s3cret-t0ken');
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    const body = { headers: ['X-Key: s3cret-t0ken'], redaction: [{ request: { headers: ['x-key'] } }] };
    await expect(shown(Buffer.concat([Buffer.from(head), packed]), body)).rejects.toMatchObject(
      unprovable(/the response body/),
    );
    const unknown = 'HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 1\r\n\r\nx';
    await expect(shown(unknown, body)).rejects.toMatchObject(unprovable(/unknown content encoding/));
  });

  it('may be hidden in both places', async () => {
    const body = {
      headers: ['X-Key: s3cret-t0ken'],
      redaction: [{ request: { headers: ['x-key'] } }, { response: { json_body: ['you'] } }],
    };
    const { data } = await shown(jsonAnswer({ you: 's3cret-t0ken' }), body);
    expect(data.includes('s3cret-t0ken')).toBe(false);
  });

  it('that are no secrets may come back', async () => {
    const body = { headers: ['Accept: application/json'], redaction: [{ request: { headers_except: [] } }] };
    const { sent } = await shown(jsonAnswer({ host: 'origin.test' }), body);
    expect(sent).toContain(`accept: ${x('application/json')}`);
    const vary = jsonAnswer({ ok: true }, ['Vary: accept-encoding']);
    await expect(shown(vary, { redaction: [{ response: { headers_except: [] } }] })).resolves.toBeDefined();
    await expect(shown(vary, { redaction: [{ response: { headers: ['vary'] } }] })).rejects.toMatchObject(
      unprovable(/response header vary/),
    );
  });

  it('that are hidden in the answer must not are in the request', async () => {
    const redaction = [{ response: { json_body: ['login'] } }];
    await expect(shown(jsonAnswer({ login: 'octocat-1' }), { redaction }, '/users/octocat-1')).rejects.toMatchObject(
      unprovable(/JSON field login also appears in the request/),
    );
  });

  it('TRACE is refused with any redaction of the request', async () => {
    const redaction = [{ request: { headers: ['a'] } }];
    await expect(prove({ url: 'https://origin.test/', method: 'TRACE', redaction })).rejects.toThrow(/TRACE/);
    await expect(shown(ok, { method: 'TRACE', redaction: [{ response: { headers: ['a'] } }] })).resolves.toBeDefined();
  });
});
