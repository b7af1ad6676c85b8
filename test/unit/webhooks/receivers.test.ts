/** The middleware for receivers, each in its framework, with requests as the sender makes them. */

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import express from 'express';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { eventBody } from '../../../core/engagement/webhooks/event-body.ts';
import { createWebhookSecret } from '../../../core/engagement/webhooks/secret.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import {
  type WebhookEvent,
  type WebhookHandler,
  webhookExpress,
  webhookFastify,
  webhookFetch,
} from '../../../plugins/client/webhooks/index.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { listen } from '../../support/listen.ts';
import { sampleEvent, signedHeaders } from './support.ts';

// Has no types of its own.
const express4 = createRequire(import.meta.url)('express4') as typeof express;
const secret = createWebhookSecret(systemRandom);
const body = eventBody(sampleEvent(1));
const signed = (text = body) => signedHeaders(secret, 'creator.verified', text);

const closing = closingAfterEach();

async function serve(app: express.Express): Promise<string> {
  const server = await listen(createServer(app));
  closing.push(server.close);
  return server.url;
}

type Send = (init: { headers: Record<string, string>; body: string }) => Promise<Response>;

/** A receiver in each framework, at its route. */
const FRAMEWORKS: Record<string, (handler: WebhookHandler) => Promise<Send>> = {
  async express(handler) {
    const app = express();
    app.post('/hook', webhookExpress(secret, handler));
    app.use(express.json());
    app.use(((error, _request, response, _next) => {
      response.status(500).json({ host: error.message });
    }) satisfies express.ErrorRequestHandler);
    const url = await serve(app);
    return (init) => fetch(`${url}/hook`, { method: 'POST', ...init });
  },
  async fastify(handler) {
    const app = fastify();
    app.setErrorHandler((error, _request, reply) =>
      reply.code((error as { statusCode?: number }).statusCode ?? 500).send({ host: (error as Error).message }),
    );
    await app.register(webhookFastify(secret, handler), { prefix: '/hook' });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    closing.push(() => app.close());
    return (init) => fetch(`${url}/hook`, { method: 'POST', ...init });
  },
  async fetch(handler) {
    const receive = webhookFetch(secret, handler);
    return (init) =>
      receive(new Request('https://receiver.example/hook', { method: 'POST', ...init })).catch((error: Error) =>
        Response.json({ host: error.message }, { status: 500 }),
      );
  },
};

describe.each(Object.keys(FRAMEWORKS))('the receiver for %s', (name) => {
  const start = (handler: WebhookHandler) => (FRAMEWORKS[name] as (typeof FRAMEWORKS)[string])(handler);

  it('hands the event to the handler and answers 204 when it has returned', async () => {
    const events: WebhookEvent[] = [];
    const send = await start(async (event) => void events.push(event));
    const { status } = await send({ headers: signed(), body });
    expect([status, events]).toEqual([204, [{ ...JSON.parse(body), messageId: 'msg_1' }]]);
  });

  it('refuses what is not signed, with what is wrong, and calls no handler', async () => {
    const events: WebhookEvent[] = [];
    const send = await start((event) => events.push(event));
    const forged = await send({ headers: signed(), body: `${body} ` });
    expect([forged.status, await forged.json()]).toEqual([
      401,
      { error: { code: 'WRONG_SIGNATURE', message: expect.stringContaining('does not fit') } },
    ]);
    expect((await send({ headers: { 'content-type': 'application/json' }, body })).status).toBe(400);
    expect((await send({ headers: { ...signed('{}') }, body: '{}' })).status).toBe(422);
    expect((await send({ headers: signed(''), body: '' })).status).toBe(422);
    const old = { ...signedHeaders(secret, 'x', body, new Date(0)) };
    expect((await send({ headers: old, body })).status).toBe(401);
    expect(events).toEqual([]);
  });

  it('leaves errors of the handler to the framework, so that the event comes again', async () => {
    const send = await start(() => {
      throw new Error('the ledger is away');
    });
    const answer = await send({ headers: signed(), body });
    expect([answer.status, await answer.json()]).toEqual([500, { host: 'the ledger is away' }]);
  });

  it('reads no more than a webhook can be', async () => {
    const send = await start(() => undefined);
    const large = 'x'.repeat(1024 * 1024 + 1);
    const answer = await send({ headers: signed(large), body: large });
    expect(answer.status).toBe(413);
  });
});

describe('the receiver for Express', () => {
  const events: WebhookEvent[] = [];
  const post = async (app: express.Express) => {
    events.length = 0;
    const url = await serve(app);
    const answer = await fetch(url, { method: 'POST', headers: signed(), body });
    return { status: answer.status, text: await answer.text() };
  };
  const route = () => webhookExpress(secret, (event) => void events.push(event));
  const failing: express.ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(500).send(error.message);
  };

  it('takes the bytes of express.raw(), the text of express.text() and `rawBody`', async () => {
    const keep = express.json({
      verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }),
    });
    for (const parser of [express.raw({ type: '*/*' }), express.text({ type: '*/*' }), keep]) {
      expect((await post(express().use(parser).post('/', route()))).status).toBe(204);
      expect(events).toHaveLength(1);
    }
  });

  it.each([express4.urlencoded({ extended: false }), express4.text(), express4.raw()])(
    'reads the body that a parser of Express 4 has left alone',
    async (parser) => {
      expect((await post(express4().use(parser).post('/', route()))).status).toBe(204);
      expect(events).toHaveLength(1);
    },
  );

  it('tells the host, not the sender, that express.json() ran before it', async () => {
    const { status, text } = await post(express().use(express.json()).post('/', route()).use(failing));
    expect([status, text]).toEqual([500, expect.stringContaining('before express.json()')]);
    expect(events).toEqual([]);
  });

  it('tells the host that something else has read the stream', async () => {
    const drain: express.RequestHandler = (request, _response, next) => void request.on('end', () => next()).resume();
    const { status, text } = await post(express().use(drain).post('/', route()).use(failing));
    expect([status, text]).toEqual([500, expect.stringContaining('The body is missing')]);
  });
});

it("leaves the host's own routes on Fastify as they are", async () => {
  const app = fastify();
  closing.push(() => app.close());
  await app.register(
    webhookFastify(secret, () => undefined),
    { prefix: '/hook' },
  );
  app.post('/own', async (request) => ({ parsed: request.body }));
  const answer = await app.inject({ method: 'POST', url: '/own', payload: { a: 1 } });
  expect(answer.json()).toEqual({ parsed: { a: 1 } });
});

it('tells a fetch host that the body was read before', async () => {
  const request = new Request('https://receiver.example/', { method: 'POST', headers: signed(), body });
  await request.json();
  await expect(webhookFetch(secret, () => undefined)(request)).rejects.toMatchObject({ code: 'PARSED_BODY' });
});

it.each([webhookExpress, webhookFastify, webhookFetch])('%o fails at once without a secret or a handler', (make) => {
  expect(() => make('', () => undefined)).toThrow('The secret is empty.');
  expect(() => make(secret, undefined as never)).toThrow('The second argument must be a function');
});
