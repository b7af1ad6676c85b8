/** The code of the README and of its pages runs as it is there, with `credence` resolved to the sources. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { eventBody } from '../../core/engagement/webhooks/event-body.ts';
import { createWebhookSecret } from '../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { linkInput, storedAttempt, storedChallenge } from '../contract/storage/samples.ts';
import { startChild } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { codeOf, documentedCode } from '../support/documented-code.ts';
import { startInstance } from '../support/instance.ts';
import { newFolder } from '../support/new-folder.ts';
import { issueRoot } from '../support/test-ca.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';
import { sampleEvent, signedHeaders } from '../unit/webhooks/support.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0002';

const webProofs = await readFile(join(ROOT, 'docs', 'web-proofs.md'), 'utf8');
const snippets = new Map([...documentedCode()].filter(([name]) => !name.includes('/')));

/** Inside the project, so that the package finds itself by its name; the folder is git-ignored. */
let folder: string;
/** Where the snippets run: what they store goes here. */
let cwd: string;

beforeAll(async () => {
  await mkdir(join(ROOT, 'reports'), { recursive: true });
  folder = await mkdtemp(join(ROOT, 'reports', 'readme-'));
  cwd = newFolder();
  for (const [name, code] of snippets) await writeFile(join(folder, name), code);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(name: string, env: Readonly<Record<string, string>> = {}) {
  return startChild({
    script: join(folder, name),
    nodeArgs: ['--conditions=credence-source'],
    cwd,
    env: { PORT: '0', CREDENCE_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
  });
}

it('holds the snippets that these tests know', () => {
  expect([...snippets.keys()].sort()).toEqual([
    'blind-notary.ts',
    'embed-fastify.ts',
    'embed-hono.ts',
    'platforms.ts',
    'points-ledger.ts',
    'receive-express.ts',
    'replace-a-part.ts',
    'use-the-client.ts',
  ]);
});

/**
 * Starts several servers in one process, most of whose start is loading the modules. Returns the process and their URLs. What
 * they print follows their names.
 */
async function runAll<const T extends string>(names: readonly T[]) {
  const script = `const { log } = console;
for (const name of ${JSON.stringify(names)}) {
  const { promise, resolve } = Promise.withResolvers<void>();
  console.log = (line) => resolve(log(name + ': ' + line));
  await import('./' + name);
  await promise;
}
console.log = log;
log('listening on http://all');
`;
  const file = `all-of-${names[0]}`;
  await writeFile(join(folder, file), script);
  const child = run(file);
  await child.ready();
  const urls = names.map((name) => {
    const [, url = ''] = new RegExp(`^${name}: listening on (\\S+)$`, 'm').exec(child.stdout()) ?? [];
    return [name, url.replace('[::1]', 'localhost')];
  });
  return { child, urls: Object.fromEntries(urls) as Readonly<Record<T, string>> };
}

describe('the hosts', () => {
  const EMBEDDED = ['embed-fastify.ts', 'embed-hono.ts'] as const;
  let hosts: Awaited<ReturnType<typeof runAll<(typeof EMBEDDED)[number] | 'blind-notary.ts'>>>;
  beforeAll(async () => {
    hosts = await runAll([...EMBEDDED, 'blind-notary.ts']);
  });

  it.each(EMBEDDED)("%s serves the host's own route and Credence below its prefix", async (name) => {
    const api = createApiClient(hosts.urls[name], ADMIN_TOKEN);
    expect((await api.call('GET', '/', { token: null })).json).toEqual({ hello: 'my own route' });
    const body = { name: 'Readme', slug: name.replace('.ts', '') };
    expect((await api.call('POST', '/engagement/admin/brands', { body })).status).toBe(201);
    expect((await api.call('GET', '/engagement/admin/brands', { token: null })).status).toBe(401);
    expect((await api.call('GET', '/engagement/readyz', { token: null })).json.ready).toBe(true);
  });

  it('blind-notary.ts offers blind sessions to callers that the gateway names', async () => {
    const url = `${hosts.urls['blind-notary.ts']}/engagement/v0.1.0-alpha.12/sessions`;
    const upgrade = (user: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/${'0'.repeat(32)}`, { headers: user });
        socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
        socket.once('error', reject);
      });
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    expect(await upgrade({})).toBe(401);
    expect(await upgrade({ 'x-gateway-user': 'ada' })).toBe(404);
    const tooMuch = { method: 'POST', headers: { 'x-gateway-user': 'ada', 'content-type': 'application/json' } };
    expect((await fetch(url, { ...tooMuch, body: '{"maxRecvData":99999}' })).status).toBe(400);
  });

  it('stop when they are told to', async () => {
    expect(await hosts.child.stop('SIGTERM'), hosts.child.stderr()).toBe(0);
  });

  it('embed-hono.ts shows the admin token that a start without one makes', async () => {
    const [script, nodeArgs] = [join(folder, 'embed-hono.ts'), ['--conditions=credence-source']];
    const child = startChild({ script, nodeArgs, cwd: newFolder(), env: { PORT: '0' } });
    await child.ready();
    expect(child.stdout()).toMatch(/^admin token, shown only now: crd_/);
    await child.stop();
  });
});

describe('points-ledger.ts', () => {
  it('gets an event that was committed before it ran', async () => {
    await mkdir(join(cwd, 'data'), { recursive: true });
    const storage = createSqliteStorage({ path: join(cwd, 'data', 'credence.db') });
    await storage.open();
    const challengeId = await storedChallenge(storage);
    const { creator } = await storage.creators.link(linkInput({ externalId: 'user-1' }));
    const data = {
      challengeId,
      userId: creator.id,
      externalUserId: 'user-1',
      username: 'ada',
      attemptId: 1,
      points: 50,
    };
    const event = {
      event: 'reward.issued',
      timestamp: new Date(),
      brandId: 1,
      data: { ...data, platform: 'instagram', campaignTitle: 'Spring' },
    } as const;
    await storedAttempt(storage, challengeId, creator.id, {}, [{ id: 'readme', kind: 'event', event }]);
    await storage.close();
    const child = run('points-ledger.ts');
    await vi.waitFor(() => expect(child.stdout(), child.stderr()).toBe('user-1 gets 50 points\n'), { timeout: 30_000 });
    expect(await child.stop('SIGTERM')).toBe(0);
  });
});

describe('the receivers and the other snippets', () => {
  const secret = createWebhookSecret(systemRandom);
  const { commentText: _comment, ...common } = sampleEvent(1).data;
  const data = { ...common, externalUserId: 'user-42', points: 50 };
  const body = eventBody(sampleEvent(1, { event: 'reward.issued', data }));
  const signed = () => signedHeaders(secret, 'reward.issued', body);

  it('receive-express.ts takes a signed event', async () => {
    const child = run('receive-express.ts', { WEBHOOK_SECRET: secret });
    const url = `${(await child.ready()).replace('[::1]', 'localhost')}/webhooks/credence`;
    const post = async (body: string) => (await fetch(url, { method: 'POST', headers, body })).status;
    const headers = signed();
    // The second one comes again, as a redelivery does.
    expect([await post(`${body} `), await post(body), await post(body)]).toEqual([401, 204, 204]);
    await vi.waitFor(() => expect(child.stdout().split('user-42 gets 50 points (msg_1)\n')).toHaveLength(2), 30_000);
    await child.stop();
  });

  // Several in one process, most of whose start is loading the modules.
  it('the receiver of Next.js in the recipe is loaded by a build without the secret, and takes a signed event later', async () => {
    await writeFile(join(folder, 'webhook-route.ts'), codeOf('app/webhooks/credence/route.ts'));
    await writeFile(
      join(folder, 'next-webhook.ts'),
      `import { POST } from './webhook-route.ts';
process.env.WEBHOOK_SECRET = ${JSON.stringify(secret)};
const init = { method: 'POST', headers: ${JSON.stringify(signed())}, body: ${JSON.stringify(body)} };
console.log((await POST(new Request('http://localhost/webhooks/credence', init))).status);
`,
    );
    const child = run('next-webhook.ts');
    expect(await child.exit(), child.stderr()).toBe(0);
    expect(child.stdout()).toBe('reward.issued msg_1\n204\n');
  });

  it('the other snippets run to their end', async () => {
    const files = ['use-the-client.ts?first', 'use-the-client.ts?second', 'replace-a-part.ts'];
    const imports = files.map((file) => `await import('./${file}');\nconsole.log('---');\n`);
    await writeFile(join(folder, 'one-by-one.ts'), imports.join(''));
    await using instance = await startInstance();
    const child = run('one-by-one.ts', { CREDENCE_URL: instance.baseUrl, CREDENCE_TOKEN: instance.adminToken });
    expect(await child.exit(), child.stderr()).toBe(0);
    expect(child.stdout().split('---\n')).toEqual([
      'brand acme\n',
      expect.stringMatching(/^acme is there already \(request [0-9a-f-]{36}\)\nbrand acme\n$/),
      expect.stringMatching(/^[1-9]\d+ routes\n$/),
      '',
    ]);
  });
});

describe('the example of a web proof', () => {
  const [, request = ''] = /\/prove [^\n]* -d '(\{.*?\})' \| jq/s.exec(webProofs) ?? [];
  /** In the shape of the answer that it asks for: addresses begin with others, as they do there. */
  const repository = {
    full_name: 'nodejs/node',
    owner: { login: 'nodejs', html_url: 'https://github.com/nodejs' },
    html_url: 'https://github.com/nodejs/node',
    description: 'Node.js JavaScript runtime',
  };

  it('hides what it names and verifies', async () => {
    const root = issueRoot();
    const authority = createAuthority(root);
    await using origin = await startOrigin(authority, {
      certificate: authority.leaf({ dns: ['localhost'] }),
      answer: jsonAnswer(repository),
    });
    await using instance = await startInstance({
      config: { services: ['web-prover'], extraRoots: [root.pem], egress: { allow: ['127.0.0.0/8', '::1/128'] } },
    });
    const body = { ...JSON.parse(request), url: `https://localhost:${origin.port}/repos/nodejs/node` };
    const proven = await instance.api.call('POST', '/api/v2.0/prove', { body });
    expect(proven.status, JSON.stringify(proven.json)).toBe(200);
    const { json } = await instance.api.call('POST', '/api/v2.0/verify', { body: proven.json.data });
    const shown = String(json.data?.response?.body);
    expect(JSON.parse(shown)).toEqual({ ...repository, description: 'X'.repeat(repository.description.length) });
  });
});
