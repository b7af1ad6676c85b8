import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { credenceFetch } from '../../../plugins/fetch/index.ts';
import { createRouteMatcher } from '../../../plugins/http/match-route.ts';
import { defineRoute, type Route } from '../../../plugins/http/route.ts';
import { testDispatcher } from '../http/requests.ts';

function row(method: Route['method'], path: string, more: Partial<Route> = {}): Route {
  const endpoint = `${method} ${path}` as const;
  const spec = { tag: 'T', summary: 'S', access: 'public', responses: {} } as const;
  return {
    ...defineRoute(endpoint, endpoint, { ...spec, handle: async () => ({ status: 200, body: { row: endpoint } }) }),
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
  const ipOf = ({ headers }: Request) => headers.get('ip') ?? '';
  const handle = credenceFetch(credence, { basePath: '/api/credence', ipOf });
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
    const headers = { 'content-type': 'application/json', ip: '192.0.2.9' };
    const init = { method: 'POST', headers, body: '{"a":[1]}' };
    const answer = await get('/api/credence/echo?x=1', init);
    expect([answer.status, await answer.json()]).toEqual([201, { a: [1] }]);
    const given = { body: { a: [1] }, query: { x: '1' } };
    expect(seen.at(-1)).toEqual({ ip: '192.0.2.9', baseUrl: 'https://example.com/api/credence', ...given });
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
      const error = { code: 'INVALID_REQUEST', message: expect.stringContaining('Host') };
      expect(await answer.json()).toMatchObject({ error });
      const inEnvelope = await withUrl('/api/credence/api/v2.0/verify');
      expect(await inEnvelope.json()).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST' } });
    },
  );

  it('answers a request whose body is read already', async () => {
    const request = new Request('https://example.com/api/credence/echo', { method: 'POST', body: 'x' });
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

it('holds a large answer until it is read, or its client goes away', async () => {
  const body = 'ż'.repeat(100_000);
  const released = vi.fn();
  const answer = { status: 200, headers: {}, body, release: released };
  const dispatcher = { ...testDispatcher(), dispatch: async () => answer };
  const handle = credenceFetch({ routes: [row('GET', '/large')], dispatcher });
  const ask = () => handle(new Request('https://example.com/large'));
  const read = await ask();
  expect([read.headers.get('content-length'), released.mock.calls.length]).toEqual(['200000', 0]);
  expect(await read.text()).toBe(body);
  expect(released).toHaveBeenCalledTimes(1);
  const reader = (await ask()).body?.getReader();
  expect((await reader?.read())?.value).toHaveLength(64 * 1024);
  expect(released).toHaveBeenCalledTimes(1);
  await reader?.cancel();
  expect(released).toHaveBeenCalledTimes(2);
});
