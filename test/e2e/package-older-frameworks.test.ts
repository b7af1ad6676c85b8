/** The packed package in backends on Express 4 and Fastify 4. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it, vi } from 'vitest';
import { createApiClient } from '../support/client.ts';
import { ONE_CHECKER } from '../support/compile-cache.ts';
import { type Consumer, createBareConsumer } from '../support/consumer.ts';
import { sendRaw } from '../support/wire.ts';

const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const TOKEN = 'an-admin-token-of-the-tests';

/** Both trust a proxy on loopback and have an error handler of their own. */
const BACKENDS = {
  'express 4': [
    "import { createServer } from 'node:http';",
    "import { createCredence } from 'credence';",
    "import { credenceExpress } from 'credence/express';",
    "import express from 'express';",
    "import { config } from './config.ts';",
    'const credence = createCredence(config);',
    'await credence.start();',
    'const app = express();',
    "app.set('trust proxy', 'loopback');",
    "app.use('/engagement', credenceExpress(credence));",
    "app.get('/', (_request, response) => { response.json({ hello: 'my own route' }); });",
    'const server = createServer(app).listen(0, () => console.log(`listening on http://localhost:${server.address().port}`));',
    "process.once('SIGTERM', () => server.close(() => credence.stop()));",
  ],
  'fastify 4': [
    "import { createCredence } from 'credence';",
    "import { credenceFastify } from 'credence/fastify';",
    "import { fastify } from 'fastify';",
    "import { config } from './config.ts';",
    'const credence = createCredence(config);',
    'await credence.start();',
    "const app = fastify({ trustProxy: '127.0.0.1,::1' });",
    "await app.register(credenceFastify(credence), { prefix: '/engagement' });",
    "app.get('/', async () => ({ hello: 'my own route' }));",
    "app.addHook('onClose', () => credence.stop());",
    'console.log(`listening on ${(await app.listen({ port: 0 })).replace("[::1]", "localhost")}`);',
    "process.once('SIGTERM', () => app.close());",
  ],
} as const;

let consumer: Consumer;
beforeAll(async () => {
  const packages = ['credence', 'better-sqlite3', 'express@express4', 'fastify@fastify4', '@types/node'];
  consumer = await createBareConsumer(packages);
  await consumer.write('config.ts', [
    "import type { CredenceConfig } from 'credence';",
    `export const config: CredenceConfig = { storage: 'sqlite::memory:', adminToken: '${TOKEN}',`,
    "  secrets: { key: new Uint8Array(32) }, platforms: { tiktok: { baseUrl: 'http://127.0.0.1:9' } } };",
  ]);
  for (const [name, lines] of Object.entries(BACKENDS)) await consumer.write(fileOf(name), lines);
  await consumer.write('both.js', "await import('./fastify-4.ts');\nawait import('./express-4.ts');\n");
});

const fileOf = (name: string) => `${name.replace(' ', '-')}.ts`;

// Both in one process, most of whose start is loading the modules.
it('serves Credence below a prefix on each, with the port in its links and nothing on stderr', async () => {
  const child = consumer.start('both.js');
  await child.ready();
  const urls = await vi.waitFor(() => {
    const found = [...child.stdout().matchAll(/^listening on (\S+)$/gm)].map(([, url = '']) => url);
    expect(found).toHaveLength(2);
    return found;
  }, 30_000);
  for (const url of urls) {
    const api = createApiClient(`${url}/engagement`, TOKEN);
    expect((await createApiClient(url, '').call('GET', '/')).json).toEqual({ hello: 'my own route' });
    expect((await api.call('GET', '/admin/brands', { token: null })).status).toBe(401);
    expect((await api.call('POST', '/admin/brands', { body: { name: 'Acme', slug: 'acme' } })).status).toBe(201);
    expect((await api.call('POST', '/admin/brands', { raw: '{' })).json.error?.code).toBe('INVALID_REQUEST');
    expect((await createApiClient(url, '').call('OPTIONS', '/engagement/admin/brands')).status).not.toBe(500);
    const body = { platform: 'tiktok', externalId: 'e-1' };
    const { data } = (await api.call('POST', '/social-accounts/connect', { body })).json;
    expect(data?.redirectUrl).toBe(`${url}/engagement/connect/${data?.requestId}`);
    const proxied = await sendRaw(url, {
      method: 'POST',
      path: '/engagement/social-accounts/connect',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'api.example.com:8443',
      },
      body: JSON.stringify(body),
    });
    expect(JSON.parse(proxied.text).data.redirectUrl).toMatch(/^https:\/\/api\.example\.com:8443/);
  }
  expect(await child.stop()).toBe(0);
  expect(child.stderr()).toBe('');
});

it('has types that fit Fastify 4, and that need no optional package', async () => {
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    types: ['node'],
  };
  const compilerOptions = { ...options, noEmit: true, allowImportingTsExtensions: true };
  await consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['fastify-4.ts'] }));
  const checked = await promisify(execFile)(TSC, ['-p', consumer.folder, ...ONE_CHECKER]).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe('');
});
