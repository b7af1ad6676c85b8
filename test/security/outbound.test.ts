/**
 * Server-side request forgery, on every way by which a request leaves. Those are webhooks, proofs, short links and pages of the
 * platforms, the connect page, notaries and provers elsewhere. Whatever the address is disguised as, a trap that stands for
 * a service of the inner network is never reached. `test/unit/egress` has the guard alone.
 */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDataProviderPlatform } from '../../adapters/data-provider/index.ts';
import { createEgressGuard, createGuardedAgent, type EgressGuardOptions } from '../../adapters/egress-guard/index.ts';
import { createHttpNotary } from '../../adapters/http-notary/index.ts';
import { createHttpProver } from '../../adapters/http-prover/index.ts';
import { createInstagramPlatform } from '../../adapters/instagram/index.ts';
import { createTikTokPlatform } from '../../adapters/tiktok/index.ts';
import { createWebhookTransport } from '../../adapters/webhook-http/index.ts';
import { isDomainError } from '../../core/errors.ts';
import type { EgressGuard } from '../../core/ports/egress.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { ContainerModule, TOKENS } from '../../plugins/compose/index.ts';
import { closingAfterEach } from '../support/closing.ts';
import { instanceOfBlock, startInstance } from '../support/instance.ts';
import { listen } from '../support/listen.ts';
import { postRef } from '../support/platforms.ts';
import { words } from '../support/words.ts';
import { everyService, setTrap, type Trap } from './support.ts';

/** Loopback and other inner addresses in every notation that URLs know. */
const INNER_LITERALS = words(`
  127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1
  0.0.0.0 0 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fd00::1] [fec0::1] 10.0.0.1
  172.31.255.255 192.168.0.1 100.64.0.1 169.254.169.254 [fd00:ec2::254] 168.63.129.16 [::ffff:168.63.129.16]
  198.18.0.1 224.0.0.1 255.255.255.255 localhost LOCALHOST. a.localhost
`);

/** What a name may resolve to although it looks harmless. */
const INNER_ANSWERS: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['::1'],
  ['93.184.216.34', '127.0.0.1'],
  ['127.0.0.1', '93.184.216.34'],
  ['2606:2800:220:1::1', '::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['2002:7f00:1::1'],
  ['169.254.169.254'],
  ['168.63.129.16'],
  ['64:ff9b::a83f:8110'],
  ['93.184.216.34', 'no address at all'],
  ['fe80::1%eth0'],
];

const HOOKS = '/admin/brands/1/webhooks';
const EVENTS = ['creator.verified', 'reward.issued', 'verification.failed'];

/** Both guards of an instance ask this instead of the system's resolver. */
function resolving(answers: (host: string) => readonly string[]): ContainerModule {
  const guard = (ports: Pick<EgressGuardOptions, 'ports' | 'portsFrom'>): EgressGuard =>
    createEgressGuard({ ...ports, lookup: async (host) => answers(host).map((address) => ({ address })) });
  return new ContainerModule(({ rebind }) => {
    rebind(TOKENS.egressGuard).toConstantValue(guard({}));
    rebind(TOKENS.webhookEgressGuard).toConstantValue(guard({ ports: [80], portsFrom: 1024 }));
  });
}

const closing = closingAfterEach();

describe('the ports of webhooks', () => {
  const registering = async (allow: string[]) => {
    const instance = await startInstance({ config: { egress: { allow, ports: [99] } } });
    closing.push(instance.close);
    const brand = await instance.api.call('POST', '/admin/brands', { body: { name: 'B', slug: 'b' } });
    const hooks = `/admin/brands/${brand.json.data?.id}/webhooks`;
    const register = async (url: string) =>
      (await instance.api.call('POST', hooks, { body: { url, events: EVENTS } })).status;
    const hook = await instance.api.call('POST', hooks, { body: { url: 'https://a.example/', events: EVENTS } });
    const move = async (url: string) =>
      (await instance.api.call('PATCH', `${hooks}/${hook.json.data?.id}`, { body: { url } })).status;
    return { register, move };
  };

  it('are the web and those without privilege', async () => {
    const { register, move } = await registering([]);
    for (const host of ['receiver.example', '93.184.216.34']) {
      for (const port of [80, 99, 443, 1024, 3000, 65_535]) {
        expect(await register(`http://${host}:${port}/`), `${host}:${port}`).toBe(201);
      }
      for (const port of [1, 22, 25, 587, 1023]) {
        expect(await register(`http://${host}:${port}/`), `${host}:${port}`).toBe(400);
        expect(await move(`http://${host}:${port}/`), `${host}:${port}`).toBe(400);
      }
    }
  });

  it('are any of an address that EGRESS_ALLOW names, and are judged later for a name', async () => {
    const { register } = await registering(['10.0.0.0/8']);
    expect(await register('http://10.1.2.3:25/')).toBe(201);
    expect(await register('http://receiver.example:25/')).toBe(201);
    expect(await register('http://93.184.216.34:25/')).toBe(400);
  });
});

describe('an instance', () => {
  let trap: Trap;
  let answers: readonly string[] = [];
  const instance = instanceOfBlock({
    config: { ...everyService(), egress: {}, delayScale: 0.0001 },
    options: { modules: [resolving(() => answers)] },
  });

  beforeAll(async () => {
    trap = await setTrap();
    const made = await instance.api.call('POST', '/admin/brands', { body: { name: 'B', slug: 'b' } });
    expect(made.status).toBe(201);
  });
  afterAll(() => trap.close());
  afterEach(() => expect(trap.connections()).toBe(0));

  it('registers no webhook on an inner address, however written, nor moves one there', async () => {
    const { api } = instance;
    const good = await api.call('POST', HOOKS, { body: { url: 'https://receiver.example/', events: EVENTS } });
    expect(good.status).toBe(201);
    for (const [index, host] of INNER_LITERALS.entries()) {
      // By turns: the address is judged by the same guard for both.
      const urls = [`http://${host}:${trap.port}/hook`, `https://${host}:443/hook`];
      const [toCreate, toMove] = index % 2 === 0 ? urls : urls.toReversed();
      const created = await api.call('POST', HOOKS, { body: { url: toCreate, events: EVENTS } });
      expect([created.status, created.json.error?.code], toCreate).toEqual([400, 'INVALID_REQUEST']);
      const moved = await api.call('PATCH', `${HOOKS}/${good.json.data?.id}`, { body: { url: toMove } });
      expect(moved.status, toMove).toBe(400);
    }
  });

  it.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'ftp://example.com/',
    'unix:/var/run/docker.sock',
    'data:text/plain,x',
    'javascript:alert(1)',
    'https://user:password@example.com/',
    'https://example.com@127.0.0.1/',
    '//127.0.0.1/',
    'https://',
    'https://example.com:99999/',
  ])('registers no webhook at %s', async (url) => {
    const { status } = await instance.api.call('POST', HOOKS, { body: { url, events: EVENTS } });
    expect(status).toBe(400);
  });

  it('delivers to no name that leads inwards, and does not say where it leads', async () => {
    const { api } = instance;
    for (const [index, inner] of INNER_ANSWERS.entries()) {
      answers = inner;
      const url = `http://receiver-${index}.example:${trap.port}/`;
      const hook = await api.call('POST', HOOKS, { body: { url, events: EVENTS } });
      const path = `${HOOKS}/${hook.json.data?.id}`;
      expect((await api.call('POST', `${path}/test`)).status, hook.text).toBe(202);
      await expect
        .poll(async () => (await api.call('GET', `${path}/deliveries`)).json.data?.[0]?.status, { timeout: 10_000 })
        .toBe('failed');
      const log = await api.call('GET', `${path}/deliveries`);
      const { id, messageId, ...shown } = log.json.data?.[0] ?? {};
      expect(shown).toMatchObject({ tries: [{ status: null }] });
      // Digits of the message id mean nothing.
      expect(JSON.stringify(shown)).not.toMatch(/127\.|::1|169\.254|7f00/);
    }
  });

  it.each([
    ['/api/v2.0/prove', 0],
    ['/v0.1.0-alpha.12/notarize', 1],
  ] as const)('proves nothing of the inner network at %s', async (path, turn) => {
    const prove = (url: string) => instance.api.call('POST', path, { body: { url } });
    // By turns, as with webhooks.
    for (const [index, host] of INNER_LITERALS.filter((_, at) => at % 2 === turn).entries()) {
      answers = ['127.0.0.1'];
      const port = [443, trap.port][index % 2];
      const refused = await prove(`https://${host}:${port}/`);
      expect([refused.status, refused.json.error?.code], host).toEqual([400, 'INVALID_REQUEST']);
    }
    for (const inner of INNER_ANSWERS) {
      answers = inner;
      const refused = await prove('https://harmless.example/');
      expect([refused.status, refused.json.error?.code], String(inner)).toEqual([400, 'INVALID_REQUEST']);
      expect(refused.text).not.toMatch(/127\.|::1|169\.254|7f00/);
    }
    answers = ['93.184.216.34'];
    expect((await prove(`https://harmless.example:${trap.port}/`)).status, 'a closed port').toBe(400);
  });

  it('asks no notary that a caller names', async () => {
    for (const notaryUrl of [`http://127.0.0.1:${trap.port}`, 'https://evil.example', 'file:///etc/passwd']) {
      const body = { url: 'https://harmless.example/', notaryUrl };
      expect((await instance.api.call('POST', '/api/v2.0/prove', { body })).status).toBe(400);
    }
  });

  it('reads no post and no profile outside the platforms', async () => {
    const { api } = instance;
    const urls = [
      ...INNER_LITERALS.map((host) => `https://${host}/p/C0ffee/`),
      `http://127.0.0.1:${trap.port}/p/C0ffee/`,
      'https://www.instagram.com.evil.example/p/C0ffee/',
      'https://www.instagram.com@127.0.0.1/p/C0ffee/',
      'https://127.0.0.1#www.instagram.com/p/C0ffee/',
      'https://127.0.0.1\\@www.instagram.com/p/C0ffee/',
      'https://www.instagram.com:443@127.0.0.1/p/C0ffee/',
      'https://vm.tiktok.com.evil.example/ZM1/',
      'https://www.instagram.com:8443/p/C0ffee/',
      'file:///p/C0ffee/',
    ];
    for (const [index, url] of urls.entries()) {
      // What is no literal goes to every path, a literal to one of them by turns: they read addresses by the same function.
      const paths = ['/v1/stats', '/v1/comments', '/admin/posts/thumbnail'];
      for (const path of index < INNER_LITERALS.length ? [paths[index % paths.length]] : paths) {
        const { status } = await api.call('GET', `${path}?url=${encodeURIComponent(url)}`);
        expect([400, 422], `${path} ${url}`).toContain(status);
      }
    }
    const handles = ['../../etc/passwd', '127.0.0.1:80/', `@127.0.0.1:${trap.port}`, 'a/../b', 'a?b', 'a#b', '%2e'];
    for (const [index, handle] of handles.entries()) {
      // A creator may begin a few connections only.
      const externalId = `creator-${index}`;
      for (const platform of ['instagram', 'tiktok']) {
        const query = new URLSearchParams({ platform, handle });
        expect((await api.call('GET', `/v1/profile?${query}`)).status, handle).toBe(400);
        const connect = { platform, externalId, inputs: { handle } };
        expect((await api.call('POST', '/social-accounts/connect', { body: connect })).status, handle).toBe(400);
        const open = await api.call('POST', '/social-accounts/connect', { body: { platform, externalId } });
        const form = await api.call('POST', `/connect/${open.json.data?.requestId}`, { body: { handle }, token: null });
        expect(form.status, handle).toBe(400);
      }
    }
  });
});

describe('a name that changes its meaning between check and connection', () => {
  it('is asked for once a connection, and the connection goes where the answer was', async () => {
    const decoy = await setTrap('127.0.0.2');
    const inner = await setTrap('127.0.0.1', decoy.port);
    let asked = 0;
    // The first answer is harmless (here: allowed); every later one leads inwards.
    const lookup = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1' }];
    };
    const egress = createEgressGuard({ allow: ['127.0.0.2/32'], lookup });
    const transport = createWebhookTransport({ egress });
    const send = () =>
      transport.send({ url: `http://rebound.example:${decoy.port}/`, headers: {}, body: '{}', deadlineMs: 5_000 });
    expect(await send()).toMatchObject({ kind: 'answered', status: 200 });
    expect(asked).toBe(1);
    await decoy.close();
    expect(await send()).toMatchObject({ kind: 'failed' });
    expect(await send()).toMatchObject({ kind: 'failed', reason: 'blocked' });
    expect(inner.connections()).toBe(0);
    await transport.close();
    await inner.close();
  });

  it('is connected to by address, never by name, whatever the system resolves', async () => {
    const trap = await setTrap();
    const egress = createEgressGuard({ allow: ['127.0.0.3/32'], lookup: async () => [{ address: '127.0.0.3' }] });
    const agent = await createGuardedAgent(egress, { connectTimeoutMs: 1_000 });
    // The system knows localhost as 127.0.0.1, where the trap is; nobody listens at 127.0.0.3.
    await expect(
      agent.request({ origin: `http://localhost:${trap.port}`, path: '/', method: 'GET' }),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(trap.connections()).toBe(0);
    await agent.destroy();
    await trap.close();
  });
});

describe('redirects', () => {
  let trap: Trap;
  beforeAll(async () => {
    trap = await setTrap();
  });
  afterEach(() => expect(trap.requests).toEqual([]));
  afterAll(() => trap.close());

  interface Redirector {
    readonly url: string;
    readonly seen: IncomingHttpHeaders[];
  }

  async function redirecting(location: string, status: number): Promise<Redirector> {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      request.resume();
      response.writeHead(status, { location }).end();
    });
    const { url, close } = await listen(server);
    closing.push(close);
    return { url, seen };
  }

  const statuses = [301, 302, 303, 307, 308];

  it.each(statuses)('%i of a webhook receiver ends there', async (status) => {
    const { url } = await redirecting(`http://127.0.0.1:${trap.port}/`, status);
    const transport = createWebhookTransport({ egress: createEgressGuard({ allow: ['127.0.0.0/8'] }) });
    closing.push(() => transport.close());
    const outcome = await transport.send({ url, headers: {}, body: '{}', deadlineMs: 5_000 });
    expect(outcome).toMatchObject({ kind: 'answered', status });
  });

  it.each(statuses)('%i of a notary or prover elsewhere ends there, and its token with it', async (status) => {
    const { url, seen } = await redirecting(`http://127.0.0.1:${trap.port}/`, status);
    const notary = createHttpNotary({
      url,
      token: 'token-of-the-notary',
      fingerprint: 'ab'.repeat(32),
      verify: () => Promise.reject(new Error('nothing to verify')),
    });
    closing.push(() => notary.close());
    const request = { url: 'https://a.example/', method: 'GET', headers: [], maxRecvData: 100, redaction: [] } as const;
    const signal = new AbortController().signal;
    await expect(notary.notarize({ ...request, headers: [], redaction: [] }, signal)).rejects.toSatisfy((error) =>
      isDomainError(error, 'INTERNAL_SERVER_ERROR'),
    );
    const prover = createHttpProver({ url, token: 'token-of-the-prover' });
    closing.push(() => prover.close());
    await expect(prover.guestId()).rejects.toSatisfy((error) => isDomainError(error, 'PROOF_GENERATION_FAILED'));
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-of-the-notary',
      'Bearer token-of-the-prover',
    ]);
  });

  const targets = (port: number) => [
    `http://127.0.0.1:${port}/p/C0ffee/`,
    `//127.0.0.1:${port}/@mia/video/7300000000000000001`,
    `http://www.instagram.com@127.0.0.1:${port}/p/C0ffee/`,
    `http://www.tiktok.com.127.0.0.1.nip.example:${port}/@mia/video/7300000000000000001`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    '\\\\127.0.0.1\\share',
    'javascript:alert(1)',
    'https://',
    '',
  ];

  it('of a platform or a data provider are not followed off it: posts, comments, profiles, likers, short links', async () => {
    for (const [turn, location] of targets(trap.port).entries()) {
      const { url: baseUrl } = await redirecting(location, 302);
      const platforms: Platform[] = [
        createInstagramPlatform({ baseUrl, pacing: 'off', sessionIds: ['1%3Ax'] }),
        createTikTokPlatform({ baseUrl, pacing: 'off' }),
        createDataProviderPlatform({ platform: 'instagram', key: 'key-of-the-account', baseUrl, pacing: 'off' }),
        createDataProviderPlatform({ platform: 'tiktok', key: 'key-of-the-account', baseUrl, pacing: 'off' }),
      ];
      for (const platform of platforms) closing.push(() => platform.close());
      // Every second of them by turns.
      for (const platform of platforms.filter((_, index) => index % 2 === (turn >> 1) % 2)) {
        const ref = postRef(platform.name, platform.name === 'instagram' ? 'C0ffee' : '7300000000000000001', 'mia');
        const link =
          platform.name === 'instagram' ? 'https://www.instagram.com/share/p/BAabc/' : 'https://vm.tiktok.com/ZM1/';
        const options = { deadline: new Date(Date.now() + 5_000) };
        const calls = [
          platform.getPost(ref, options),
          platform.getComments(ref, null, options),
          platform.getProfile('mia', options),
          platform.getLikers(ref, 5, options),
          platform.resolveShortLink(link, options),
        ];
        for (const result of await Promise.allSettled(calls)) {
          expect(result.status, location).toBe('rejected');
          if (result.status === 'rejected') expect(isDomainError(result.reason), String(result.reason)).toBe(true);
        }
      }
    }
  });
});
