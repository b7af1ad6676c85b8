import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPaceClient } from '../../../adapters/redis-rate-limiter/pace-client.ts';

const server = createServer((socket) => void socket.resume());
const unheard: unknown[] = [];
const note = (reason: unknown) => void unheard.push(reason);

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  process.off('unhandledRejection', note);
  await new Promise((resolve) => server.close(resolve));
});

it('listens again without anybody waiting for it, also when it is closed just then', async () => {
  const client = createPaceClient(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [first] = (await once(server, 'connection')) as [Socket];
  const listener = client.duplicate();
  const [second] = (await once(server, 'connection')) as [Socket];
  listener.subscribe('pace');
  const awaited = expect(listener.subscribe('pace')).rejects.toThrow('Connection is closed');
  client.disconnect();
  listener.disconnect();
  await Promise.all([first, second].map((socket) => once(socket, 'close')));
  await awaited;
  await new Promise((resolve) => setImmediate(resolve));
  expect(unheard).toEqual([]);
});
