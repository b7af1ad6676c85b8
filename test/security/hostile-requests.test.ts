/**
 * Requests that no client should send, to every row of the route table on both hosts. Each gets a refusal of the documented
 * form, in bounded memory, with nothing changed for the next client.
 */
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../plugins/http/route.ts';
import { HOST_KINDS } from '../support/hosts.ts';
import { instanceOfBlock } from '../support/instance.ts';
import { sendRaw, type WireAnswer } from '../support/wire.ts';
import { exampleOf, placesIn, withAt } from './places.ts';
import { CALLBACK_SECRET, everyService, highestMemory, pathOf } from './support.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const DEFAULT_LIMIT = 64 * KIB;
/** A host that says nothing for so long and keeps the connection has not refused what it got. */
const SILENCE_MS = 10_000;

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Bodies that are refused wherever a body is read. */
const MALFORMED: Readonly<Record<string, string | Uint8Array>> = {
  'nothing but blanks': '   \n',
  'half an object': '{"name":"x"',
  'two values': '{} {}',
  'a trailing comma': '{"name":"x",}',
  'single quotes': "{'name':'x'}",
  'a comment': '{"name":"x"/* y */}',
  NaN: '{"pointsReward":NaN}',
  'a raw NUL': '{"name":"a\u0000b"}',
  'a raw line end in a text': '{"name":"a\nb"}',
  'not UTF-8': bytes('{"name":"', [0xff, 0xfe], '"}'),
  'an overlong encoding': bytes('{"name":"', [0xc0, 0xaf], '"}'),
  'an encoded surrogate': bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'),
  'half a character': bytes('{"name":"', [0xe2, 0x82]),
  'UTF-16': Buffer.from('{"name":"x"}', 'utf16le'),
  'deep lists, open': '['.repeat(60_000),
  'deep objects, open': '{"a":'.repeat(12_000),
  'a zip': bytes([0x1f, 0x8b, 0x08, 0x00], '\0'.repeat(40)),
};

/** Values of the wrong kind, odd but JSON. */
const ODD: readonly string[] = [
  'null',
  'true',
  '"text"',
  '-0',
  '1e400',
  '[]',
  '[[]]',
  '{}',
  `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  '{"__proto__":{"polluted":true,"role":"admin"}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"__proto__":null,"toString":1,"valueOf":1,"hasOwnProperty":1}',
  `{${Array.from({ length: 4_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  `{"${'k'.repeat(50_000)}":1}`,
];

/** Leaves that break careless schemas and storages. */
const NASTY_LEAVES: readonly unknown[] = [
  null,
  {},
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x'.repeat(30_000),
  -1,
  2 ** 53,
  1e21,
  0.5,
];

/** As documented, but for a host that refuses connections at once. */
function nearExample(route: Route): unknown {
  const example = exampleOf(route);
  return GOES_OUT.has(route.id) ? withAt(example, ['url'], 'https://127.0.0.1:1/') : example;
}

/** Rows that connect to where they are told, and say with 502 that they could not. */
const GOES_OUT: ReadonlySet<string> = new Set(['prove', 'notarize']);

/** What no request may cause; that a proof cannot be made of it is an answer, though a 500 by the specification. */
function isDefect(route: Route, { status, text }: WireAnswer): boolean {
  if (text.includes('Something unexpected failed')) return true;
  if (status === 502) return !GOES_OUT.has(route.id);
  return status === 503 || (status === 500 && !text.includes('"PROOF_GENERATION_FAILED"'));
}

describe.each(HOST_KINDS)('on %s', (host) => {
  const instance = instanceOfBlock({ host, config: everyService() });
  let rows: readonly Route[];
  /** Half of them. The host reads a body before it tells the rows apart; what follows is the same on every host. */
  let half: readonly Route[];
  let authorization: string;

  beforeAll(() => {
    rows = instance.credence.routes.filter((route) => route.body !== undefined);
    half = rows.filter((_, index) => index % HOST_KINDS.length === HOST_KINDS.indexOf(host));
    authorization = `Bearer ${instance.adminToken}`;
    expect(rows.length).toBeGreaterThan(20);
  });
  afterEach(async () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((await instance.api.call('GET', '/readyz')).status).toBe(200);
    expect((await instance.api.call('GET', '/admin/brands')).json.data).toEqual([]);
  });

  const send = (route: Route, body: string | Uint8Array, chunked = false): Promise<WireAnswer> =>
    sendRaw(instance.baseUrl, {
      method: route.method,
      path: pathOf(route, '999999'),
      // Signed, for the row that reads nothing of a stranger's.
      headers: {
        authorization,
        'content-type': 'application/json',
        'x-service-signature': createHmac('sha256', CALLBACK_SECRET).update(body).digest('base64'),
      },
      body,
      chunked,
    });

  function expectRefusal(route: Route, answer: WireAnswer, what: string): void {
    const context = `${route.id}, ${what}: ${answer.status} ${answer.text.slice(0, 200)}`;
    expect(answer.status, context).toBeGreaterThanOrEqual(400);
    // 501 is an answer of its own: a row that is reserved, a service that is not configured.
    if (answer.status !== 501) expect(answer.status, context).toBeLessThan(500);
    expect(answer.text, context).not.toMatch(/\bat .*\.(?:ts|js):\d|node_modules|SyntaxError|ZodError|SQLITE|Mongo/);
    expect(answer.text.length, context).toBeLessThan(64 * KIB);
    expect(answer.headers['x-content-type-options'], context).toBe('nosniff');
  }

  it('malformed bodies are refused by every row', async () => {
    for (const [row, route] of rows.entries()) {
      for (const [index, [what, body]] of Object.entries(MALFORMED).entries()) {
        // Bodies are read before rows are told apart: each row gets a sixth of them, and each of them a sixth of the rows.
        if ((row + index) % 6 === 0) expectRefusal(route, await send(route, body), what);
      }
    }
  });

  it('odd values and polluting keys are refused by every row that wants fields', async () => {
    for (const [row, route] of rows.entries()) {
      if (route.bodyOptional) continue;
      for (const [index, body] of ODD.entries()) {
        // The schemas are the same on both hosts: each of them gets a sixth, of which each row has two or three.
        if ((row + index) % 6 !== HOST_KINDS.indexOf(host)) continue;
        const answer = await send(route, body);
        // A row all of whose fields are optional has nothing to say against an empty object.
        if (answer.status >= 400) expectRefusal(route, answer, body.slice(0, 60));
        else expect(route.body?.safeParse(JSON.parse(body)).success, `${route.id} ${body.slice(0, 60)}`).toBe(true);
      }
    }
  });

  it('NUL, lone surrogates, long texts and numbers beyond all bounds are refused or kept, never a defect', async () => {
    let turn = 0;
    for (const route of half) {
      // Its brands would be found by what follows each test.
      if (route.id === 'createBrand') continue;
      for (const { place } of placesIn(route.body, exampleOf(route))) {
        for (const leaf of NASTY_LEAVES) {
          const body = withAt(nearExample(route), place, leaf);
          turn += 1;
          // What the schema refuses is sent by turns only; what it lets through always.
          if (route.body?.safeParse(body).success === false && turn % 30 !== 0) continue;
          const answer = await send(route, JSON.stringify(body));
          const what = `${route.id} ${place.join('.')} ${String(leaf).slice(0, 20)} ${answer.text}`;
          expect(isDefect(route, answer), what).toBe(false);
        }
      }
    }
    expect(turn).toBeGreaterThan(500);
    // Two ids that a storage would write alike must not become one creator.
    for (const externalId of ['\ud800', '\udfff', 'a\u0000', '\u0007']) {
      const body = { externalId, platform: 'instagram', handle: 'handle' };
      const { status } = await instance.api.call('POST', '/social-accounts', { body });
      expect(status, JSON.stringify(externalId)).toBe(400);
    }
  });

  it('of keys that come twice the last one counts, on every host', async () => {
    const raw = '{"externalId":"first","externalId":"last","platform":"instagram","handle":"twice"}';
    expect((await instance.api.call('POST', '/social-accounts', { raw })).json.data?.user?.externalId).toBe('last');
    const first = await instance.api.call('GET', '/campaigns?limit=1&limit=7');
    expect(first.json.pagination?.limit).toBe(1);
  });

  it('bodies in a coding are refused, not unpacked and not taken for what they are not', async () => {
    for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x']) {
      const headers = { 'content-encoding': coding };
      const raw = '{"externalId":"coded","platform":"instagram","handle":"coded"}';
      expect((await instance.api.call('POST', '/social-accounts', { raw, headers })).status, coding).toBe(415);
    }
    const plain = { raw: '{"name":"x"}', headers: { 'content-encoding': 'identity' } };
    expect((await instance.api.call('POST', '/admin/brands', plain)).status).toBe(400);
  });

  it('bodies beyond the limit of a row are refused while they come, in bounded memory', async () => {
    const small = rows.filter(({ maxBodyBytes = DEFAULT_LIMIT }) => maxBodyBytes === DEFAULT_LIMIT);
    expect(small.length).toBeGreaterThan(10);
    const highest = await highestMemory(async () => {
      for (const route of small.slice(0, 4)) {
        for (const announced of [true, false]) {
          const { status, sent } = await flood(instance.baseUrl, route, authorization, 64 * MIB, announced);
          expect([413, 'cut'], `${route.id} ${announced}`).toContain(status);
          expect(sent, route.id).toBeLessThan(32 * MIB);
        }
      }
    });
    expect(highest).toBeLessThan(160 * MIB);
  });

  it('a body that may be large for long texts may not be large in values: `{},` unfolds to twenty times its size', async () => {
    const large = rows.filter(({ maxBodyBytes = DEFAULT_LIMIT }) => maxBodyBytes >= 2 * MIB);
    expect(large.length).toBeGreaterThan(6);
    for (const [index, route] of large.filter((route) => half.includes(route)).entries()) {
      // Every unit once: one reader counts the values for all rows.
      for (const unit of index === 0 ? ['{},', '[', '{"":', '0,'] : ['{},']) {
        const { status } = await send(route, `{"proofs":[${unit.repeat((2 * MIB) / unit.length - 100)}`, true);
        expect(status, `${route.id} ${unit}`).toBe(413);
      }
    }
  });

  it('a client whose upload was refused gets to see it, and can continue', async () => {
    const upload = `${(128 * KIB).toString(16)}\r\n${' '.repeat(128 * KIB)}\r\n0\r\n\r\n`;
    const head = `host: a\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`;
    const text = `POST /admin/brands HTTP/1.1\r\n${head}\r\n\r\n${upload}GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n`;
    const { answer } = await exchangeBytes(instance.baseUrl, text, 'HTTP/1.1 200');
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 /);
  });

  it('bodies of callers without a token are not read', async () => {
    // The door is the same for all rows.
    for (const route of half.filter(({ access }) => access !== 'callback').slice(0, 5)) {
      const { status, sent } = await flood(instance.baseUrl, route, 'Bearer nobody', 64 * MIB, false);
      expect([401, 'cut'], route.id).toContain(status);
      expect(sent, route.id).toBeLessThan(32 * MIB);
    }
  });

  it.each([
    ['a header line without end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(200_000)}`],
    ['a flood of headers', `GET / HTTP/1.1\r\nhost: a\r\n${'a: b\r\n'.repeat(50_000)}\r\n`],
    ['a target without end', `GET /${'a'.repeat(200_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['two lengths', 'POST /admin/brands HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n'],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nhost: a\r\nx: a\nauthorization: b\r\n\r\n'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n'],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s ends the connection, not the host', async (_what, text) => {
    const { answer, endedBy } = await exchangeBytes(instance.baseUrl, text);
    // A client that still sends when the host closes may lose the answer; the close is the refusal then. Other codes of 4xx would
    // be those of a request that was read.
    expect(answer).toMatch(/^(?:HTTP\/1\.1 (?:400|413|414|431) |$)/);
    expect(endedBy, answer.slice(0, 100)).toBe('host');
  });
});

/** Sends a body for as long as anybody reads it; resolves with the status, or `cut` when the connection was. */
function flood(
  baseUrl: string,
  route: Route,
  authorization: string,
  total: number,
  announced: boolean,
): Promise<{ status: number | 'cut'; sent: number }> {
  const piece = Buffer.alloc(64 * KIB, ' ');
  const framing = announced ? `content-length: ${total}` : 'transfer-encoding: chunked';
  const head = `${route.method} ${pathOf(route)} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    let sent = 0;
    let status: number | 'cut' = 'cut';
    const more = (): void => {
      while (sent < total && !socket.destroyed) {
        sent += piece.length;
        const chunk = announced
          ? piece
          : Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
        if (!socket.write(chunk)) return;
      }
    };
    socket.write(head);
    socket.on('connect', more);
    socket.on('drain', more);
    socket.on('data', (data) => {
      status = Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? Number.NaN);
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ status, sent }));
  });
}

/** Sends bytes as they are, on a connection that only the host ends, and returns what comes back until then. */
function exchangeBytes(baseUrl: string, text: string, last?: string): Promise<{ answer: string; endedBy: string }> {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    let endedBy = 'host';
    const end = (by: string): void => {
      endedBy = by;
      socket.destroy();
    };
    socket.setTimeout(SILENCE_MS, () => end('silence'));
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (last !== undefined && answer.includes(last)) end('us');
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ answer, endedBy }));
    socket.write(Buffer.from(text, 'latin1'));
  });
}
