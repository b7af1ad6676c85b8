import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { credenceFetch } from '../../../plugins/fetch/index.ts';
import { createByteCounter } from '../../../plugins/http/byte-counter.ts';
import { createRouteMatcher } from '../../../plugins/http/match-route.ts';
import { defineRoute, type Route } from '../../../plugins/http/route.ts';
import { testDispatcher } from '../http/requests.ts';

function row(method: Route['method'], path: string, more: Partial<Route> = {}): Route {
  const spec = {
    id: `${method} ${path}`,
    method,
    path,
    tag: 'T',
    summary: 'S',
    access: 'public',
    responses: {},
  } as const;
  return {
    ...defineRoute({ ...spec, handle: async () => ({ status: 200, body: { row: spec.id } }) }),
    ...more,
  } as Route;
}

describe('the matcher of routes', () => {
  const match = createRouteMatcher([
    row('GET', '/things/{id}'),
    row('GET', '/things/newest'),
    row('GET', '/{kind}/newest'),
    row('DELETE', '/things/{id}'),
    row('GET', '/things/{id}/parts/{part}'),
    row('GET', '/a/{b}/{c}'),
    row('GET', '/a/{b}/c'),
    row('GET', '/a/b/{c}'),
  ]);

  it.each([
    ['GET', '/things/newest', 'GET /things/newest', {}],
    ['GET', '/others/newest', 'GET /{kind}/newest', { kind: 'others' }],
    ['GET', '/a/b/c', 'GET /a/b/{c}', { c: 'c' }],
    ['GET', '/a/x/c', 'GET /a/{b}/c', { b: 'x' }],
    ['GET', '/a/x/y', 'GET /a/{b}/{c}', { b: 'x', c: 'y' }],
    ['GET', '/things/7', 'GET /things/{id}', { id: '7' }],
    ['HEAD', '/things/7', 'GET /things/{id}', { id: '7' }],
    ['DELETE', '/things/a%2Fb', 'DELETE /things/{id}', { id: 'a/b' }],
    ['GET', '/things/1/parts/%C3%A9', 'GET /things/{id}/parts/{part}', { id: '1', part: 'é' }],
    ['GET', '/things/', 'GET /things/{id}', { id: '' }],
  ])('finds the row of %s %s', (method, path, id, params) => {
    expect(match(method, path)).toMatchObject({ route: { id }, params });
  });

  it.each([
    ['POST', '/things/7'],
    ['GET', '/things'],
    ['GET', '/Things/7'],
    ['GET', '/things/7/'],
    ['GET', 'things/7'],
    ['GET', ''],
  ])('finds none for %s %s', (method, path) => expect(match(method, path)).toBeNull());

  it('refuses a path that is not valid percent-encoding', () => {
    const refusal = expect.objectContaining({ code: 'INVALID_REQUEST' });
    expect(() => match('GET', '/things/%zz')).toThrow(refusal);
  });
});

describe('the fetch handler', () => {
  const seen: { ip: string; baseUrl: string; body: unknown; query: unknown }[] = [];
  const routes = [
    row('GET', '/ping'),
    row('POST', '/echo', {
      query: z.record(z.string(), z.string()),
      body: z.unknown(),
      handle: async ({ ip, baseUrl, body, query }) => {
        seen.push({ ip, baseUrl, body, query });
        return { status: 201, body };
      },
    }),
  ];
  const credence = { routes, dispatcher: testDispatcher() };
  const handle = credenceFetch(credence, {
    basePath: '/api/credence',
    ipOf: (request) => request.headers.get('ip') ?? '',
  });
  const get = (path: string, init?: RequestInit) =>
    handle(new Request(`https://example.com${path}`, { ...init, headers: { host: 'example.com', ...init?.headers } }));

  it('serves rows below its base path only', async () => {
    expect(await (await get('/api/credence/ping')).json()).toEqual({ row: 'GET /ping' });
    for (const path of ['/ping', '/api/credence', '/api/credenceping', '/api/credence/nothing']) {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
  });

  it('names the allowed methods of a known path', async () => {
    const answer = await get('/api/credence/ping', { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('passes on body, address and public URL', async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ip: '192.0.2.9' },
      body: '{"a":[1]}',
    };
    const answer = await get('/api/credence/echo?x=1', init);
    expect([answer.status, await answer.json()]).toEqual([201, { a: [1] }]);
    expect(seen.at(-1)).toEqual({
      ip: '192.0.2.9',
      baseUrl: 'https://example.com/api/credence',
      body: { a: [1] },
      query: { x: '1' },
    });
  });

  it('answers HEAD without a body, with the length of it', async () => {
    const answer = await get('/api/credence/ping', { method: 'HEAD' });
    expect([answer.status, await answer.text(), answer.headers.get('content-length')]).toEqual([200, '', '19']);
  });

  it('refuses a body over the limit without reading all of it, and two hosts', async () => {
    let read = 0;
    const endless = new ReadableStream({
      pull(controller) {
        read += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: endless, duplex: 'half' };
    expect((await get('/api/credence/echo', init as RequestInit)).status).toBe(413);
    expect(read).toBeLessThan(100);
    expect((await get('/api/credence/ping', { headers: { host: 'a, b' } })).status).toBe(400);
  });

  it.each(['1.2.3.4.5', '256.1.1.1', '[::1', 'a:99999'])(
    'answers a request whose URL has the host %s',
    async (host) => {
      // Hono makes such requests from a Host header.
      const withUrl = (path: string) =>
        handle(
          Object.create(new Request('https://example.com/'), {
            url: { value: `http://${host}${path}` },
            method: { value: 'GET' },
            headers: { value: new Headers({ host }) },
          }) as Request,
        );
      const answer = await withUrl('/api/credence/ping?x=1');
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: { code: 'INVALID_REQUEST', message: expect.stringContaining('Host') },
      });
      const inEnvelope = await withUrl('/api/credence/api/v2.0/verify');
      expect(await inEnvelope.json()).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST' } });
    },
  );

  it('answers a request whose body is read already', async () => {
    const request = new Request('https://example.com/api/credence/ping', { method: 'POST', body: 'x' });
    request.body?.getReader();
    expect((await handle(request)).status).toBe(500);
  });

  it('hands on the query without its question mark, at the root path too', async () => {
    const queries: unknown[] = [];
    const ips: string[] = [];
    const route = row('GET', '/search', {
      query: z.unknown(),
      handle: async ({ query, ip }) => {
        queries.push(query);
        ips.push(ip);
        return { status: 200 };
      },
    });
    const atRoot = credenceFetch({ routes: [route], dispatcher: testDispatcher() });
    const answer = await atRoot(
      new Request('https://example.com/search?a=1&b=2', { headers: { host: 'example.com' } }),
    );
    expect([answer.status, answer.body, answer.headers.get('content-length')]).toEqual([200, null, '0']);
    expect(queries).toEqual([{ a: '1', b: '2' }]);
    expect((await atRoot(new Request('https://example.com/search'))).status).toBe(200);
    expect(ips).toEqual(['', '']);
    const below = credenceFetch({ routes: [route], dispatcher: testDispatcher() }, { basePath: '/api/' });
    expect((await below(new Request('https://example.com/api/search'))).status).toBe(200);
  });
});

it.each(['engagement', 'https://example.com/api', '/api?x', 5])('refuses the base path %j by name', (basePath) => {
  const options = { basePath: basePath as string };
  expect(() => credenceFetch({ routes: [], dispatcher: testDispatcher() }, options)).toThrow(
    `basePath must be a path that begins with a slash, such as '/engagement', not ${JSON.stringify(basePath)}.`,
  );
});

it.each(['', '/'])('serves the root for the base path %j', async (basePath) => {
  const route = row('GET', '/ping', { handle: async () => ({ status: 200 }) });
  const handle = credenceFetch({ routes: [route], dispatcher: testDispatcher() }, { basePath });
  expect((await handle(new Request('https://example.com/ping'))).status).toBe(200);
});

describe('a large answer', () => {
  const body = 'ż'.repeat(100_000);
  const route = row('POST', '/large', { body: z.unknown(), handle: async () => ({ status: 200, body }) });
  const post = (answerMs: number) => {
    const budget = createByteCounter({ freeBytes: 0, callerBytes: 1_000_000, totalBytes: 1_000_000 });
    const dispatcher = testDispatcher({ byteCounter: budget, answerMs: () => answerMs });
    // The rows of a token: others have a budget of their own.
    const handle = credenceFetch({ routes: [{ ...route, access: 'admin' }], dispatcher });
    const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' };
    const request = new Request('https://example.com/large', {
      method: 'POST',
      headers,
      body: '{}',
    });
    const isFree = () => {
      try {
        const share = budget.open('token:1');
        share.take(1_000_000);
        share.release();
        return true;
      } catch {
        return false;
      }
    };
    return { answer: handle(request), isFree };
  };

  it('is held until it is read, and arrives whole', async () => {
    const { answer, isFree } = post(60_000);
    const response = await answer;
    expect([response.status, response.headers.get('content-length'), isFree()]).toEqual([200, '200002', false]);
    expect(await response.json()).toBe(body);
    expect(isFree()).toBe(true);
  });

  it('is let go when its client goes away', async () => {
    const { answer, isFree } = post(60_000);
    const reader = (await answer).body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(64 * 1024);
    expect(isFree()).toBe(false);
    await reader?.cancel();
    expect(isFree()).toBe(true);
  });

  it('leaves no timer behind, read or not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const timers = vi.getTimerCount();
      await (await post(60_000).answer).text();
      await (await post(60_000).answer).body?.cancel();
      expect(vi.getTimerCount()).toBe(timers);
    } finally {
      vi.useRealTimers();
    }
  });

  it('fails when its client takes too long', async () => {
    const { answer, isFree } = post(20);
    const reader = (await answer).body?.getReader();
    await expect.poll(isFree).toBe(true);
    await expect(reader?.read()).rejects.toThrow('did not take the answer in time');
  });
});
