/** The limits of the specification, counted in Redis for several hosts together. In memory: `test/parity/areas/lookups.ts`. */
import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from '../../hosts/standalone/app.ts';
import { type ApiAnswer, type ApiClient, createApiClient } from '../support/client.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';

const closing: (() => Promise<void>)[] = [];
async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}
afterEach(closeAll);

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

/** What a host logs that does not hear of Redis in time. */
const COUNTED_ALONE = 'counts its limits on its own';

describeWithRedis('limits counted in Redis, by a Fastify and an Express host together', () => {
  /** Again with fresh hosts and counts if the machine was so busy that a host counted alone. */
  async function together(scene: (first: TestInstance, last: ApiClient) => Promise<void>): Promise<void> {
    for (let left = 5; ; left -= 1) {
      const logger = createRecordingLogger();
      const redis = await startRedis();
      closing.push(() => redis.close());
      const given = { config: { redisUrl: redis.url }, options: { logger } };
      const first = await instance(given);
      const { adminToken, world } = first;
      const last = await instance({ ...given, host: 'express', config: { ...given.config, adminToken }, world });
      try {
        return await scene(first, createApiClient(last.baseUrl, adminToken));
      } catch (error) {
        if (left === 1 || !logger.text().includes(COUNTED_ALONE)) throw error;
      }
      await closeAll();
    }
  }

  it('batch: 60 units a minute and address, a batch that needs more is refused whole', () =>
    together(async (first, last) => {
      const statuses: number[] = [];
      for (const [api, units] of [
        [first.api, 25],
        [last, 25],
        [first.api, 25],
        [last, 10],
        [first.api, 1],
      ] as const) {
        statuses.push((await batch(api, units)).status);
      }
      expect(statuses).toEqual([200, 200, 429, 200, 429]);
    }));
});

it('batches are counted for each caller where addresses are not known', async () => {
  const { credence, adminToken } = await instance();
  const { token } = await credence.tokens.create({ name: 'Shop', role: 'client' });
  const send = async (of: string, units: number) => {
    const body = JSON.stringify({ urls: Array(units).fill('https://example.com/') });
    const headers = { authorization: `Bearer ${of}`, 'content-type': 'application/json' };
    return (await credence.fetch(new Request('http://host/v1/stats/batch', { method: 'POST', body, headers }))).status;
  };
  expect([await send(token, 25), await send(token, 25), await send(token, 25)]).toEqual([200, 200, 429]);
  expect(await send(adminToken, 25)).toBe(200);
});

describe('whose address is counted', () => {
  /** The standalone application with these proxies, all of them reached from 127.0.0.1. */
  async function behind(...trustProxy: string[]): Promise<ApiClient> {
    const { credence, adminToken: token } = await instance();
    const app = await createApp(credence, { trustProxy });
    closing.push(() => app.close());
    return createApiClient(await app.listen({ port: 0, host: '127.0.0.1' }), token);
  }

  const left = async (api: ApiClient, forwardedFor: string) =>
    (await batch(api, 20, { 'x-forwarded-for': forwardedFor })).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1];

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
