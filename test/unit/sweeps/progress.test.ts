import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewComment, SweepProgress } from '../../../core/engagement/comment.ts';
import { createProgressRecorder, startOf } from '../../../core/engagement/sweeps/progress.ts';
import { silentLogger } from '../../../core/ports/logger.ts';

const NOW = new Date('2026-11-01T09:00:00Z');

interface Write {
  readonly comments: readonly string[];
  readonly cursor: string | null;
}

const page = (...ids: string[]): NewComment[] =>
  ids.map((id) => ({ platformCommentId: id, username: 'user', commentText: 'text', commentedAt: NOW }));

function recorder() {
  const writes: Write[] = [];
  let failures = 0;
  let gate: Promise<void> = Promise.resolve();
  const write = async (comments: readonly NewComment[], { cursor }: SweepProgress): Promise<number> => {
    await gate;
    if (failures > 0) {
      failures -= 1;
      throw new Error('storage gone');
    }
    writes.push({ comments: comments.map(({ platformCommentId }) => platformCommentId), cursor });
    return comments.length;
  };
  const made = createProgressRecorder(
    {
      comments: {
        insertNew: (_id, comments, _now, progress) => write(comments, progress ?? startOf(1, null, NOW)),
        saveSweep: async (progress) => void (await write([], progress)),
      },
      clock: { now: () => NOW },
      logger: silentLogger,
      heartbeatMs: 1_000,
    },
    startOf(1, null, NOW),
  );
  return {
    ...made,
    progress: () => made.current,
    writes,
    failNext: (times: number) => {
      failures = times;
    },
    /** Holds every write from now on; returns what lets them go. */
    holdWrites: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

describe('progress of a sweep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('stores pages that come quickly together, a moment after the first', async () => {
    const { add, writes, close } = recorder();
    await add(page('a', 'b'), { cursor: '1' });
    await add(page('c'), { cursor: '2' });
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(writes).toEqual([{ comments: ['a', 'b', 'c'], cursor: '2' }]);
    await close();
  });

  const addPages = async (add: ReturnType<typeof recorder>['add'], from: number, to: number) => {
    for (let index = from; index <= to; index += 1) await add(page(`p${index}`), { cursor: String(index) });
  };

  it('stores pages when there are enough of them, and takes further ones meanwhile', async () => {
    const { add, flush, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 15);
    expect(writes).toEqual([]);
    letGo();
    expect(await flush()).toBe(15);
    expect(writes.map(({ comments, cursor }) => [comments.length, cursor])).toEqual([
      [8, '8'],
      [7, '15'],
    ]);
    await close();
  });

  it('waits for the storage when as many again have come', async () => {
    const { add, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 15);
    let added = false;
    const adding = add(page('p16'), { cursor: '16' }).then(() => {
      added = true;
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(added).toBe(false);
    letGo();
    await adding;
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.map(({ comments }) => comments.length)).toEqual([8, 8]);
    await close();
  });

  it('stores what came during a write soon after it, though nothing more comes', async () => {
    const { add, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 9);
    await vi.advanceTimersByTimeAsync(100);
    letGo();
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.map(({ cursor }) => cursor)).toEqual(['8', '9']);
    await close();
  });

  it('bears a failure in the background, but not for long', async () => {
    const { add, flush, failNext, writes, close } = recorder();
    failNext(1);
    await addPages(add, 1, 16);
    await flush();
    expect(writes.flatMap(({ comments }) => comments)).toEqual(Array.from({ length: 16 }, (_, at) => `p${at + 1}`));
    failNext(100);
    await addPages(add, 17, 24);
    await expect(addPages(add, 25, 40)).rejects.toThrow('storage gone');
    await close();
  });

  it('tells how many were new, and writes nothing when nothing was added', async () => {
    const { add, flush, writes, close } = recorder();
    expect(await flush()).toBe(0);
    await add(page('a', 'b'), {});
    expect(await flush()).toBe(2);
    expect(await flush()).toBe(0);
    expect(writes).toHaveLength(1);
    await close();
  });

  it('keeps what could not be stored, in order, and never saves progress ahead of its comments', async () => {
    const { add, flush, failNext, writes, progress, close } = recorder();
    await add(page('a'), { cursor: '1' });
    failNext(2);
    await expect(flush()).rejects.toThrow('storage gone');
    // Neither the sign of life nor a further page may save the cursor alone.
    await vi.advanceTimersByTimeAsync(1_000);
    await add(page('b'), { cursor: '2' });
    expect(await flush()).toBe(2);
    expect(writes).toEqual([{ comments: ['a', 'b'], cursor: '2' }]);
    expect(progress().cursor).toBe('2');
    await close();
  });

  it('shows that it lives while nothing happens, and no more once closed', async () => {
    const { writes, close } = recorder();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(writes).toEqual([
      { comments: [], cursor: null },
      { comments: [], cursor: null },
    ]);
    await close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes).toHaveLength(2);
  });
});
