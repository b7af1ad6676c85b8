/** Credence inside somebody else's application: its routes, parsers, errors and users stay its own. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Caller,
  ContainerModule,
  type Credence,
  createCredence,
  type Identify,
  silentLogger,
  TOKENS,
} from '../../plugins/compose/index.ts';
import { credenceExpress } from '../../plugins/express/index.ts';
import { credenceFastify } from '../../plugins/fastify/index.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { type ApiClient, createApiClient } from '../support/client.ts';
import { closingAfterEach } from '../support/closing.ts';
import { HOST_KINDS, type HostKind } from '../support/hosts.ts';
import { listen } from '../support/listen.ts';
import { newFolder } from '../support/new-folder.ts';
import { sendRaw } from '../support/wire.ts';

// Has no types of its own.
const express4 = createRequire(import.meta.url)('express4') as typeof express;
const TOKENS_OF = { one: 'admin-token-of-the-first-one-01', two: 'admin-token-of-the-other-one-02' };

interface HostApp {
  readonly url: string;
  close(): Promise<void>;
}

/** Mounts by prefix, in an application with a JSON route, a failing route, a 404 page and an error handler of its own. */
type Embed = (mounts: Readonly<Record<string, Mountable>>) => Promise<HostApp>;

const embedInFastify: Embed = async (mounts) => {
  const app = fastify({ logger: false, trustProxy: ['127.0.0.1'] });
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) =>
    done(null, String(body).split(',')),
  );
  app.setErrorHandler((error: Error, _request, reply) => reply.code(418).send({ mine: error.message }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ mine: 'no such page' }));
  app.post('/echo', async (request: FastifyRequest) => ({ got: request.body }));
  app.get('/fails', async () => {
    throw new Error('my own failure');
  });
  app.options('/*', async (_request, reply: FastifyReply) => reply.code(204).header('x-cors', 'mine').send());
  for (const [prefix, credence] of Object.entries(mounts)) await app.register(credenceFastify(credence), { prefix });
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
};

const embedInExpress: Embed = async (mounts) => {
  const app = express();
  app.set('trust proxy', '127.0.0.1');
  app.use(express.json());
  app.use(express.text({ type: 'text/csv' }));
  app.post('/echo', (request, response) => {
    const body: unknown = request.body;
    response.json({ got: typeof body === 'string' ? body.split(',') : body });
  });
  app.get('/fails', () => {
    throw new Error('my own failure');
  });
  for (const [prefix, credence] of Object.entries(mounts)) app.use(prefix, credenceExpress(credence));
  app.options('/{*path}', (_request, response) => response.status(204).set('x-cors', 'mine').end());
  app.use((_request, response) => response.status(404).json({ mine: 'no such page' }));
  const failed: ErrorRequestHandler = (error: Error, _request, response, _next) => {
    response.status(418).json({ mine: error.message });
  };
  app.use(failed);
  return listen(createServer(app));
};

const EMBED: Readonly<Record<HostKind, Embed>> = { fastify: embedInFastify, express: embedInExpress };

/** Users of the host come with a header; `refused` are known and not let in. */
const identify: Identify = (native) => {
  const user = (native as IncomingMessage).headers['x-user'];
  if (user === 'refused') return null;
  if (typeof user !== 'string') return undefined;
  const [role, externalId = null] = user.split(':');
  return { role: role as Caller['role'], tokenId: null, externalId, key: `user:${user}` };
};

const inMemory = (adminToken: string) => ({
  storage: { url: 'sqlite::memory:' },
  adminToken,
  // Nobody listens there: nothing leaves the machine.
  platforms: { pacing: 'off' as const, tiktok: { baseUrl: 'http://127.0.0.1:9' } },
});

describe.each(HOST_KINDS)('in %s', (kind) => {
  const one = createCredence(inMemory(TOKENS_OF.one), { identify, logger: silentLogger });
  const two = createCredence(inMemory(TOKENS_OF.two), { logger: silentLogger });
  let app: HostApp;
  let api: { one: ApiClient; again: ApiClient; two: ApiClient; host: ApiClient };

  beforeAll(async () => {
    await Promise.all([one.start(), two.start()]);
    app = await EMBED[kind]({ '/one': one, '/nested/again': one, '/two': two });
    api = {
      one: createApiClient(`${app.url}/one`, TOKENS_OF.one),
      again: createApiClient(`${app.url}/nested/again`, TOKENS_OF.one),
      two: createApiClient(`${app.url}/two`, TOKENS_OF.two),
      host: createApiClient(app.url, ''),
    };
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([one.stop(), two.stop()]);
  });

  it("leaves the host's routes, parsers, 404 and errors alone", async () => {
    const { host } = api;
    expect((await host.call('POST', '/echo', { body: { a: 1 } })).json).toEqual({ got: { a: 1 } });
    const csv = await host.call('POST', '/echo', { raw: 'a,b', headers: { 'content-type': 'text/csv' } });
    expect(csv.json).toEqual({ got: ['a', 'b'] });
    for (const path of ['/nowhere', '/onerous', '/']) {
      const answer = await host.call('GET', path);
      expect([answer.status, answer.json]).toEqual([404, { mine: 'no such page' }]);
    }
    const failed = await host.call('GET', '/fails');
    expect([failed.status, failed.json]).toEqual([418, { mine: 'my own failure' }]);
    const broken = await host.call('POST', '/echo', { raw: '{' });
    expect([broken.status, Object.keys(broken.json)]).toEqual([418, ['mine']]);
  });

  it("falls through to the host's 404 and OPTIONS below the prefix", async () => {
    for (const [method, path] of [
      ['GET', '/one/nowhere'],
      ['PUT', '/one/admin/brands'],
      ['GET', '/one'],
      ['GET', '/admin/brands'],
    ] as const) {
      const answer = await api.host.call(method, path);
      expect([answer.status, answer.json], `${method} ${path}`).toEqual([404, { mine: 'no such page' }]);
    }
    const preflight = await api.host.call('OPTIONS', '/one/admin/brands');
    expect([preflight.status, preflight.headers.get('x-cors')]).toEqual([204, 'mine']);
  });

  it('keeps its own words for its own routes', async () => {
    const broken = await api.one.call('GET', '/campaigns/%zz');
    // Fastify refuses such a path before it looks for a route, in the host's words (`frameworkErrors`).
    expect([broken.status, broken.json.error?.code]).toEqual([400, kind === 'fastify' ? undefined : 'INVALID_REQUEST']);
    const empty = await api.one.call('POST', '/admin/brands', { body: {} });
    expect([empty.status, empty.json.error?.code]).toEqual([400, 'INVALID_REQUEST']);
    const text = { raw: 'x', headers: { 'content-type': 'text/plain' } };
    expect((await api.one.call('POST', '/admin/brands', text)).status).toBe(415);
  });

  it('serves one instance at two places, and two instances side by side', async () => {
    const body = { name: 'Acme', slug: `embedded-${kind}` };
    expect((await api.one.call('POST', '/admin/brands', { body })).status).toBe(201);
    expect((await api.again.call('POST', '/admin/brands', { body })).status).toBe(409);
    expect((await api.again.call('GET', '/admin/brands')).json).toEqual(
      (await api.one.call('GET', '/admin/brands')).json,
    );
    expect((await api.two.call('GET', '/admin/brands')).json).toEqual({ data: [] });
    expect((await api.two.call('GET', '/admin/brands', { token: TOKENS_OF.one })).status).toBe(401);
    expect((await api.one.call('GET', '/admin/brands', { token: TOKENS_OF.two })).status).toBe(401);
    const health = await Promise.all([api.one, api.again, api.two].map((each) => each.call('GET', '/readyz')));
    expect(health.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('builds links from where it is mounted', async () => {
    const body = { platform: 'tiktok', externalId: 'e-1' };
    for (const [mount, path] of [
      [api.one, '/one'],
      [api.again, '/nested/again'],
    ] as const) {
      const { data } = (await mount.call('POST', '/social-accounts/connect', { body })).json;
      const redirectUrl = String(data?.redirectUrl);
      expect(redirectUrl).toBe(`${app.url}${path}/connect/${data?.requestId}`);
      expect((await fetch(redirectUrl)).status).toBe(200);
    }
    // Behind a proxy that the host trusts, from what the proxy says.
    const proxied = await sendRaw(app.url, {
      method: 'POST',
      path: '/one/social-accounts/connect',
      headers: {
        authorization: `Bearer ${TOKENS_OF.one}`,
        'content-type': 'application/json',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'api.example.com',
      },
      body: JSON.stringify(body),
    });
    expect(JSON.parse(proxied.text).data.redirectUrl).toMatch(/^https:\/\/api\.example\.com\/one\/connect\//);
  });

  it("lets the host's own authentication decide who calls", async () => {
    const as = (user: string) => ({ token: null, headers: { 'x-user': user } });
    expect((await api.one.call('GET', '/admin/brands', as('admin'))).status).toBe(200);
    expect((await api.one.call('GET', '/admin/brands', as('client'))).status).toBe(403);
    const refused = { token: TOKENS_OF.one, headers: { 'x-user': 'refused' } };
    expect((await api.one.call('GET', '/admin/brands', refused)).status).toBe(401);
    expect((await api.one.call('GET', '/admin/brands')).status).toBe(200);
    expect((await api.one.call('GET', '/admin/brands', { token: null })).status).toBe(401);
    // An instance without the hook does not know these users.
    expect((await api.two.call('GET', '/admin/brands', as('admin'))).status).toBe(401);

    const link = { externalId: 'e-own', platform: 'tiktok', handle: 'own.handle' };
    await api.one.call('POST', '/social-accounts', { body: link });
    const own = await api.one.call('GET', '/social-accounts', as('creator:e-own'));
    expect(own.json.data?.['0']).toMatchObject({ platformUsername: 'own.handle' });
    expect((await api.one.call('GET', '/social-accounts?externalId=e-own', as('creator:e-other'))).status).toBe(403);
  });
});

const closing = closingAfterEach();

/** An instance that has started; stopped after the test. */
async function started(...args: Parameters<typeof createCredence>): Promise<Credence> {
  const credence = createCredence(...args);
  closing.push(() => credence.stop());
  await credence.start();
  return credence;
}

async function urlOf(app: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(app));
  closing.push(close);
  return url;
}

it("keeps the host's own `Vary` beside Credence's", async () => {
  const credence = await started(inMemory(TOKENS_OF.one));
  const app = fastify();
  app.addHook('onRequest', async (_request, reply) => void reply.header('Vary', 'Origin'));
  await app.register(credenceFastify(credence));
  closing.push(() => app.close());
  const vary: RequestHandler = (_request, response, next) => {
    response.vary('Origin');
    next();
  };
  const urls = [
    await app.listen({ port: 0, host: '127.0.0.1' }),
    await urlOf(express().use(vary, credenceExpress(credence))),
  ];
  for (const url of urls) {
    const page = await fetch(`${url}/connect/${'f'.repeat(48)}`);
    expect([page.status, page.headers.get('vary')], url).toEqual([404, 'Origin, accept-language']);
    expect((await fetch(`${url}/healthz`)).headers.get('vary')).toBe('Origin');
  }
});

it("stays out of the document of the host's own routes", async () => {
  const app = fastify();
  await app.register(swagger);
  app.get('/own', async () => ({}));
  await app.register(credenceFastify(await started(inMemory(TOKENS_OF.one))), { prefix: '/engagement' });
  closing.push(() => app.close());
  await app.ready();
  expect(Object.keys(app.swagger().paths ?? {})).toEqual(['/own']);
});

describe('behind a body parser', () => {
  it("takes the forms of other sites for nobody's, no matter whom the cookie names", async () => {
    const credence = await started(inMemory(TOKENS_OF.one), {
      identify: (native) =>
        (native as IncomingMessage).headers.cookie === 'sid=admin'
          ? { role: 'admin', tokenId: null, externalId: null, key: 'user:admin' }
          : undefined,
    });
    const url = await urlOf(
      express().use(express.json(), express.urlencoded({ extended: true }), credenceExpress(credence)),
    );
    const send = async (path: string, type: string, body: string) => {
      const headers = { cookie: 'sid=admin', 'content-type': type, origin: 'https://other.example' };
      return (await fetch(`${url}${path}`, { method: 'POST', headers, body })).status;
    };
    const form = 'application/x-www-form-urlencoded';
    expect(await send('/admin/tokens', form, 'name=x&role=admin')).toBe(415);
    expect(await send('/admin/tokens', 'application/json', '{"name":"x","role":"admin"}')).toBe(201);
    // The one route whose page has a form takes it, parsed or not.
    expect(await send(`/connect/${'f'.repeat(48)}`, form, 'handle=ada')).toBe(404);
    // The parser makes `{}` of nothing: no body is no body of the wrong type.
    expect(await send('/admin/challenges/1/attempts/1/redeliver-webhooks', form, '')).toBe(404);
  });

  it.each([
    express4.urlencoded({ extended: false }),
    express4.raw(),
    express4.text({ type: '*/*' }),
    express.text({ type: '*/*' }),
  ])('reads the body that a parser has left alone, or has taken for text', async (parser) => {
    const credence = await started(inMemory(TOKENS_OF.one));
    const api = createApiClient(await urlOf(express4().use(parser, credenceExpress(credence))), TOKENS_OF.one);
    const made = await api.call('POST', '/admin/brands', { body: { name: 'Acme', slug: 'acme' } });
    expect([made.status, made.json.data?.slug]).toEqual([201, 'acme']);
    const path = `/admin/brands/${made.json.data?.id}`;
    const webhook = { url: 'https://receiver.example/old', events: ['reward.issued'] };
    const { data } = (await api.call('POST', `${path}/webhooks`, { body: webhook })).json;
    const changed = await api.call('PATCH', `${path}/webhooks/${data?.id}`, {
      body: { url: 'https://receiver.example/new' },
    });
    expect([changed.status, changed.json.data?.url]).toEqual([200, 'https://receiver.example/new']);
    // An empty object that was parsed is one.
    expect((await api.call('POST', '/admin/brands', { body: {} })).status).toBe(400);
  });

  it('refuses a signed callback whose raw bytes are gone, and says what to do', async () => {
    const credence = await started({
      ...inMemory(TOKENS_OF.one),
      services: ['engagement', 'web-prover'],
      notary: { key: { secret: new Uint8Array(32).fill(7) } },
      webProofCallback: { secret: `whsec_${Buffer.alloc(32, 5).toString('base64')}` },
    });
    const app = await embedInExpress({ '/one': credence });
    closing.push(() => app.close());
    const webProof = { data: 'abcd', version: '2.0.0', meta: { notaryUrl: 'https://notary.example' } };
    const body = { requestId: 'f'.repeat(48), presentationJson: webProof };
    const answer = await createApiClient(app.url, '').call('POST', '/one/web-proofs/callback', { body });
    expect(answer.status).toBe(415);
    expect(answer.json.error?.message).toContain('mount Credence before express.json()');
    const empty = await createApiClient(app.url, '').call('POST', '/one/web-proofs/callback', { body: { no: 1 } });
    expect([empty.status, empty.json.error?.details]).toEqual([415, undefined]);
  });
});

describe('an instance', () => {
  const IN_MEMORY = { storage: { url: 'sqlite::memory:' } };
  let directory: string;
  beforeEach(async () => {
    directory = newFolder();
  });

  /** A queue that cannot be reached. */
  const broken = (stop = async () => {}) =>
    new ContainerModule((options) => {
      options.rebind(TOKENS.jobQueue).toConstantValue({
        enqueue: async () => {},
        start: () => Promise.reject(new Error('the queue cannot be reached')),
        stop,
        stats: async () => ({ queued: 0, running: 0, dead: 0 }),
      });
    });

  it('stores no admin token in a start that fails: the next one shows it', async () => {
    const config = { ...IN_MEMORY, storage: { url: `sqlite:${join(directory, 'credence.db')}` } };
    const failing = createCredence(config, { modules: [broken()] });
    await expect(failing.start()).rejects.toThrow('the queue cannot be reached');
    await failing.stop();
    const credence = createCredence(config);
    expect((await credence.start()).generatedAdminToken).toMatch(/^crd_/);
    await credence.stop();
  });

  it('writes nothing before it is started', async () => {
    const [path, keyFile] = [join(directory, 'db', 'credence.db'), join(directory, 'keys', 'secrets.key')];
    const credence = createCredence({ storage: { url: `sqlite:${path}` }, secrets: { keyFile } });
    expect(await readdir(directory)).toEqual([]);
    await credence.start();
    expect((await readdir(directory)).sort()).toEqual(['db', 'keys']);
    await credence.stop();
  });

  it('can be started again after a start that failed, and not after it was stopped', async () => {
    const folder = join(directory, 'data');
    await writeFile(folder, 'a file where the folder of the database should be');
    const credence = createCredence({ ...IN_MEMORY, storage: { url: `sqlite:${join(folder, 'credence.db')}` } });
    await expect(credence.start()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await credence.health()).toMatchObject({ ready: false, checks: { lifecycle: 'created' } });
    await rm(folder);
    const [first, second] = await Promise.all([credence.start(), credence.start()]);
    expect(first.generatedAdminToken).toMatch(/^crd_/);
    expect(second).toEqual(first);
    expect(await credence.health()).toEqual({ ready: true, checks: { lifecycle: 'ok', storage: 'ok' } });
    const stopping = Promise.all([credence.stop(), credence.stop()]);
    await expect(credence.start()).rejects.toThrow('make a new one');
    await stopping;
    expect((await credence.health()).ready).toBe(false);
    await expect(credence.start()).rejects.toThrow('make a new one');
  });

  it('stops by itself when its start fails late, also when it is told to at the same time', async () => {
    let closed = 0;
    const make = () => createCredence(IN_MEMORY, { modules: [broken(async () => void closed++)] });
    const alone = make();
    await expect(alone.start()).rejects.toThrow('the queue cannot be reached');
    expect(closed).toBe(1);
    expect((await alone.health()).checks).toEqual({ lifecycle: 'stopped', storage: 'unreachable' });
    await expect(alone.start()).rejects.toThrow('make a new one');
    await alone.stop();
    const told = make();
    const starting = told.start();
    await Promise.all([expect(starting).rejects.toThrow('the queue cannot be reached'), told.stop()]);
    expect(closed).toBe(2);
    expect((await told.health()).checks.lifecycle).toBe('stopped');
  });

  it('can be stopped without having been started', async () => {
    const credence = createCredence(IN_MEMORY);
    await credence.stop();
    expect((await credence.health()).checks.lifecycle).toBe('stopped');
  });
});
