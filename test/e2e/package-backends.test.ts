/** Backends as teams write them, with the packed package: their own users, log and documents; Credence's API and events in process. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { ChildHost } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { ONE_CHECKER } from '../support/compile-cache.ts';
import { type Consumer, createConsumer } from '../support/consumer.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const SOURCES = fileURLToPath(new URL('../consumers/backends', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

let consumer: Consumer;
let simulator: PlatformSimulator;
let targetUrl: string;

beforeAll(async () => {
  consumer = await createConsumer();
  await cp(SOURCES, consumer.folder, { recursive: true });
  simulator = await createPlatformSimulator();
  const placed = [{ handle: 'ada.runs', text: 'Count me in', index: 3 }];
  const post = simulator.world.addPost({ platform: 'tiktok', owner: 'acme', comments: 20, placed });
  targetUrl = `https://www.tiktok.com/@acme/video/${post.contentId}`;
  const compiled = await promisify(execFile)(TSC, ['-p', consumer.folder, ...ONE_CHECKER]).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
});
afterAll(() => simulator.close());

const as = (name: string) => ({ token: null, headers: { cookie: `session=session-of-${name}` } });

// Two in a process, most of whose start is loading the modules.
describe.each([
  ['fastify', 'express'],
  ['nest-express', 'nest-fastify'],
])('the backends %s and %s', (...names) => {
  let child: ChildHost;
  let urls: readonly string[];
  beforeAll(async () => {
    await consumer.write('in-one-process.js', [
      'for (const name of process.argv.slice(2)) await import(`./${name}.js`);',
    ]);
    child = consumer.start('in-one-process.js', { args: names, env: { TIKTOK_BASE_URL: simulator.tiktokBaseUrl } });
    await child.ready();
    urls = await vi.waitFor(() => {
      const found = [...child.stdout().matchAll(/^listening on (\S+)$/gm)].map(([, url = '']) => url);
      expect(found).toHaveLength(names.length);
      return found;
    }, 30_000);
  });

  describe.each(names.map((name, index) => ({ name, index })))('$name', ({ name, index }) => {
    let api: ReturnType<typeof createApiClient>;
    beforeAll(() => {
      api = createApiClient(urls[index] ?? '', '');
    });

    it('lets its own authentication decide who calls Credence', async () => {
      const anonymous = await api.call('GET', '/engagement/admin/brands', { token: null });
      expect([anonymous.status, anonymous.json]).toEqual([401, { team: 'sign in first' }]);
      expect((await api.call('GET', '/engagement/admin/brands', as('ada'))).json.error?.code).toBe('FORBIDDEN');
      expect((await api.call('GET', '/engagement/admin/brands', as('olga'))).json).toEqual({ data: [] });
      const document = await api.call('GET', '/engagement/openapi.json', as('olga'));
      expect(document.json).toMatchObject({ openapi: '3.1.0' });
    });

    it('runs a campaign in process and credits the reward on its event', async () => {
      const launched = await api.call('POST', '/launch', { ...as('olga'), body: { targetUrl } });
      expect(launched.status, launched.text).toBe(200);
      await vi.waitFor(async () => expect((await api.call('GET', '/points', as('ada'))).json).toEqual({ points: 50 }), {
        timeout: 30_000,
        interval: 50,
      });
      const { campaignId } = launched.json as unknown as { campaignId: number };
      const seen = await api.call('GET', `/engagement/admin/campaigns/${campaignId}/summary`, as('olga'));
      expect(seen.json.data).toMatchObject({ totalRewarded: 1 });
    });

    if (name === 'fastify') {
      it("keeps Credence's routes out of the document of its own routes", async () => {
        const { paths } = (await api.call('GET', '/openapi.json', { token: null })).json as unknown as {
          paths: object;
        };
        expect(Object.keys(paths).sort()).toEqual(['/launch', '/openapi.json', '/points']);
      });

      it('has one line in its own log for each request, refused ones too', () => {
        const lines = child
          .stdout()
          .split('\n')
          .filter((line) => line.startsWith('{'));
        const logged = lines.map((line) => JSON.parse(line) as { req?: { url: string }; route?: string });
        const ofBrands = logged.filter(
          ({ req, route }) => req?.url === '/engagement/admin/brands' || route === 'listBrands',
        );
        expect(ofBrands.map(({ route = 'its own' }) => route)).toEqual(['its own', 'listBrands', 'listBrands']);
      });
    }
  });

  it('stop when they are told to, and have warned of nothing', async () => {
    expect(await child.stop()).toBe(names.includes('express') ? 0 : 'SIGTERM');
    expect(child.stderr()).toBe('');
  });
});
