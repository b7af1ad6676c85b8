import { EventEmitter } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('unread answers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A connection that holds so many bytes of answers that its client has not read. */
  class Connection extends EventEmitter {
    destroyed = false;
    writableLength: number;
    /** What the kernel has not taken of it. */
    readonly _handle: { writeQueueSize: number };
    constructor(unread: number) {
      super();
      this.writableLength = unread;
      this._handle = { writeQueueSize: unread };
    }
    destroy(): void {
      this.destroyed = true;
      this.emit('close');
    }
  }

  function guarded(options?: ConnectionGuardOptions): { server: Server; accept: (unread: number) => Connection } {
    const server = createServer(() => undefined);
    guardConnections(server, options);
    return {
      server,
      accept(unread) {
        const connection = new Connection(unread);
        server.emit('connection', connection);
        return connection;
      },
    };
  }

  it('end their connection after 30 s in which the client takes none of them', () => {
    const { accept } = guarded();
    const connection = accept(1_250_000);
    vi.advanceTimersByTime(30_000);
    expect(connection.destroyed).toBe(false);
    vi.advanceTimersByTime(5_000);
    expect(connection.destroyed).toBe(true);
  });

  it('may take what their size takes at 1 Mbit/s besides, as long as the client takes some', () => {
    const { accept } = guarded();
    const connection = accept(1_250_000);
    const takeFor = (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) {
        connection._handle.writeQueueSize -= 1;
        vi.advanceTimersByTime(5_000);
      }
    };
    takeFor(40);
    expect(connection.destroyed).toBe(false);
    takeFor(5);
    expect(connection.destroyed).toBe(true);
  });

  it('end the connection of a client that takes some and then no more', () => {
    const { accept } = guarded({ unreadMs: 600 });
    const connection = accept(1_250_000);
    vi.advanceTimersByTime(500);
    connection._handle.writeQueueSize -= 1;
    vi.advanceTimersByTime(700);
    expect(connection.destroyed).toBe(false);
    vi.advanceTimersByTime(100);
    expect(connection.destroyed).toBe(true);
  });

  it('have the whole time again when the client has read some of them', () => {
    const { accept } = guarded({ unreadMs: 600 });
    const connection = accept(100);
    for (const unread of [90, 80, 70]) {
      vi.advanceTimersByTime(500);
      connection.writableLength = unread;
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(500);
    expect(connection.destroyed).toBe(false);
    vi.advanceTimersByTime(200);
    expect(connection.destroyed).toBe(true);
  });

  it('count from when they are there, however long the connection was idle', () => {
    const { accept } = guarded({ unreadMs: 600 });
    const connection = accept(0);
    vi.advanceTimersByTime(50_000);
    expect(connection.destroyed).toBe(false);
    connection.writableLength = 100;
    vi.advanceTimersByTime(500);
    expect(connection.destroyed).toBe(false);
    vi.advanceTimersByTime(300);
    expect(connection.destroyed).toBe(true);
  });

  it('of connections that have closed are not looked at, and of closed servers neither', () => {
    const { server, accept } = guarded({ unreadMs: 600 });
    const connection = accept(100);
    connection.emit('close');
    vi.advanceTimersByTime(10_000);
    expect(connection.destroyed).toBe(false);
    expect(vi.getTimerCount()).toBe(1);
    server.emit('close');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are looked at at least every millisecond, also without a time', () => {
    const { accept } = guarded({ unreadMs: 0 });
    const connection = accept(1);
    vi.advanceTimersByTime(2);
    expect(connection.destroyed).toBe(true);
  });

  it('leave no more than 10,000 connections open', () => {
    expect(guarded().server.maxConnections).toBe(10_000);
    expect(guarded({ maxConnections: 7 }).server.maxConnections).toBe(7);
  });
});

describe('a connection without requests', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends after a minute, whatever it sends, but not while a request is under way', async () => {
    const answers: (() => void)[] = [];
    const open = await serve((_request, response) => answers.push(() => response.end('ok')), {});
    const [idle, busy] = [open(), open()];
    let isClosed = false;
    idle.once('close', () => {
      isClosed = true;
    });
    idle.write('\r\n');
    busy.write(REQUEST);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    vi.advanceTimersByTime(55_000);
    idle.write('\r\n');
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(() => expect(isClosed).toBe(true));
    const answered = new Promise((resolve) => busy.once('data', resolve));
    answers[0]?.();
    expect(String(await answered)).toContain('200 OK');
  });
});

it('ends a connection whose client does not read', async () => {
  const ended = Promise.withResolvers<void>();
  const open = await serve(
    ({ socket }) => {
      socket.once('close', () => ended.resolve());
      // As if the kernel took none of it. No answer is over, so that no other limit of the server can end the connection.
      socket.cork();
      socket.write('x'.repeat(1_000));
    },
    { unreadMs: 30 },
  );
  open().write(REQUEST);
  await ended.promise;
});

it('leaves expectations to a server that has no listener for them', async () => {
  const open = await serve((request, response) => void request.resume().on('end', () => response.end('ok')), {});
  const socket = open();
  const answered = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.endsWith('ok')) resolve(text);
    });
  });
  socket.write('POST / HTTP/1.1\r\nhost: a.test\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\nok');
  expect(await answered).toMatch(/^HTTP\/1\.1 100 Continue/);
});
