/** Clients that send a request and never read: real sockets whose buffers fill, on the hosts as they are. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../hosts/standalone/app.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { defineRoute } from '../../plugins/http/route.ts';
import { closingAfterEach } from '../support/closing.ts';
import { createExpressServer } from '../support/express-server.ts';
import { listen } from '../support/listen.ts';
import { testDispatcher } from '../unit/http/requests.ts';

/** More than the buffers of a connection take, and at one Mbit/s more than two minutes. */
const LENGTH = 16 * 1024 * 1024;
const ANSWER = 'a'.repeat(LENGTH);
const REQUEST = 'GET /large HTTP/1.1\r\nhost: a.test\r\n\r\n';

let started = 0;
const credence = {
  routes: [
    defineRoute('large', 'GET /large', {
      summary: 's',
      tag: 't',
      access: 'public',
      responses: {},
      handle: async () => {
        started += 1;
        return { status: 200, body: ANSWER, contentType: 'text/plain' };
      },
    }),
  ],
  dispatcher: testDispatcher(),
};

const closing = closingAfterEach();

function opener(server: Server): () => Socket {
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    closing.push(() => socket.destroy());
    return socket;
  };
}

/** Both hosts; the standalone notary serves with the application of the first. */
const HOSTS = {
  standalone: async (credence: Mountable) => {
    const app = await createApp(credence);
    await app.listen({ port: 0, host: '127.0.0.1' });
    closing.push(() => app.close());
    return app.server;
  },
  express: async (credence: Mountable) => {
    const server = createExpressServer(credence);
    const { close } = await listen(server);
    closing.push(close);
    return server;
  },
};

describe.each(Object.entries(HOSTS))('the %s host', (_name, serve) => {
  it('makes one answer at a time for a client that does not read, and ends it for too many requests', async () => {
    const open = opener(await serve(credence));
    started = 0;
    const patient = open().pause();
    patient.write(REQUEST.repeat(10));
    await expect.poll(() => started).toBe(1);
    await sleep(100);
    const flood = open().resume();
    flood.write(REQUEST.repeat(1_000));
    await once(flood, 'close');
    expect(started).toBeLessThanOrEqual(3);
  });

  it('gives clients less than a minute to finish their request', async () => {
    const checkedEveryMs = 5_000;
    expect((await serve(credence)).requestTimeout + checkedEveryMs).toBeLessThan(60_000);
  });

  it('gives a client that reads slowly all of its answer', async () => {
    const open = opener(await serve(credence));
    const client = open();
    client.write(REQUEST);
    let length = 0;
    for await (const chunk of client) {
      const before = length;
      length += (chunk as Buffer).length;
      if (length > LENGTH) break;
      // Stands still again and again.
      if (Math.floor(before / 2 ** 21) < Math.floor(length / 2 ** 21)) await sleep(100);
    }
    expect(length).toBeGreaterThan(LENGTH);
  });
});
