import { expect, it } from 'vitest';
import { createPostReads } from '../../../core/engagement/attempts/post-reads.ts';

/** A clock that shows another time whenever it is asked, and readings that end when a test says so. */
function scripted(most?: number) {
  let time = 0;
  const clock = { now: () => new Date(++time) };
  const postReads = createPostReads(clock, most);
  const begun: { readonly post: number; readonly end: PromiseWithResolvers<void> }[] = [];
  const refresh = (post: number) => {
    const end = Promise.withResolvers<void>();
    begun.push({ post, end });
    return end.promise;
  };
  const read = (post: number, options: { readonly freshSince?: Date; readonly signal?: AbortSignal } = {}) =>
    postReads.read(post, refresh, {
      freshSince: options.freshSince ?? new Date(0),
      restartBefore: new Date(0),
      signal: options.signal ?? new AbortController().signal,
    });
  return { read, clock, begun, posts: () => begun.map(({ post }) => post) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('verifications at one post take part in one reading', async () => {
  const { read, begun, posts } = scripted(1);
  const all = [read(1), read(1), read(1)];
  await settled();
  expect(posts()).toEqual([1, 1, 1]);
  for (const { end } of begun) end.resolve();
  expect(await Promise.all(all)).toEqual([true, true, true]);
});

it('a claim made after a reading began waits for its end and looks, before it reads again', async () => {
  const { read, clock, begun, posts } = scripted();
  const first = read(1);
  await settled();
  const claim = { freshSince: clock.now() };
  const second = read(1, claim);
  await settled();
  expect(posts()).toEqual([1]);
  begun[0]?.end.reject(new Error('unreadable'));
  await expect(first).rejects.toThrow('unreadable');
  expect(await second).toBe(false);
  const third = read(1, claim);
  await settled();
  expect(posts()).toEqual([1, 1]);
  begun[1]?.end.resolve();
  expect(await third).toBe(true);
});

it('more posts than may be read at a time take turns, and one that nobody waits for any more takes none', async () => {
  const { read, begun, posts } = scripted(2);
  const gone = new AbortController();
  const all = [read(1), read(2)];
  const given = read(3, { signal: gone.signal });
  const last = read(4);
  await settled();
  expect(posts()).toEqual([1, 2]);
  gone.abort(new Error('lease lost'));
  await expect(given).rejects.toThrow('lease lost');
  begun[0]?.end.resolve();
  await settled();
  await settled();
  expect(posts()).toEqual([1, 2, 4]);
  for (const { end } of begun) end.resolve();
  expect(await Promise.all([...all, last])).toEqual([true, true, true]);
  const next = [read(5), read(6)];
  await settled();
  expect(posts()).toEqual([1, 2, 4, 5, 6]);
  for (const { end } of begun) end.resolve();
  await Promise.all(next);
});
