import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../core/configuration-error.ts';
import { DomainError } from '../../../core/errors.ts';
import { credenceExpress } from '../../../plugins/express/index.ts';
import { credenceFastify } from '../../../plugins/fastify/index.ts';
import { credenceFetch } from '../../../plugins/fetch/index.ts';
import { ClientConnection, framingError, type ResponseStream, receivingMs } from '../../../plugins/http/mountable.ts';

describe('the refusal of a framework', () => {
  it.each([
    [{ status: 413 }, 'PAYLOAD_TOO_LARGE'],
    [{ statusCode: 413 }, 'PAYLOAD_TOO_LARGE'],
    [{ status: 415, statusCode: 413 }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ status: 400 }, 'INVALID_REQUEST'],
    [{ status: 499 }, 'INVALID_REQUEST'],
  ])('%j is %s', (error, code) => {
    const framed = framingError(error);
    expect(framed).toBeInstanceOf(DomainError);
    expect(framed).toMatchObject({ code });
  });

  it('is left as it is if it is a domain error, a failure of the server or nothing of the kind', () => {
    const domain = Object.assign(new DomainError('CONFLICT', 'Taken.'), { statusCode: 413 });
    for (const error of [domain, { status: 399 }, { status: 500 }, { status: '413' }, new Error('x'), null, 'x', 1]) {
      expect(framingError(error)).toBe(error);
    }
  });
});

describe('a mount', () => {
  const instance = { routes: [], dispatcher: { dispatch: async () => ({ status: 204, headers: {} }) } } as never;

  it.each(Object.entries({ credenceExpress, credenceFastify, credenceFetch }))(
    '%s takes instances only',
    (name, mount) => {
      for (const other of [null, undefined, {}, () => instance, { routes: [] }]) {
        const made = () => mount(other as never);
        expect(made).toThrow(ConfigurationError);
        expect(made).toThrow(`${name} needs the instance that createCredence() returns. Call \`${name}(credence)\`.`);
      }
      expect(() => mount(Promise.resolve(instance) as never)).toThrow('Wait for the promise of it first.');
      expect(mount(instance)).toBeTypeOf('function');
    },
  );

  it('names an option of credenceFetch that it does not have', () => {
    const misspelt = { basepath: '/engagement' } as never;
    expect(() => credenceFetch(instance, misspelt)).toThrow('credenceFetch: has no field "basepath"');
    expect(() => credenceFetch(instance, '/engagement' as never)).toThrow('credenceFetch: must be an object, not text');
  });
});

class Answer extends EventEmitter implements ResponseStream {
  destroyed = false;
  stream?: { destroyed: boolean; destroy(): unknown };
  writableEnded = false;
  cut: string[] = [];
  readonly req = {
    httpVersion: '1.1',
    rawHeaders: ['host', 'a.test'],
    socket: { destroy: () => this.cut.push('socket') },
  };
}

describe('the client of a request', () => {
  it.each(['response', 'stream'])('has gone already if its %s is destroyed', (which) => {
    const answer = new Answer();
    if (which === 'response') answer.destroyed = true;
    else answer.stream = { destroyed: true, destroy: () => undefined };
    expect(new ClientConnection(answer).signal.aborted).toBe(true);
    expect(answer.listenerCount('close')).toBe(0);
  });
});

describe('an answer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has 30 s and the time that it takes at 1 Mbit/s', () => {
    expect([receivingMs(0), receivingMs(125_000), receivingMs(25_000_000)]).toEqual([30_000, 31_000, 230_000]);
    const answer = new Answer();
    new ClientConnection(answer).carry({ status: 200, headers: {}, body: 'a'.repeat(125_000) });
    vi.advanceTimersByTime(30_999);
    expect(answer.cut).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(answer.cut).toEqual(['socket']);
  });

  it('that is not taken in time ends its stream alone over HTTP/2', () => {
    const answer = new Answer();
    answer.stream = { destroyed: false, destroy: () => answer.cut.push('stream') };
    new ClientConnection(answer).carry({ status: 200, headers: {}, body: '' });
    vi.advanceTimersByTime(30_000);
    expect(answer.cut).toEqual(['stream']);
  });
});
