import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type ConnectionGuardOptions, guardConnections } from '../../../plugins/http/connection-guard.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener, options: ConnectionGuardOptions): Promise<() => Socket> {
  const server = createServer(listener);
  guardConnections(server, options);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    closing.push(() => socket.destroy());
    return socket;
  };
}

const REQUEST = 'GET / HTTP/1.1\r\nhost: a.test\r\n\r\n';

it('keeps a connection whose client has read its answer', async () => {
  const open = await serve((_request, response) => void response.end('ok'), { unreadMs: 20 });
  const socket = open();
  for (let round = 0; round < 3; round += 1) {
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write(REQUEST);
    await answered;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(socket.destroyed).toBe(false);
});

it('ends a connection with more requests waiting than it may have, and looks at no more of them', async () => {
  let seen = 0;
  const open = await serve(
    () => {
      seen += 1;
    },
    { maxPipelined: 3 },
  );
  const socket = open();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(REQUEST.repeat(500));
  socket.resume();
  await closed;
  expect(seen).toBe(3);
});

it('serves pipelined requests that are answered, however many there are', async () => {
  const open = await serve((_request, response) => void response.end('ok'), { maxPipelined: 3 });
  const socket = open();
  let text = '';
  for (let round = 1; round <= 10; round += 1) {
    const answered = new Promise<void>((resolve) => {
      socket.on('data', function read(chunk) {
        text += String(chunk);
        if (text.split('\r\n\r\nok').length <= 2 * round) return;
        socket.off('data', read);
        resolve();
      });
    });
    socket.write(REQUEST.repeat(2));
    await answered;
  }
  expect(text.split('\r\n\r\nok')).toHaveLength(21);
});
