/** What a host has in its own log: one line and one id for each request. */
import { createServer } from 'node:http';
import express from 'express';
import { fastify } from 'fastify';
import { fastify as fastify4 } from 'fastify4';
import { afterAll, describe, expect, it } from 'vitest';
import { type Credence, createCredence, silentLogger } from '../../../plugins/compose/index.ts';
import { credenceExpress } from '../../../plugins/express/index.ts';
import { credenceFastify } from '../../../plugins/fastify/index.ts';
import { listen } from '../../support/listen.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

type Line = Readonly<Record<string, unknown>>;

function instance(logger: Parameters<typeof createCredence>[1]): Credence {
  const credence = createCredence({ storage: 'sqlite::memory:' }, logger);
  stops.push(() => credence.stop());
  return credence;
}

// The types of the two versions differ in what is not used here.
const FASTIFY = { 5: fastify, 4: fastify4 as unknown as typeof fastify };

describe.each([5, 4] as const)('a host on Fastify %i', (version) => {
  function host(options: object = {}) {
    const lines: Line[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const app = FASTIFY[version]({ logger: { level: 'info', stream }, ...options });
    stops.push(() => app.close());
    return { app, lines };
  }

  it('has one line for each request, under the id that the caller is told', async () => {
    const { app, lines } = host();
    const refused = { headers: { 'x-refuse': '1' } };
    app.addHook('preHandler', async (request, reply) => {
      if (request.headers['x-refuse']) return reply.code(401).send({ mine: true });
    });
    app.get('/mine', async () => 'mine');
    await app.register(credenceFastify(instance({ logger: app.log })), { prefix: '/e' });
    const unknown = await app.inject({ url: '/e/campaigns/1' });
    const own = await app.inject({ url: '/e/campaigns/1', headers: { 'x-request-id': 'mine-12345678' } });
    expect([unknown.statusCode, own.headers['x-request-id']]).toEqual([401, 'mine-12345678']);
    expect((await app.inject({ url: '/e/campaigns/1', ...refused })).json()).toEqual({ mine: true });
    expect(lines).toMatchObject([
      { requestId: unknown.headers['x-request-id'], route: 'getCampaign', status: 401, code: 'UNAUTHORIZED' },
      { requestId: 'mine-12345678', route: 'getCampaign' },
      { reqId: expect.any(String), req: { url: '/e/campaigns/1' }, res: { statusCode: 401 } },
    ]);
    // Routes of its own are logged as before.
    await app.inject({ url: '/mine' });
    expect(lines.slice(3).map(({ msg }) => msg)).toEqual(['incoming request', 'request completed']);
    expect(lines[3]?.reqId).toMatch(/^req-/);
  });

  it('keeps ids of its own, and its own lines if Credence has another log', async () => {
    const { app, lines } = host({ genReqId: () => 'trace-7' });
    await app.register(credenceFastify(instance({ logger: silentLogger })), { prefix: '/e' });
    await app.register(credenceFastify(instance({})), { prefix: '/f' });
    for (const url of ['/e/campaigns/1', '/f/campaigns/1']) {
      expect((await app.inject({ url })).headers['x-request-id']).toBe('trace-7');
    }
    expect(lines.map(({ reqId }) => reqId)).toEqual(Array.from({ length: 4 }, () => 'trace-7'));
  });

  it('leaves the line to Credence if it writes none itself', async () => {
    const { app, lines } = host({ disableRequestLogging: true });
    await app.register(credenceFastify(instance({ logger: app.log })));
    await app.inject({ url: '/campaigns/1' });
    expect(lines).toMatchObject([{ route: 'getCampaign', status: 401 }]);
  });
});

describe('a host on Express', () => {
  it.each([
    ['trace-7', 'trace-7'],
    [42, '42'],
    ['not for\na header', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    [undefined, expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('whose log calls a request %j tells its caller %s', async (id, told) => {
    const logger = createRecordingLogger();
    const app = express().use(
      (request, _response, next) => {
        Object.assign(request, { id });
        next();
      },
      credenceExpress(instance({ logger })),
    );
    await using server = await listen(createServer(app));
    const answer = await fetch(`${server.url}/campaigns/1`);
    expect(answer.headers.get('x-request-id')).toEqual(told);
    expect(logger.lines.map(({ fields }) => fields)).toMatchObject([{ requestId: answer.headers.get('x-request-id') }]);
  });
});
