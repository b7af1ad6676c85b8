/** The settings `REDIS_URL` and `TRUST_PROXY` of the standalone host, in processes of their own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';

// Each start of a process loads everything again.
vi.setConfig({ testTimeout: 60_000 });

const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0001';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(env: Readonly<Record<string, string>>): Promise<ChildHost> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-host-'));
  const child = startChild({ cwd: directory, env: { PORT: '0', ADMIN_TOKEN, SERVICES: 'engagement', ...env } });
  closing.push(
    () => rm(directory, { recursive: true, force: true }),
    () => child.stop('SIGTERM'),
  );
  return child;
}

async function batch(child: ChildHost, units: number, forwardedFor: string): Promise<number> {
  const urls = Array.from({ length: units }, (_, index) => `https://example.com/${index}`);
  const headers = { 'x-forwarded-for': forwardedFor };
  const api = createApiClient(await child.ready(), ADMIN_TOKEN);
  return (await api.call('POST', '/v1/stats/batch', { body: { urls }, headers })).status;
}

describeWithRedis('several standalone hosts', () => {
  it('count one client together, by the address that their proxy tells', async () => {
    const redis = await startRedis();
    closing.push(() => redis.close());
    const env = { REDIS_URL: redis.url, TRUST_PROXY: '127.0.0.1/32' };
    const [first, second] = await Promise.all([start(env), start(env)]);
    expect(await batch(first, 25, '203.0.113.1')).toBe(200);
    expect(await batch(second, 25, '203.0.113.1')).toBe(200);
    expect(await batch(first, 11, '203.0.113.1')).toBe(429);
    expect(await batch(second, 11, '203.0.113.1')).toBe(429);
    expect(await batch(second, 25, '203.0.113.2')).toBe(200);
    expect(await Promise.all([first.stop('SIGTERM'), second.stop('SIGTERM')])).toEqual([0, 0]);
  });

  it('serve without Redis, say so, and keep its password to themselves', async () => {
    const child = await start({ REDIS_URL: 'redis://user:very-secret@127.0.0.1:1' });
    expect(await batch(child, 25, '203.0.113.1')).toBe(200);
    expect(await batch(child, 25, '203.0.113.1')).toBe(200);
    expect(await batch(child, 25, '203.0.113.1')).toBe(429);
    expect(await child.stop('SIGTERM')).toBe(0);
    expect(child.stderr()).toContain('Redis cannot be asked');
    expect(child.stdout() + child.stderr()).not.toContain('very-secret');
  });
});
