/** The settings `REDIS_URL` and `TRUST_PROXY` of the standalone host: one in a process of its own, others in this one. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createApp } from '../../hosts/standalone/app.ts';
import { readEnvironment } from '../../hosts/standalone/environment.ts';
import { hostConfig } from '../../hosts/standalone/host-config.ts';
import { createLogger } from '../../hosts/standalone/logger.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { bundled } from '../support/bundled-host.ts';
import { startChild } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';

// Each start of a process loads everything again.
vi.setConfig({ testTimeout: 60_000 });

const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0001';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Host {
  readonly url: string;
  stop(): Promise<unknown>;
}

const settings = (directory: string, env: Readonly<Record<string, string>>) => ({
  PORT: '0',
  DATA_DIR: join(directory, 'data'),
  ADMIN_TOKEN,
  SERVICES: 'engagement',
  ...env,
});

async function startProcess(env: Readonly<Record<string, string>>): Promise<Host> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-host-'));
  const script = await bundled('hosts/standalone/main.ts');
  const child = startChild({ script, cwd: directory, env: settings(directory, env) });
  closing.push(
    () => rm(directory, { recursive: true, force: true }),
    () => child.stop('SIGTERM'),
  );
  return { url: await child.ready(), stop: () => child.stop('SIGTERM') };
}

/** Starts a host as `hosts/standalone/main.ts` does; what it logs goes to `log`. */
async function startHere(env: Readonly<Record<string, string>>): Promise<Host & { readonly log: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-host-'));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  const environment = readEnvironment(settings(directory, env));
  const log = join(directory, 'log');
  const credence = createCredence((await hostConfig(environment)).config, {
    logger: createLogger(environment.LOG_LEVEL, log),
  });
  const app = await createApp(credence, { trustProxy: environment.TRUST_PROXY });
  closing.push(
    () => credence.stop(),
    () => app.close(),
  );
  await credence.start();
  const url = await app.listen({ port: environment.PORT, host: environment.HOST });
  return { url, log, stop: () => app.close().then(() => credence.stop()) };
}

async function batch({ url }: Host, units: number, forwardedFor: string): Promise<number> {
  const urls = Array.from({ length: units }, (_, index) => `https://example.com/${index}`);
  const headers = { 'x-forwarded-for': forwardedFor };
  return (await createApiClient(url, ADMIN_TOKEN).call('POST', '/v1/stats/batch', { body: { urls }, headers })).status;
}

describeWithRedis('several standalone hosts', () => {
  it('count one client together, by the address that their proxy tells', async () => {
    const redis = await startRedis();
    closing.push(() => redis.close());
    const env = { REDIS_URL: redis.url, TRUST_PROXY: '127.0.0.1/32' };
    const [first, second] = await Promise.all([startProcess(env), startHere(env)]);
    expect(await batch(first, 25, '203.0.113.1')).toBe(200);
    expect(await batch(second, 25, '203.0.113.1')).toBe(200);
    expect(await batch(first, 11, '203.0.113.1')).toBe(429);
    expect(await batch(second, 11, '203.0.113.1')).toBe(429);
    expect(await batch(second, 25, '203.0.113.2')).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  it('serve without Redis, say so, and keep its password to themselves', async () => {
    const host = await startHere({ REDIS_URL: 'redis://user:very-secret@127.0.0.1:1' });
    expect(await batch(host, 25, '203.0.113.1')).toBe(200);
    expect(await batch(host, 25, '203.0.113.1')).toBe(200);
    expect(await batch(host, 25, '203.0.113.1')).toBe(429);
    await host.stop();
    await vi.waitFor(async () => expect(await readFile(host.log, 'utf8')).toContain('Redis cannot be asked'), 10_000);
    expect(await readFile(host.log, 'utf8')).not.toContain('very-secret');
  });
});
