/** What only a Fastify host has: hooks that refuse requests, an error handler of its own, prefixes with parameters. */
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createCredence } from '../../plugins/compose/index.ts';
import { credenceFastify } from '../../plugins/fastify/index.ts';
import { createApiClient } from '../support/client.ts';
import { sendRaw } from '../support/wire.ts';

const TOKEN = 'admin-token-of-the-fastify-host';

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** Mounts a fresh instance below the prefix; the host has set itself up by then. */
async function serve(prefix: string, setUp: (host: FastifyInstance) => unknown): Promise<string> {
  const credence = createCredence({ storage: 'sqlite::memory:', adminToken: TOKEN });
  const host = fastify();
  app = host;
  host.addHook('onClose', () => credence.stop());
  await setUp(host);
  await host.register(credenceFastify(credence), { prefix });
  await credence.start();
  return host.listen({ port: 0, host: '127.0.0.1' });
}

function refuseWith(error: unknown) {
  return (host: FastifyInstance) =>
    host.addHook('onRequest', async () => {
      throw error;
    });
}

const hostError = (statusCode: number, more: object = {}) =>
  Object.assign(new Error('the host says no'), { statusCode, ...more });

describe("what the host's own hooks throw", () => {
  it.each([401, 413, 415, 500])("goes to the host's error handler: %i", async (status) => {
    const url = await serve('/e', (host) => {
      host.setErrorHandler((error: Error, _request, reply) => reply.code(status).send({ mine: error.message }));
      refuseWith(hostError(status))(host);
    });
    const answer = await createApiClient(`${url}/e`, TOKEN).call('GET', '/admin/brands');
    expect([answer.status, answer.json]).toEqual([status, { mine: 'the host says no' }]);
  });

  it.each([
    ['of a status', hostError(429), 429],
    ['of a plugin', hostError(503, { code: 'FST_UNDER_PRESSURE' }), 503],
    ['that is a failure of Fastify', hostError(500, { code: 'FST_ERR_REP_INVALID_PAYLOAD_TYPE' }), 500],
    ['that is no error', 'no', 500],
  ])('is answered by Fastify where the host has no error handler: %s', async (_name, thrown, status) => {
    const url = await serve('/e', refuseWith(thrown));
    const answer = await createApiClient(`${url}/e`, TOKEN).call('GET', '/admin/brands');
    expect(answer.status).toBe(status);
    expect(answer.json.error?.code).toBeUndefined();
  });
});

describe('what Fastify itself refuses', () => {
  it("is answered in Credence's words below its prefix", async () => {
    const url = await serve('/e', (host) => {
      host.setErrorHandler((_error, _request, reply) => reply.code(418).send());
      refuseWith(hostError(413, { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }))(host);
    });
    const answer = await createApiClient(`${url}/e`, TOKEN).call('GET', '/admin/brands');
    expect([answer.status, answer.json.error?.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

it('hands a malformed content type to every hook of the host, and refuses it', async () => {
  const passed: string[] = [];
  const url = await serve('/e', (host) => {
    for (const name of ['preParsing', 'preValidation', 'preHandler'] as const) {
      host.addHook(name, async () => void passed.push(name));
    }
  });
  const { status } = await sendRaw(url, {
    method: 'POST',
    path: '/e/admin/campaigns/1/end',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'not a type' },
    body: '{}',
  });
  expect([status, passed]).toEqual([415, ['preParsing', 'preValidation', 'preHandler']]);
});

it('is found below a prefix that cannot be sent but percent-encoded', async () => {
  const { call } = createApiClient(await serve('/café au lait', () => {}), TOKEN);
  expect((await call('GET', '/caf%C3%A9%20au%20lait/admin/tokens')).status).toBe(200);
  expect((await call('GET', '/caf%C3%A9%20au%20lait/%61dmin/tokens')).status).toBe(404);
});

it('finds no path whose literal segments are percent-encoded, which a hook that guards by path would not see', async () => {
  const url = await serve('/t/:tenant/e', (host) => {
    host.addHook('onRequest', async (request, reply) => {
      if (request.url.startsWith('/t/a%2Fb/e/admin')) return reply.code(418).send();
    });
  });
  const { call } = createApiClient(url, TOKEN);
  const statusOf = async (path: string) => (await call('GET', path)).status;
  expect(await statusOf('/t/a%2Fb/e/admin/tokens')).toBe(418);
  const encoded = ['/t/a%2Fb/e/%61dmin/tokens', '/t/a%2Fb/%65/admin/tokens', '/%74/a%2Fb/e/admin/tokens?a=%62'];
  for (const path of encoded) expect(await statusOf(path), path).toBe(404);
  expect(await statusOf('/t/%61/e/admin/brands?limit=%31')).toBe(200);
  const body = { name: 'Acme', slug: 'acme' };
  expect((await call('POST', '/t/a/e/admin/brands', { body })).status).toBe(201);
  expect((await call('PATCH', '/t/a/e/admin/brands/%31', { body: { name: 'Bravo' } })).status).toBe(200);
});

describe('links', () => {
  it.each([
    ['/t/:tenant/e', '/t/acme/e'],
    ['/t/:tenant/e', '/t/a%2Fb%3Fc/e'],
    ['/n/:id(^\\d+$)', '/n/42'],
  ])('below %s contain the path of the request: %s', async (prefix, path) => {
    const url = await serve(prefix, () => undefined);
    const body = { platform: 'tiktok', externalId: 'e-1' };
    const { json } = await createApiClient(`${url}${path}`, TOKEN).call('POST', '/social-accounts/connect?x=/1', {
      body,
    });
    expect(json.data?.redirectUrl).toBe(`${url}${path}/connect/${json.data?.requestId}`);
    expect((await fetch(String(json.data?.redirectUrl))).status).toBe(200);
  });
});
