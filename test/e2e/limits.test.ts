/** The limits of the specification over the wire: counted in memory, and in Redis for several hosts together. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../hosts/standalone/app.ts';
import { type ApiAnswer, type ApiClient, createApiClient } from '../support/client.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Closed after the test. */
async function instance(options: Parameters<typeof startInstance>[0] = {}): Promise<TestInstance> {
  const started = await startInstance(options);
  closing.push(() => started.close());
  return started;
}

/** URLs that need no platform: each uses a unit and is answered with VALIDATION_ERROR. */
function batch(api: ApiClient, units: number, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  const urls = Array.from({ length: units }, (_, index) => `https://example.com/${index}`);
  return api.call('POST', '/v1/stats/batch', { body: { urls }, headers });
}

function thumbnail(api: ApiClient, url: string, token?: string): Promise<ApiAnswer> {
  const path = `/admin/posts/thumbnail?url=${encodeURIComponent(url)}`;
  return api.call('GET', path, token === undefined ? {} : { token });
}

it('connection requests: a creator has ten open and starts twenty in ten minutes, no matter who starts them', async () => {
  const { api } = await instance();
  const made = await api.call('POST', '/admin/tokens', {
    body: { name: 'creator', role: 'creator', externalId: 'keen' },
  });
  const token = String(made.json.data?.token);
  const connect = (body: object = {}, as: { token?: string } = { token }) =>
    api.call('POST', '/social-accounts/connect', { body: { platform: 'tiktok', ...body }, ...as });
  const answers = await Promise.all(Array.from({ length: 24 }, () => connect()));
  expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(10);
  for (const { status, json, headers } of answers.filter(({ status: each }) => each !== 201)) {
    expect([status, json.error?.code]).toEqual([429, 'SCRAPING_RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await connect({ externalId: 'keen' }, {})).status).toBe(429);
  expect((await connect({ externalId: 'another' }, {})).status).toBe(201);
});

/** Several hosts that count together; one host counts for itself. */
function limitTests(hosts: () => Promise<readonly [TestInstance, ...TestInstance[]]>): void {
  it('batch: 60 units a minute and address, a batch that needs more is refused whole', async () => {
    const [first, ...others] = await hosts();
    const last = others.at(-1) ?? first;
    const statuses: number[] = [];
    for (const [host, units] of [
      [first, 25],
      [last, 25],
      [first, 25],
      [last, 10],
      [first, 1],
    ] as const) {
      statuses.push((await batch(host.api, units)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 429]);
  });

  it('batch: says in the header fields what is left and when to come back', async () => {
    const [host] = await hosts();
    const { status, headers } = await batch(host.api, 20);
    expect(status).toBe(200);
    expect(headers.get('ratelimit-policy')).toBe('"batch-urls";q=60;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"batch-urls";r=40;t=(?:[1-9]|[1-5]\d|60)$/);
    expect(headers.get('retry-after')).toBeNull();
    await batch(host.api, 25);
    const refused = await batch(host.api, 25);
    expect(refused.json).toMatchObject({ error: { code: 'SCRAPING_RATE_LIMITED', details: { limit: 'batch-urls' } } });
    expect(refused.headers.get('ratelimit')).toMatch(/^"batch-urls";r=15;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('batch: a caller who shares the address shares the limit', async () => {
    const [host] = await hosts();
    const token = await clientToken(host);
    await batch(host.api, 25);
    await batch(host.api, 25);
    expect((await batch(createApiClient(host.baseUrl, token), 11)).status).toBe(429);
  });

  it('thumbnail: 10 a post in 5 minutes, whatever address names it; other posts continue', async () => {
    const [first, ...others] = await hosts();
    const last = others.at(-1) ?? first;
    const { contentId } = first.world.addPost({ platform: 'instagram', owner: 'maker.one' });
    const { contentId: other } = first.world.addPost({ platform: 'instagram', owner: 'maker.one' });
    const addresses = [`https://www.instagram.com/p/${contentId}/`, `https://instagram.com/reel/${contentId}?igsh=1`];
    const answers: ApiAnswer[] = [];
    for (let index = 0; index < 11; index += 1) {
      answers.push(await thumbnail(index % 2 === 0 ? first.api : last.api, addresses[index % 2] as string));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429]);
    const refused = answers[10] as ApiAnswer;
    expect(refused.headers.get('ratelimit-policy')).toContain('"thumbnail-post";q=10;w=300');
    expect(refused.headers.get('ratelimit')).toMatch(/"thumbnail-post";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(300);
    expect((await thumbnail(first.api, `https://www.instagram.com/p/${other}/`)).status).toBe(200);
  });

  it('thumbnail: 100 a caller and minute, and another caller continues', async () => {
    const [first, ...others] = await hosts();
    const last = others.at(-1) ?? first;
    const post = (index: number) => `https://www.instagram.com/p/limit${String(index).padStart(6, '0')}/`;
    const answers = await Promise.all(
      Array.from({ length: 101 }, (_, index) => thumbnail(index % 2 === 0 ? first.api : last.api, post(index))),
    );
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(100);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.json).toMatchObject({ error: { details: { limit: 'thumbnail-caller' } } });
    expect((await thumbnail(first.api, post(200), await adminToken(first))).status).toBe(404);
  });
}

async function clientToken(host: TestInstance): Promise<string> {
  return await makeToken(host, 'client');
}

async function adminToken(host: TestInstance): Promise<string> {
  return await makeToken(host, 'admin');
}

async function makeToken(host: TestInstance, role: string): Promise<string> {
  const { status, json } = await host.api.call('POST', '/admin/tokens', { body: { name: 'of a test', role } });
  expect(status).toBe(201);
  return json.data?.token as unknown as string;
}

describe('limits counted in memory', () => {
  limitTests(async () => [await instance()]);
});

describeWithRedis('limits counted in Redis, by a Fastify and an Express host together', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    await redis.stop();
    await redis.start();
  });
  afterAll(() => redis.close());

  limitTests(async () => {
    const first = await instance({ config: { redisUrl: redis.url } });
    const config = { redisUrl: redis.url, adminToken: first.adminToken };
    const second = await instance({ host: 'express', config, world: first.world });
    return [first, { ...second, api: createApiClient(second.baseUrl, first.adminToken) }];
  });
});

describe('whose address is counted', () => {
  /** The standalone application with these proxies, all of them reached from 127.0.0.1. */
  async function behind(...trustProxy: string[]): Promise<ApiClient> {
    const { credence, adminToken: token } = await instance();
    const app = await createApp(credence, trustProxy.length === 0 ? {} : { trustProxy });
    closing.push(() => app.close());
    return createApiClient(await app.listen({ port: 0, host: '127.0.0.1' }), token);
  }

  const left = async (api: ApiClient, forwardedFor: string) =>
    (await batch(api, 20, { 'x-forwarded-for': forwardedFor })).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1];

  it('believes nobody about another address unless told to', async () => {
    const api = await behind();
    expect([await left(api, '203.0.113.1'), await left(api, '203.0.113.2')]).toEqual(['40', '20']);
  });

  it('does not either on Express', async () => {
    const { api } = await instance({ host: 'express' });
    expect([await left(api, '203.0.113.1'), await left(api, '203.0.113.2')]).toEqual(['40', '20']);
  });

  it('believes the configured proxies', async () => {
    const api = await behind('127.0.0.1');
    expect([await left(api, '203.0.113.1'), await left(api, '203.0.113.2')]).toEqual(['40', '40']);
    expect(await left(api, '203.0.113.1')).toBe('20');
  });

  it('believes no proxy that is not configured', async () => {
    const api = await behind('10.0.0.0/8');
    expect([await left(api, '203.0.113.1'), await left(api, '203.0.113.2')]).toEqual(['40', '20']);
  });

  it('takes the nearest address that no trusted proxy has: what a client puts in front is not looked at', async () => {
    const api = await behind('127.0.0.1', '10.0.0.0/8');
    expect(await left(api, '198.51.100.7, 203.0.113.9, 10.1.2.3')).toBe('40');
    expect(await left(api, '198.51.100.8, 203.0.113.9, 10.1.2.4')).toBe('20');
    expect(await left(api, 'not an address, 203.0.113.9')).toBe('0');
  });
});
