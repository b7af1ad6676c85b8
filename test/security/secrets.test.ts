/**
 * A real host at its most talkative plays with every kind of secret, and everything that can fail fails. Then no secret is in
 * the log, in an answer that was not made to hand it over, or in the bytes of the database.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundled } from '../support/bundled-host.ts';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { type ApiAnswer, type ApiClient, type CallOptions, createApiClient } from '../support/client.ts';
import { listen } from '../support/listen.ts';
import { newFolder } from '../support/new-folder.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../support/tls-origin.ts';
import { formsOf } from './secret-forms.ts';

const random = (): string => randomBytes(18).toString('hex');

/** Secrets of the configuration and of requests; what the host makes itself is added on the way. */
const secrets: Record<string, string> = {
  'the admin token': `adm-${random()}`,
  'a platform session': `7000000009%3A${random()}`,
  'the proxy password': random(),
  'the notary key': randomBytes(32).toString('hex'),
  'the key of the secrets': randomBytes(32).toString('hex'),
  'the callback secret': `whsec_${randomBytes(24).toString('base64')}`,
  "the prover's token": `prv-${random()}`,
  'the key of the data provider': `dpk-${random()}`,
  'the password of Redis': random(),
  "the notary's token": `ntr-${random()}`,
  'a hidden request header': `hid-${random()}`,
  'a hidden query value': `qry-${random()}`,
  'a hidden JSON value': `jsn-${random()}`,
  'a request header that could not be proven': `ftr-${random()}`,
  'a token that nobody knows': `unk-${random()}`,
};

const folder = newFolder();
const authority = createAuthority();
const closing: (() => Promise<unknown> | unknown)[] = [];
const answers: { readonly what: string; readonly text: string }[] = [];
let host: ChildHost;
let output = '';
let api: ApiClient;
let origin: TlsOrigin;
/** The id of a connection request, which its link holds. */
let connection = '';

async function portOf(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
  const { port, close } = await listen(server);
  closing.push(close);
  return port;
}

/** Repeats everything it is told, in its status line, headers and body: a log of an answer is a log of the request. */
const echo = (): Server =>
  createServer((request, response) => {
    const told = JSON.stringify(request.headers);
    response.writeHead(500, told.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 400), { 'x-told': told });
    response.end(`<html>${told}</html>`);
  });

/** A proxy that answers itself, and refuses tunnels, repeating what it was told. */
const proxy = (): Server =>
  echo().on('connect', (request, socket: Socket) => {
    socket.on('error', () => undefined);
    socket.end(`HTTP/1.1 407 ${JSON.stringify(request.headers)}\r\n\r\n`);
  });

/** A call whose answer must hold no secret. */
async function call(method: string, path: string, options?: CallOptions): Promise<ApiAnswer> {
  const answer = await api.call(method, path, options);
  answers.push({ what: `${method} ${path}`, text: answer.text + JSON.stringify([...answer.headers]) });
  return answer;
}

/** A call that hands a secret over, once. */
async function receive(method: string, path: string, body: unknown, field: 'token' | 'secret'): Promise<ApiAnswer> {
  const answer = await api.call(method, path, { body });
  expect(answer.status, answer.text).toBe(201);
  secrets[`${field} ${Object.keys(secrets).length}`] = String(answer.json.data?.[field]);
  return answer;
}

beforeAll(async () => {
  const elsewhere = await portOf(echo());
  const proxyPort = await portOf(proxy());
  origin = await startOrigin(authority, {
    certificate: authority.leaf({ dns: ['localhost'] }),
    answer: jsonAnswer({ user: { secret: secrets['a hidden JSON value'], name: 'Ada' } }),
  });
  closing.push(() => origin[Symbol.asyncDispose]());
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  host = startChild({
    script: await bundled('hosts/standalone/main.ts'),
    env: {
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'trace',
      SERVICES: 'engagement,web-prover,zk-prover,notary',
      ADMIN_TOKEN: String(secrets['the admin token']),
      INSTAGRAM_BASE_URL: `http://127.0.0.1:${elsewhere}`,
      TIKTOK_BASE_URL: `https://127.0.0.1:${elsewhere}`,
      INSTAGRAM_SESSION_IDS: String(secrets['a platform session']),
      SCRAPER_PROXY_URL: `http://proxy-user:${secrets['the proxy password']}@127.0.0.1:${proxyPort}`,
      SCRAPER_PACING: 'off',
      INSTAGRAM_SOURCES: 'own,provider',
      DATA_PROVIDER_KEY: String(secrets['the key of the data provider']),
      // Nobody listens there: limits are counted in the process then, and the log complains.
      REDIS_URL: `redis://user:${secrets['the password of Redis']}@127.0.0.1:1`,
      EGRESS_ALLOW: '127.0.0.0/8,::1/128',
      TLS_EXTRA_CA_FILE: file('ca.pem', authority.root.pem),
      NOTARY_KEY_FILE: file('notary.key', `${secrets['the notary key']}\n`),
      SECRETS_KEY_FILE: file('secrets.key', `${secrets['the key of the secrets']}\n`),
      REMOTE_NOTARIES_FILE: file(
        'notaries.json',
        JSON.stringify([
          { url: `http://127.0.0.1:${elsewhere}`, token: secrets["the notary's token"], fingerprint: 'ab'.repeat(32) },
        ]),
      ),
      WEB_PROOF_CALLBACK_SECRET: String(secrets['the callback secret']),
      ZK_PROVER: 'http',
      CONFIG_FILE: file(
        'config.json',
        JSON.stringify({
          platforms: { dataProvider: { baseUrl: `http://127.0.0.1:${elsewhere}` } },
          zk: { url: `http://127.0.0.1:${elsewhere}`, token: secrets["the prover's token"] },
        }),
      ),
      DELAY_SCALE: '0.0001',
    },
  });
  api = createApiClient(await host.ready(), secrets['the admin token'] ?? '');
});

afterAll(async () => {
  await host?.stop('SIGKILL');
  for (const close of closing.reverse()) await close();
});

async function playEngagement(): Promise<void> {
  const instagramPost = 'https://www.instagram.com/p/C0ffee/';
  await receive('POST', '/admin/tokens', { name: 'client', role: 'client' }, 'token');
  const revoked = await receive('POST', '/admin/tokens', { name: 'gone', role: 'admin' }, 'token');
  const creator = await receive(
    'POST',
    '/admin/tokens',
    { name: 'creator', role: 'creator', externalId: 'ada' },
    'token',
  );
  await playLinks(String(creator.json.data?.token));
  await call('DELETE', `/admin/tokens/${revoked.json.data?.id}`);
  await call('GET', '/admin/tokens');
  await call('GET', '/admin/brands', { token: String(revoked.json.data?.token) });
  await call('GET', '/admin/brands', { token: secrets['a token that nobody knows'] ?? '' });
  const brand = await call('POST', '/admin/brands', { body: { name: 'B', slug: 'b' } });
  const hooks = `/admin/brands/${brand.json.data?.id}/webhooks`;
  // Nobody listens on port 1; the second receiver repeats what it is told.
  for (const url of ['http://127.0.0.1:1/', `http://localhost:${origin.port}/`]) {
    const hook = await receive('POST', hooks, { url, events: ['creator.verified', 'reward.issued'] }, 'secret');
    const path = `${hooks}/${hook.json.data?.id}`;
    expect((await call('POST', `${path}/test`)).status).toBe(202);
    await call('PATCH', path, { body: { description: 'x' } });
    await vi.waitFor(
      async () => expect((await call('GET', `${path}/deliveries`)).json.data?.[0]?.status).toBe('failed'),
      10_000,
    );
  }
  await call('GET', hooks);
  await call('POST', '/social-accounts', { body: { externalId: 'ada', platform: 'instagram', handle: 'ada' } });
  const campaign = await call('POST', '/admin/campaigns', {
    body: { brandId: 1, title: 'C', pointsReward: 1, challenge: { targetUrl: instagramPost, instructionText: 'x' } },
  });
  const challenge = `/admin/challenges/${campaign.json.data?.challenge?.id}`;
  const attempt = await call('POST', `${challenge}/attempts`, { body: { externalId: 'ada' } });
  await call('POST', `${challenge}/attempts/${attempt.json.data?.id}/force-verify`);
  await Promise.all([
    call('GET', `/v1/stats?url=${instagramPost}`),
    call('GET', '/v1/profile?platform=tiktok&handle=mia'),
    call('POST', `${challenge}/comments/refresh`),
    call('POST', `${challenge}/likers/refresh`),
    call('POST', '/web-proofs/callback', { body: { requestId: 'x' }, headers: { 'x-service-signature': 'AAAA' } }),
  ]);
}

/** Secrets in addresses, and in a body that is no JSON. */
async function playLinks(token: string): Promise<void> {
  const body = { platform: 'instagram', inputs: { handle: 'ada' } };
  const opened = await api.call('POST', '/social-accounts/connect', { token, body });
  expect(opened.status, opened.text).toBe(201);
  connection = String(opened.json.data?.requestId);
  for (const method of ['GET', 'POST']) await api.call(method, `/connect/${connection}`, { token: null });
  await api.call('GET', `/nowhere/${token}?token=${token}`);
  await api.call('POST', '/admin/brands', { raw: `{"name":"${token}",` });
}

async function playWebProofs(): Promise<unknown> {
  const redaction = [
    { request: { headers: ['authorization'], url_query: ['key'] }, response: { json_body: ['user.secret'] } },
  ];
  const body = {
    url: `https://localhost:${origin.port}/me?key=${secrets['a hidden query value']}&page=1`,
    headers: [`Authorization: Bearer ${secrets['a hidden request header']}`],
    redaction,
  };
  const proof = await call('POST', '/api/v2.0/prove', { body });
  expect(proof.status, proof.text).toBe(200);
  const presentation = proof.json.data;
  const verified = await call('POST', '/api/v2.0/verify', { body: presentation });
  expect(verified.status, verified.text).toBe(200);
  const compressed = await call('POST', '/api/v2.0/evm/compress-web-proof', { body: { presentation } });
  expect(compressed.status).toBe(500);
  await call('GET', '/api/v2.0/evm/guest-id');
  const failing = { headers: [`Authorization: Bearer ${secrets['a request header that could not be proven']}`] };
  const targets = ['https://localhost:1/', 'https://127.0.0.1/', 'http://localhost/', 'https://no-such-host.invalid/'];
  for (const url of targets) await call('POST', '/api/v2.0/prove', { body: { ...failing, url } });
  await call('POST', '/api/v2.0/prove', { body: { ...failing, url: body.url, notary_url: 'x' } });
  const notaryUrl = JSON.parse(readFileSync(join(folder, 'notaries.json'), 'utf8'))[0].url;
  const remote = await call('POST', '/api/v2.0/prove', { body: { ...body, ...failing, notaryUrl } });
  expect(remote.status, remote.text).toBe(500);
  return presentation;
}

function leaksIn(text: string): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

describe('secrets', () => {
  beforeAll(async () => {
    await playEngagement();
    await playWebProofs();
    await host.stop();
    output = host.stdout() + host.stderr();
  });

  it('the scan would find them', () => {
    expect(Object.keys(secrets).length).toBeGreaterThan(17);
    for (const [name, secret] of Object.entries(secrets)) {
      for (const form of formsOf(secret)) expect(leaksIn(`...${form}...`)).toContain(name);
    }
  });

  it('are not in the log, though it tells of every failure', () => {
    expect(output).toMatch(/"level":/);
    expect(output).toContain('"route":"createToken"');
    expect(output).toContain('"status":500');
    expect(leaksIn(output)).toEqual([]);
    expect(connection.length).toBeGreaterThan(10);
    expect(output.includes(connection), 'the link of a connection request').toBe(false);
    for (const line of output.trim().split('\n'))
      expect(line).toMatch(/^\{.*\}$|^(?:listening on|notary key fingerprint:|console:|API docs?:|docs:) /);
  });

  it('are in no answer that was not made to hand them over', () => {
    expect(answers.length).toBeGreaterThan(30);
    for (const { what, text } of answers) expect(leaksIn(text), what).toEqual([]);
  });

  it('are not in the database: tokens are hashed, secrets sealed', () => {
    const files = readdirSync(folder).filter((name) => name.startsWith('credence.db'));
    expect(files).toContain('credence.db');
    for (const name of files) expect(leaksIn(readFileSync(join(folder, name), 'latin1')), name).toEqual([]);
  });
});
