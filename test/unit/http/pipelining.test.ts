/** Connections with pipelined requests: what is parsed, started and answered, by count. */
import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type ConnectionGuardOptions, guardConnections } from '../../../plugins/http/connection-guard.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Served {
  readonly server: Server;
  /** Requests that the parser has handed over. */
  parsed(): number;
  open(): Socket;
}

async function serve(
  listener: RequestListener,
  options: ConnectionGuardOptions,
  event = 'request',
  prepare: (server: Server) => unknown = () => undefined,
): Promise<Served> {
  let parsed = 0;
  class CountedMessage extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      parsed += 1;
    }
  }
  const server = createServer({ IncomingMessage: CountedMessage });
  server.on(event, listener);
  prepare(server);
  guardConnections(server, options);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const open = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    closing.push(() => socket.destroy());
    return socket;
  };
  return { server, parsed: () => parsed, open };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a.test\r\n\r\n`;
const closed = (socket: Socket) => new Promise((resolve) => socket.resume().once('close', resolve));

/** Resolves with what was received once `count` answers with the body `ok` are in it. */
function answers(socket: Socket, count: number): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.split('\r\n\r\nok').length > count) resolve(text);
    });
  });
}

it.each([
  [{ maxPipelined: 3 }, 3],
  [{}, 16],
] as const)('starts none of too many requests, and parses no more than one beyond %o', async (options, most) => {
  let started = 0;
  const { open, parsed } = await serve(() => {
    started += 1;
  }, options);
  const socket = open();
  socket.write(get('/').repeat(500));
  await closed(socket);
  expect(started).toBe(0);
  // The one too many, and the one at which the parser learns of it.
  expect(parsed()).toBeLessThanOrEqual(most + 2);
});

it('serves the requests of a connection one after the other, in their order', async () => {
  let underWay = 0;
  const most: number[] = [];
  const paths: (string | undefined)[] = [];
  const { open } = await serve(
    ({ url }, response) => {
      underWay += 1;
      most.push(underWay);
      paths.push(url);
      setImmediate(() => {
        underWay -= 1;
        response.end('ok');
      });
    },
    { maxPipelined: 3 },
  );
  const socket = open();
  const answered = answers(socket, 3);
  socket.write(get('/1') + get('/2') + get('/3'));
  await answered;
  expect(most).toEqual([1, 1, 1]);
  expect(paths).toEqual(['/1', '/2', '/3']);
});

it('hands a request that waited its whole body', async () => {
  const bodies: string[] = [];
  const { open } = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.end('ok');
  }, {});
  const socket = open();
  const answered = answers(socket, 2);
  const post = (body: string) => `POST / HTTP/1.1\r\nhost: a.test\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const large = 'x'.repeat(500_000);
  socket.write(post('first') + post(large));
  await answered;
  expect(bodies).toEqual(['first', large]);
});

it('serves pipelined requests that are answered, however many there are', async () => {
  const { open } = await serve((_request, response) => void response.end('ok'), { maxPipelined: 3 });
  const socket = open();
  for (let round = 1; round <= 10; round += 1) {
    const answered = answers(socket, 2);
    socket.write(get('/').repeat(2));
    await answered;
  }
});

it('counts the requests that wait after an answer too', async () => {
  const waiting: (() => void)[] = [];
  const { open } = await serve((_request, response) => void waiting.push(() => response.end('ok')), {
    maxPipelined: 3,
  });
  const socket = open();
  const answered = answers(socket, 1);
  socket.write(get('/').repeat(3));
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.();
  await answered;
  socket.write(get('/').repeat(2));
  await closed(socket);
  expect(waiting).toHaveLength(2);
});

it('starts no request of a client that has gone before its turn', async () => {
  const paths: (string | undefined)[] = [];
  const { open, server } = await serve(({ url }) => void paths.push(url), {});
  const gone = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  const socket = open();
  socket.write(get('/1') + get('/2'));
  await expect.poll(() => paths.length).toBe(1);
  socket.destroy();
  await gone;
  await new Promise((resolve) => setImmediate(resolve));
  expect(paths).toEqual(['/1']);
});

it('counts requests that expect something too', async () => {
  let started = 0;
  const listener = () => {
    started += 1;
  };
  const { open, parsed } = await serve(listener, { maxPipelined: 2 }, 'checkContinue');
  const socket = open();
  socket.write('GET / HTTP/1.1\r\nhost: a.test\r\nexpect: 100-continue\r\n\r\n'.repeat(50));
  await closed(socket);
  expect(started).toBe(0);
  expect(parsed()).toBeLessThanOrEqual(4);
});

it('serves a request that the listener of its expectation hands on', async () => {
  const { open } = await serve(
    (_request, response) => void response.end('ok'),
    {},
    'request',
    (server) => server.on('checkContinue', (request, response) => server.emit('request', request, response)),
  );
  const socket = open();
  const answered = answers(socket, 1);
  socket.write('GET / HTTP/1.1\r\nhost: a.test\r\nexpect: 100-continue\r\n\r\n');
  await answered;
});
