import { expect, it } from 'vitest';
import { createPostReads } from '../../../core/engagement/attempts/post-reads.ts';

/** A clock that shows another time whenever it is asked, and readings that end when a test says so. */
function scripted() {
  let time = 0;
  const clock = { now: () => new Date(++time) };
  const postReads = createPostReads(clock);
  const begun: PromiseWithResolvers<void>[] = [];
  const refresh = () => {
    const end = Promise.withResolvers<void>();
    begun.push(end);
    return end.promise;
  };
  const read = (options: { readonly freshSince?: Date; readonly signal?: AbortSignal } = {}) =>
    postReads.read(1, refresh, {
      freshSince: options.freshSince ?? new Date(0),
      restartBefore: new Date(0),
      signal: options.signal ?? new AbortController().signal,
    });
  return { read, clock, begun };
}

it('verifications at one post take part in one reading, and in its failure', async () => {
  const { read, begun } = scripted();
  const all = [read(), read(), read()];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  expect(await Promise.all(all)).toEqual([true, true, true]);
  const failing = [read(), read()];
  begun[1]?.reject(new Error('unreadable'));
  for (const one of failing) await expect(one).rejects.toThrow('unreadable');
});

it('a claim made after a reading began waits for its end and looks, before it reads again', async () => {
  const { read, clock, begun } = scripted();
  const first = read();
  const claim = { freshSince: clock.now() };
  const second = read(claim);
  begun[0]?.reject(new Error('unreadable'));
  await expect(first).rejects.toThrow('unreadable');
  expect(await second).toBe(false);
  const third = read(claim);
  expect(begun).toHaveLength(2);
  begun[1]?.resolve();
  expect(await third).toBe(true);
});

it('who waits for one that gave up looks, and may read itself; who waits no longer leaves the others', async () => {
  const { read, begun } = scripted();
  const gone = new AbortController();
  const first = read({ signal: gone.signal });
  const other = new AbortController();
  const [left, second] = [read({ signal: other.signal }), read()];
  other.abort(new Error('lease lost'));
  await expect(left).rejects.toThrow('lease lost');
  gone.abort(new Error('stopping'));
  begun[0]?.reject(gone.signal.reason);
  await expect(first).rejects.toThrow('stopping');
  expect(await second).toBe(false);
});
