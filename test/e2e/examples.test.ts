/** The gallery (`hosts/examples`), as `credence init --template` of the packed command line writes it, with the packed packages. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventBody } from '../../core/engagement/webhooks/event-body.ts';
import { createWebhookSecret } from '../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { type Consumer, createConsumer } from '../support/consumer.ts';
import { sampleEvent, signedHeaders } from '../unit/webhooks/support.ts';

const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0003';

let consumer: Consumer;
const children: ChildHost[] = [];
beforeAll(async () => {
  consumer = await createConsumer();
});
afterAll(() => Promise.all(children.map((child) => child.stop())));

const init = async (folder: string, template: string) => {
  const program = join(consumer.modules, '@credence', 'cli', 'dist', 'hosts', 'cli', 'main.js');
  await mkdir(folder, { recursive: true });
  const args = [program, 'init', '--template', template];
  return promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { code: number; stderr: string }) => error,
  );
};

/** Writes a template and starts its application. */
async function start(template: string, env: Readonly<Record<string, string>> = {}): Promise<ChildHost> {
  const cwd = join(consumer.folder, template);
  expect(await init(cwd, template)).toMatchObject({ stderr: '' });
  const child = startChild({ script: join(cwd, 'app.ts'), cwd, env: { PORT: '0', ADMIN_TOKEN, ...env } });
  children.push(child);
  return child;
}

it('fastify lets its own users in, takes a claim for a proven account and books the reward once', async () => {
  await using simulator = { ...(await createPlatformSimulator()), [Symbol.asyncDispose]: () => simulator.close() };
  const placed = [{ handle: 'ada.runs', text: 'Count me in', index: 3 }];
  const { url: targetUrl } = simulator.world.addPost({ platform: 'tiktok', owner: 'acme', comments: 5, placed });
  const child = await start('fastify', { TIKTOK_BASE_URL: simulator.tiktokBaseUrl });
  const api = createApiClient(await child.ready(), ADMIN_TOKEN);
  const as = (name: string) => ({ token: null, headers: { cookie: `session=session-of-${name}` } });
  const admin = async (path: string, body: object) =>
    (await api.call('POST', `/engagement/admin/${path}`, { ...as('olga'), body })).json.data as never;

  const { id: brandId } = await admin('brands', { name: 'Acme', slug: 'acme' });
  const campaign = { brandId, title: 'Spring', pointsReward: 50, challenge: { targetUrl } };
  const { challenge } = (await admin('campaigns', campaign)) as { challenge: { id: number } };
  const body = { challengeId: challenge.id, handle: 'ada.runs' };
  const connect = async () => {
    const input = { platform: 'tiktok', inputs: { handle: 'ada.runs' } };
    const begun = await api.call('POST', '/engagement/social-accounts/connect', { ...as('ada'), body: input });
    const { redirectUrl, webProof } = begun.json.data as unknown as { redirectUrl: string; webProof: { code: string } };
    simulator.world.addProfile({ platform: 'tiktok', handle: 'ada.runs', bio: webProof.code });
    const form = { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    return (await api.call('POST', new URL(redirectUrl).pathname, { token: null, ...form })).status;
  };
  const claim = async (caller: object, claimed: unknown) => {
    const { status } = await api.call('POST', '/claims', { ...caller, body: claimed });
    return status;
  };
  expect(await claim({ token: null }, body)).toBe(401);
  expect(await claim({ token: null, headers: { cookie: 'evil-session=session-of-ada' } }, body)).toBe(401);
  expect(await claim(as('ada'), { challengeId: 'one' })).toBe(400);
  // Who names a handle has not shown that it is theirs.
  expect(await claim(as('ada'), body)).toBe(404);
  expect(await connect()).toBe(200);
  expect(await claim(as('ada'), body)).toBe(200);
  // What Credence refuses keeps its status.
  expect(await claim(as('ada'), body)).toBe(409);
  await expect
    .poll(async () => (await api.call('GET', '/points', as('ada'))).json, { timeout: 30_000 })
    .toEqual({ points: 50 });

  const brands = async (caller: object) => (await api.call('GET', '/engagement/admin/brands', caller)).status;
  expect([await brands({ token: null }), await brands(as('ada')), await brands({})]).toEqual([401, 403, 200]);
  const logged = () => (child.stdout().match(/^\{.*\}$/gm) ?? []).map((line) => JSON.parse(line) as { route?: string });
  await expect.poll(() => logged().filter(({ route }) => route === 'listBrands')).toHaveLength(3);
  expect(await child.stop()).toBe(0);
  expect(child.stderr()).toBe('');
});

it('express serves its own route and Credence below its prefix, and stops when told to', async () => {
  const child = await start('express');
  const api = createApiClient(await child.ready(), ADMIN_TOKEN);
  expect((await api.call('GET', '/', { token: null })).json).toEqual({ hello: 'my own route' });
  const body = { name: 'Acme', slug: 'acme' };
  expect((await api.call('POST', '/engagement/admin/brands', { body })).status).toBe(201);
  expect((await api.call('GET', '/engagement/admin/brands', { token: null })).status).toBe(401);
  expect(await child.stop()).toBe(0);
  expect(child.stderr()).toBe('');
});

// In Next.js itself: `npm run matrix:consumers`.
it('next exports handlers of every method', async () => {
  const folder = join(consumer.folder, 'next');
  expect(await init(folder, 'next')).toMatchObject({ stderr: '' });
  const script = join(folder, 'ask.ts');
  await writeFile(
    script,
    `import * as route from './app/engagement/[...path]/route.ts';
const headers = { authorization: 'Bearer ${ADMIN_TOKEN}', 'content-type': 'application/json', host: 'localhost' };
const ask = async (method: keyof typeof route, path: string, body?: string) => {
  const url = 'http://localhost/engagement' + path;
  const { status } = await route[method](new Request(url, { method, headers, ...(body ? { body } : {}) }));
  console.log(method, path, status);
};
await ask('POST', '/admin/brands', '{"name":"Next","slug":"next"}');
await ask('GET', '/admin/brands');
await ask('PATCH', '/admin/brands/1', '{"name":"Other"}');
await ask('DELETE', '/admin/brands/1');
process.exit();
`,
  );
  const child = startChild({ script, cwd: folder, env: { ADMIN_TOKEN } });
  expect(await child.exit(), child.stderr()).toBe(0);
  expect(child.stdout().trim().split('\n')).toEqual([
    'POST /admin/brands 201',
    'GET /admin/brands 200',
    'PATCH /admin/brands/1 200',
    'DELETE /admin/brands/1 200',
  ]);
  // Without a token in the environment, the first start makes one.
  const first = startChild({ script, cwd: folder, env: { STORAGE_URL: 'sqlite::memory:' } });
  await first.exit();
  expect(first.stdout()).toMatch(/^admin token, shown only now: crd_/);
});

it('receiver takes what Credence signed once, and refuses everything else', async () => {
  const secret = createWebhookSecret(systemRandom);
  const child = await start('receiver', { WEBHOOK_SECRET: secret });
  const url = await child.ready();
  const body = eventBody(sampleEvent(1));
  const headers = signedHeaders(secret, 'creator.verified', body);
  const old = signedHeaders(secret, 'creator.verified', body, new Date(Date.now() - 600_000));
  const post = async (sent: Readonly<Record<string, string>>, text: string) =>
    (await fetch(url, { method: 'POST', headers: sent, body: text })).status;
  expect([await post({}, body), await post(headers, `${body} `), await post(old, body)]).toEqual([400, 401, 401]);
  expect([await post(headers, body), await post(headers, body)]).toEqual([204, 204]);
  expect(child.stdout().match(/^creator\.verified .*$/gm)).toEqual([
    `creator.verified ${JSON.stringify(JSON.parse(body).data)}`,
  ]);
});

describe('credence init --template', () => {
  it('keeps what a project has, and writes nothing if a file is in its way', async () => {
    const folder = join(consumer.folder, 'mine');
    await mkdir(folder);
    const manifest = { name: 'mine', type: 'module', dependencies: { credence: 'file:credence.tgz' } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, '.env'), 'MINE=1\n');
    expect(await init(folder, 'express')).toMatchObject({ stderr: '' });
    const written = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(written).toMatchObject({ ...manifest, dependencies: { credence: 'file:credence.tgz', express: '^5.0.0' } });
    expect(await readFile(join(folder, '.env'), 'utf8')).toBe('MINE=1\n');
    expect(await init(folder, 'fastify')).toMatchObject({ code: 2, stderr: expect.stringMatching(/^app\.ts exists/) });
    expect(await readFile(join(folder, 'package.json'), 'utf8')).not.toContain('fastify');
  });

  it('writes a token for its owner only, and asks CommonJS projects for ES modules', async () => {
    const { mode } = await stat(join(consumer.folder, 'express', '.env'));
    expect(mode & 0o777).toBe(0o600);
    expect(await readFile(join(consumer.folder, 'express', '.env'), 'utf8')).toMatch(/^ADMIN_TOKEN=[\w-]{40,}$/m);
    const folder = join(consumer.folder, 'common');
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{"name":"mine"}');
    expect(await init(folder, 'express')).toMatchObject({ code: 2, stderr: expect.stringContaining('npm pkg set') });
    expect(await init(folder, 'svelte')).toMatchObject({ code: 2 });
  });
});
