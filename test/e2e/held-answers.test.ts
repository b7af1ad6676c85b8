/** Large answers count against their caller until they are sent: whatever a client does, they stop counting. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { credenceExpress } from '../../plugins/express/index.ts';
import { credenceFastify } from '../../plugins/fastify/index.ts';
import { credenceFetch } from '../../plugins/fetch/index.ts';
import { type ByteCounter, createByteCounter } from '../../plugins/http/byte-counter.ts';
import { type Mountable, receivingMs } from '../../plugins/http/mountable.ts';
import { defineRoute } from '../../plugins/http/route.ts';
import { listen } from '../support/listen.ts';
import { testDispatcher } from '../unit/http/requests.ts';

interface Served {
  readonly port: number;
  close(): Promise<unknown>;
}

async function served(app: Pick<FastifyInstance, 'listen' | 'close'>): Promise<Served> {
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { port: Number(port), close: () => app.close() };
}

const inFastify = async (credence: Mountable): Promise<Served> => {
  const app = fastify({ forceCloseConnections: true });
  await app.register(credenceFastify(credence));
  return served(app);
};

const inFastifyOverHttp2 = async (credence: Mountable): Promise<Served> => {
  const app = fastify({ http2: true });
  await app.register(async (own) => credenceFastify(credence)(own as unknown as FastifyInstance, {}));
  return served(app);
};

const inExpress = (credence: Mountable) => listen(createServer(express().use(credenceExpress(credence))));

const inHono = (credence: Mountable) => listen(createAdaptorServer({ fetch: credenceFetch(credence) }) as Server);

/** A request for the large answer. */
interface Asked {
  readonly status: Promise<number>;
  /** Reads all of it; rejects when the server ends it before. */
  length(): Promise<number>;
  giveUp(): void;
  /** Ends the connection, whatever is under way. */
  hangUp(): void;
}

const HEADERS = { authorization: 'Bearer admin', 'content-type': 'application/json' };

const lengthOf = async (stream: Readable) => (await buffer(stream)).length;

function askHttp1(port: number): Asked {
  const sent = request({ port, host: '127.0.0.1', path: '/large', method: 'POST', headers: HEADERS, agent: false });
  sent.on('error', () => undefined);
  const answer = once(sent, 'response').then(([response]) => response);
  answer.catch(() => undefined);
  sent.end('{}');
  return {
    status: answer.then(({ statusCode }) => statusCode),
    length: async () => lengthOf(await answer),
    giveUp: () => void sent.destroy(),
    hangUp: () => void sent.destroy(),
  };
}

function askHttp2(port: number): Asked {
  const session = connect(`http://127.0.0.1:${port}`);
  const sent = session.request({ ':method': 'POST', ':path': '/large', ...HEADERS });
  sent.on('error', () => undefined).once('close', () => session.close());
  const status = once(sent, 'response').then(([headers]) => headers[':status'] as number);
  sent.end('{}');
  return { status, length: () => lengthOf(sent), giveUp: () => sent.close(8), hangUp: () => session.destroy() };
}

const MOUNTS = {
  fastify: { serve: inFastify, ask: askHttp1 },
  'fastify over HTTP/2': { serve: inFastifyOverHttp2, ask: askHttp2 },
  express: { serve: inExpress, ask: askHttp1 },
  'a fetch handler': { serve: inHono, ask: askHttp1 },
};

/** More than the buffers of a connection take. */
const LENGTH = 16 * 1024 * 1024;
const BUDGET = { freeBytes: 64 * 1024, callerBytes: LENGTH, totalBytes: LENGTH };

const ANSWER = 'a'.repeat(LENGTH);

/** Answers at large after `before`. */
const largeRoute = (before: (signal: AbortSignal) => Promise<unknown>) =>
  defineRoute('large', 'POST /large', {
    summary: 's',
    tag: 't',
    access: 'admin',
    body: z.object({}),
    responses: {},
    handle: async ({ signal }) => {
      await before(signal);
      return { status: 200, body: ANSWER, contentType: 'text/plain' };
    },
  });

function holdsAnything(budget: ByteCounter): boolean {
  const share = budget.open('another');
  try {
    share.take(LENGTH + BUDGET.freeBytes);
    return false;
  } catch {
    return true;
  } finally {
    share.release();
  }
}

describe.each(Object.entries(MOUNTS))('a large answer on %s', (_name, { serve, ask }) => {
  let served: Served;
  let begun: ((signal: AbortSignal) => void) | undefined;
  let answered = Promise.resolve();
  let budget = createByteCounter(BUDGET);
  const isHeld = () => holdsAnything(budget);
  const route = largeRoute((signal) => {
    begun?.(signal);
    return answered;
  });

  beforeEach(() => {
    begun = undefined;
    answered = Promise.resolve();
    budget = createByteCounter(BUDGET);
  });
  afterEach(() => served.close());

  it('counts no more once it is read', async () => {
    served = await serve({ routes: [route], dispatcher: testDispatcher({ byteCounter: budget }) });
    let signal: AbortSignal | undefined;
    begun = (own) => {
      signal = own;
    };
    const asked = ask(served.port);
    expect(await asked.status).toBe(200);
    expect(isHeld()).toBe(true);
    expect(await asked.length()).toBe(LENGTH);
    await expect.poll(isHeld).toBe(false);
    expect(signal?.aborted).toBe(false);
  });

  it('does not count when its client went away while it was made', async () => {
    served = await serve({ routes: [route], dispatcher: testDispatcher({ byteCounter: budget }) });
    for (let round = 0; round < 3; round += 1) {
      const handling = new Promise<AbortSignal>((resolve) => {
        begun = resolve;
      });
      let finish = (): void => undefined;
      answered = new Promise((resolve) => {
        finish = resolve;
      });
      const asked = ask(served.port);
      asked.status.catch(() => undefined);
      const signal = await handling;
      asked.giveUp();
      await expect.poll(() => signal.aborted).toBe(true);
      finish();
      await new Promise((resolve) => setImmediate(resolve));
      await expect.poll(isHeld).toBe(false);
    }
  });

  // Behind a fetch handler that is for the host's own server to do.
  it.skipIf(serve === inHono)('is ended when its client does not read it, and counts no more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    served = await serve({ routes: [route], dispatcher: testDispatcher({ byteCounter: budget }) });
    const asked = ask(served.port);
    expect(await asked.status).toBe(200);
    vi.advanceTimersByTime(receivingMs(LENGTH));
    await expect.poll(isHeld).toBe(false);
    asked.hangUp();
  });
});

afterEach(() => void vi.useRealTimers());

describe.each([
  ['fastify', inFastify],
  ['express', inExpress],
] as const)('a large answer on %s that waits behind one that is not made yet', (_name, serve) => {
  it('is ended in time too', async () => {
    const budget = createByteCounter(BUDGET);
    const dispatcher = testDispatcher({ byteCounter: budget });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let asked = 0;
    const route = largeRoute(async (signal) => {
      asked += 1;
      if (asked === 1) await once(signal, 'abort');
    });
    const served = await serve({ routes: [route], dispatcher });
    const socket = connectTcp(served.port, '127.0.0.1').resume();
    const closed = once(socket, 'close');
    const headers = Object.entries({ ...HEADERS, host: 'a', 'content-length': '2' }).map((header) => header.join(': '));
    const message = ['POST /large HTTP/1.1', ...headers, '', '{}'].join('\r\n');
    socket.write(message + message);
    await expect.poll(() => asked).toBe(2);
    // The second answer is made by now; the first has no time to keep.
    await expect.poll(() => holdsAnything(budget)).toBe(true);
    vi.advanceTimersByTime(receivingMs(LENGTH));
    await closed;
    await expect.poll(() => holdsAnything(budget)).toBe(false);
    expect(asked).toBe(2);
    await served.close();
  });
});
