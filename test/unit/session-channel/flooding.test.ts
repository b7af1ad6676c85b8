/** A peer of a session that sends frames without end: none of them may fill the memory of the other side. */
import { EventEmitter } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { createByteSocket } from '../../../plugins/blind-notary/channel/byte-socket.ts';
import { proverMessage } from '../../../plugins/blind-notary/channel/messages.ts';
import { createSessionChannel } from '../../../plugins/blind-notary/channel/session-channel.ts';

class FakeSocket extends EventEmitter {
  isPaused = false;
  send(_data: Uint8Array | string, sent: () => void): void {
    sent();
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(): void {}
  terminate(): void {}
  asWebSocket(): WebSocket {
    return this as unknown as WebSocket;
  }
}

/** How many frames of `length` bytes are taken before the sender has to wait. */
function framesUntilPause(socket: FakeSocket, length: number, most: number): number {
  for (let sent = 0; sent < most; sent += 1) {
    if (socket.isPaused) return sent;
    socket.emit('message', Buffer.alloc(length, 7), true);
  }
  return most;
}

describe('a byte socket', () => {
  it('holds a bounded number of frames, however small they are', () => {
    const socket = new FakeSocket();
    createByteSocket(socket.asWebSocket(), () => {});
    expect(framesUntilPause(socket, 1, 20_000)).toBeLessThan(5_000);
  });

  it('passes over empty frames', async () => {
    const socket = new FakeSocket();
    const bytes = createByteSocket(socket.asWebSocket(), () => {});
    for (let sent = 0; sent < 10_000; sent += 1) socket.emit('message', Buffer.alloc(0), true);
    socket.emit('message', Buffer.from('one'), true);
    bytes.finish();
    expect(await text(bytes.incoming)).toBe('one');
    expect(bytes.carried.received).toBe(3);
  });

  it('gives the bytes in their order and resumes once they are read', async () => {
    const socket = new FakeSocket();
    const bytes = createByteSocket(socket.asWebSocket(), () => {});
    const texts = Array.from({ length: 5_000 }, (_, index) => `${index} `);
    for (const piece of texts) socket.emit('message', Buffer.from(piece), true);
    expect(socket.isPaused).toBe(true);
    const { value } = await bytes.incoming[Symbol.asyncIterator]().next();
    expect(socket.isPaused).toBe(false);
    expect(String(value)).toBe(texts.join(''));
  });

  it('is not paused behind the end of the bytes, since messages may follow', async () => {
    const socket = new FakeSocket();
    const bytes = createByteSocket(socket.asWebSocket(), () => {});
    framesUntilPause(socket, 1, 20_000);
    bytes.finish();
    expect(socket.isPaused).toBe(false);
    expect(await text(bytes.incoming)).toHaveLength(bytes.carried.received);
  });
});

describe('a session channel', () => {
  const open = () => {
    const socket = new FakeSocket();
    const told: string[] = [];
    const channel = createSessionChannel(socket.asWebSocket(), proverMessage, ({ type }) => told.push(type));
    const say = (message: unknown) => void socket.emit('message', Buffer.from(JSON.stringify(message)), false);
    return { channel, told, say };
  };
  const phase = (name: string) => ({ type: 'phase', phase: name });

  it('tells each phase once and breaks off at a repeated message', async () => {
    const { channel, told, say } = open();
    for (const name of ['online', 'reveal']) say(phase(name));
    expect(told).toHaveLength(2);
    say(phase('online'));
    await expect(channel.broken).rejects.toThrow('repeated a message');
    expect(told).toHaveLength(2);
  });

  it('reads no messages after the connection broke', async () => {
    const { channel, told, say } = open();
    say(phase('online'));
    say(phase('online'));
    say(phase('reveal'));
    await expect(channel.broken).rejects.toThrow('repeated a message');
    expect(told).toHaveLength(1);
  });
});
