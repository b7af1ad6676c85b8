import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { Exchange } from '../../../plugins/http/dispatch/exchange.ts';
import { streamRows } from '../../../plugins/http/dispatch/stream-rows.ts';
import { takenInTime } from '../../../plugins/http/mountable.ts';
import { request, row } from './requests.ts';

async function* pieces<T>(...all: readonly T[][]) {
  yield* all;
}

async function sent(rows: AsyncIterable<readonly unknown[]>): Promise<AsyncIterable<string>> {
  const exchange = { route: row(), request: request(), requestId: 'a' } as Partial<Exchange> as Exchange;
  const { streamed } = await streamRows(exchange, { status: 200, rows }, rows, silentLogger);
  if (streamed === undefined) throw new Error('It is not streamed.');
  return streamed;
}

const textOf = async (parts: AsyncIterable<string>) => {
  let text = '';
  for await (const part of parts) text += part;
  return text;
};

describe('a list that is sent while it is read', () => {
  it.each([
    ['no row', []],
    ['one row', [[{ id: 1 }]]],
    ['several pieces, some of them empty', [[{ id: 1 }, { id: 2 }], [], [{ id: 3 }], []]],
  ])('is JSON like an answer in one piece: %s', async (_, rows: object[][]) => {
    expect(await textOf(await sent(pieces(...rows)))).toBe(JSON.stringify({ data: rows.flat() }));
  });

  it('reads no further than it is taken, and stops reading when nobody takes it', async () => {
    let read = 0;
    let stopped = false;
    const endless = async function* () {
      try {
        for (;;) {
          read += 1;
          yield [read];
        }
      } finally {
        stopped = true;
      }
    };
    const parts = (await sent(endless()))[Symbol.asyncIterator]();
    expect(read).toBe(1);
    await parts.next();
    await parts.next();
    expect(read).toBe(2);
    await parts.return?.();
    expect(stopped).toBe(true);
  });

  it('gives up on a client that takes too long for one piece, not on one that takes many', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const giveUp = vi.fn();
    const parts = takenInTime(pieces(['a'], ['b'], ['c']) as never, 100, giveUp);
    for (let part = 0; part < 3; part += 1) {
      await parts.next();
      vi.advanceTimersByTime(90);
    }
    expect(giveUp).not.toHaveBeenCalled();
    vi.advanceTimersByTime(20);
    expect(giveUp).toHaveBeenCalledOnce();
    await parts.return();
    expect(vi.getTimerCount()).toBe(0);
  });
});
