/** Which requests a walk makes, in which order, and where the next one continues. */
import { describe, expect, it, vi } from 'vitest';
import { DomainError, type ErrorCode } from '../../../core/errors.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import {
  begin,
  comment,
  pages,
  platform,
  progress,
  reply,
  type SweepWorld,
  sweep,
  sweepInEachTest,
  world,
} from './support.ts';

sweepInEachTest();

const refuse = (which: RegExp, code: ErrorCode = 'PLATFORM_UNAVAILABLE') =>
  platform.refuse(new DomainError(code, 'no'), which);
/** What was asked since the last look. */
const asked = () => platform.asked.splice(0);
const thread = (id: string, count: number) =>
  Array.from({ length: count }, (_, index) => [reply(`${id}${index + 1}`, id)]);

/** A sweep over five pages that stopped before the fourth, `c3`. */
async function stoppedBeforeC3() {
  platform.pages = pages(5);
  refuse(/c3/);
  await sweep();
  platform.refuseNothing();
  asked();
}

describe('the look at the top', () => {
  it('counts what is new, and only that', async () => {
    await stoppedBeforeC3();
    platform.pages = [[comment('new'), comment('p0a')], ...platform.pages.slice(1)];
    expect(await sweep()).toMatchObject({ totalFetched: 11, sweepStatus: 'swept', historyComplete: true });
    // The second page brings nothing new any more.
    // More was read than the list counts, so the post itself is asked.
    expect(asked()).toEqual(['comments -', 'comments c1', 'comments c3', 'comments c4', 'post']);
  });

  it('continues while there is anything new, as far as the last sweep came', async () => {
    await stoppedBeforeC3();
    platform.pages = [...['x', 'y', 'z'].map((id) => [comment(id)]), ...platform.pages.slice(3)];
    expect(await sweep()).toMatchObject({ totalFetched: 13, historyComplete: true });
    expect(asked()).toEqual(['comments -', 'comments c1', 'comments c2', 'comments c3', 'comments c4', 'post']);
  });

  it('ends with the last page', async () => {
    await stoppedBeforeC3();
    const deep = platform.pages;
    platform.getComments = async (_post, cursor) => {
      platform.asked.push(`comments ${cursor ?? '-'}`);
      if (cursor === null) return { comments: [comment('new')], nextCursor: null };
      return { comments: deep[Number(cursor.slice(1))] ?? [], nextCursor: cursor === 'c3' ? 'c4' : null };
    };
    expect(await sweep()).toMatchObject({ totalFetched: 11, historyComplete: true });
    expect(asked()).toEqual(['comments -', 'comments c3', 'comments c4', 'post']);
  });

  it('is bounded', async () => {
    await stoppedBeforeC3();
    let count = 0;
    platform.getComments = async (_post, cursor) => {
      platform.asked.push(`comments ${cursor ?? '-'}`);
      count += 1;
      if (count > 9) throw new Error('without end');
      return { comments: [comment(`new${count}`)], nextCursor: cursor === 'c3' ? null : `top${count}` };
    };
    expect(await sweep({ limits: { maxPages: 3 } })).toMatchObject({ sweepStatus: 'swept' });
    expect(asked()).toEqual(['comments -', 'comments top1', 'comments top2', 'comments c3', 'post']);
  });

  it('is something read: a platform that fails after it makes the sweep partial', async () => {
    await stoppedBeforeC3();
    refuse(/c3/);
    expect(await sweep()).toMatchObject({ totalFetched: 6, sweepStatus: 'partial', historyComplete: false });
  });

  it('counts what it sees again further down once', async () => {
    await stoppedBeforeC3();
    platform.pages = [[comment('new')], [comment('p0a')], [comment('p0b')], [comment('new'), comment('p3a')]];
    expect(await sweep()).toMatchObject({ totalFetched: 8 });
  });

  describe('over comments that an older sweep stored', () => {
    const now = new Date();
    const later = (minutes: number) => ({ clock: { now: () => new Date(now.getTime() + minutes * 60_000) } });
    /** An older sweep stored five pages. A newer one stopped before the fourth. */
    async function stoppedAgain() {
      platform.pages = pages(5);
      await sweep(later(0));
      refuse(/c3/);
      await sweep(later(10));
      expect(await progress()).toMatchObject({ cursor: 'c3', totalFetched: 6 });
      platform.refuseNothing();
      asked();
    }

    it('counts those that its first part met once, wherever they stand now', async () => {
      await stoppedAgain();
      platform.pages = [...platform.pages.slice(0, 3), ...platform.pages.slice(1, 3)];
      expect(await sweep(later(20))).toMatchObject({ totalFetched: 6, expectedTotal: 10, sweepStatus: 'swept' });
    });

    it('counts those that only the older sweep has met, and reads on', async () => {
      await stoppedAgain();
      const [first = [], second = [], third = [], fourth = [], fifth = []] = platform.pages;
      platform.pages = [fourth, first, second, third, fifth];
      expect(await sweep(later(20))).toMatchObject({ totalFetched: 10, sweepStatus: 'swept', historyComplete: true });
      expect(asked()).toEqual(['comments -', 'comments c1', 'comments c3', 'comments c4']);
    });

    it('counts replies once, though a look at the top opens their thread again', async () => {
      platform.pages = [[comment('a', { replyCount: 2 })], ...pages(3)];
      platform.replies = { a: [[reply('a1', 'a')], [reply('a2', 'a')]] };
      await sweep(later(0));
      refuse(/c2/);
      await sweep(later(10));
      platform.refuseNothing();
      asked();
      platform.pages[0]?.unshift(comment('new'));
      platform.pages.pop();
      expect(await sweep(later(20))).toMatchObject({ totalFetched: 8, expectedTotal: 9, sweepStatus: 'swept' });
      expect(asked().slice(0, 4)).toEqual(['comments -', 'replies a -', 'replies a c1', 'comments c1']);
    });
  });

  it.each(['instagram', 'tiktok'] as const)('asks for replies where a sweep does: on %s', async (name) => {
    await begin(name);
    await stoppedBeforeC3();
    platform.pages = [[comment('new', { replyCount: 1 })], ...platform.pages];
    platform.replies = { new: thread('new', 1) };
    await sweep();
    expect(asked().includes('replies new -')).toBe(name === 'instagram');
    expect((await world.storedIds()).includes('new1')).toBe(name === 'instagram');
  });
});

describe('a walk', () => {
  it('notices pages that show the same comments with other replies', async () => {
    let count = 0;
    platform.getComments = async () => {
      count += 1;
      if (count > 9) throw new Error('without end');
      return { comments: [comment('a', { replyCount: 1 }), reply(`a${count}`, 'a')], nextCursor: `c${count}` };
    };
    expect(await sweep()).toMatchObject({ totalFetched: 5, sweepStatus: 'partial' });
    expect(count).toBe(4);
  });

  it('does not take for circles what the look at the top has met', async () => {
    await stoppedBeforeC3();
    // Ten new comments, one a page, and below them the saved cursor shows eight of them again.
    const fresh = Array.from({ length: 10 }, (_, index) => comment(`new${index}`));
    platform.getComments = async (_post, cursor) => {
      const [, list = 't', at = '0'] = /^(\D)(\d+)$/.exec(cursor ?? 't0') ?? [];
      const place = Number(at);
      if (list === 't')
        return { comments: fresh.slice(place, place + 1), nextCursor: place < 9 ? `t${place + 1}` : null };
      const again = place < 11 ? fresh.slice(place - 3, place - 2) : [comment('last')];
      return { comments: again, nextCursor: place < 11 ? `c${place + 1}` : null };
    };
    expect(await sweep()).toMatchObject({ totalFetched: 17, sweepStatus: 'swept' });
  });

  it('notices circles below what the look at the top has met', async () => {
    await stoppedBeforeC3();
    let count = 0;
    platform.getComments = async (_post, cursor) => {
      if (cursor === null) return { comments: [comment('new')], nextCursor: null };
      count += 1;
      if (count > 9) throw new Error('without end');
      return { comments: [comment('same')], nextCursor: `x${count}` };
    };
    expect(await sweep()).toMatchObject({ totalFetched: 8, sweepStatus: 'partial' });
    expect(count).toBe(4);
  });

  it('led in circles leaves nothing to continue from: the next one starts again', async () => {
    platform.pages = [[comment('a', { replyCount: 1 })], [comment('b')]];
    refuse(/replies/);
    const { getComments } = platform;
    platform.getComments = async (...given) => ({ ...(await getComments.apply(platform, given)), nextCursor: 'c1' });
    expect(await sweep()).toMatchObject({ sweepStatus: 'partial', historyComplete: false });
    expect(await progress()).toMatchObject({ cursor: null, pendingReplies: [] });
  });

  it('that breaks in the middle keeps its place, and is no longer said to run', async () => {
    platform.pages = pages(4);
    platform.refuse(new TypeError('defect'), /comments c2/);
    await expect(sweep()).rejects.toThrow(TypeError);
    expect(await progress()).toMatchObject({ status: 'stopped', cursor: 'c2', totalFetched: 4 });
    expect(await world.storedIds()).toHaveLength(4);
  });
});

describe('a sweep that stands still', () => {
  const drifted = (when: RegExp, reason: string | null = 'drifted', code: ErrorCode = 'PLATFORM_UNAVAILABLE') => {
    platform.refuse(new DomainError(code, 'no', reason === null ? {} : { details: { reason } }), when);
  };
  const now = new Date();
  const later = (minutes: number) => ({ clock: { now: () => new Date(now.getTime() + minutes * 60_000) } });
  /** Both sweeps may begin in one millisecond. */
  const onceAgain = async (changes: Parameters<SweepWorld['sweeper']>[0] = { clock: { now: () => now } }) => {
    await sweep({ clock: { now: () => now } });
    expect(await progress()).toMatchObject({ status: 'partial', cursor: 'c2' });
    await sweep(changes);
    return (await progress())?.cursor;
  };

  it('at a page that cannot be understood begins at the top, and finds what is new in the middle', async () => {
    platform.pages = pages(3);
    drifted(/c2/);
    expect(await onceAgain()).toBeNull();
    platform.pages[1]?.push(comment('new'));
    asked();
    await sweep();
    expect(asked()).toEqual(['comments -', 'comments c1', 'comments c2']);
    expect(await world.storedIds()).toContain('new');
  });

  it.each([
    ['drifted', 1, null],
    ['missing-cursor', 1, null],
    ['wrong-post', 1, null],
    ['http-500', 1, 'c2'],
    [null, 1, 'c2'],
    ['throttled', 0, 'c2'],
  ])('keeps its place only if it may be read later: %s', async (reason, isHere, cursor) => {
    platform.pages = pages(3);
    drifted(/c2/, reason, isHere ? 'PLATFORM_UNAVAILABLE' : 'SCRAPING_RATE_LIMITED');
    expect(await onceAgain()).toBe(cursor);
  });

  it.each([
    ['PLATFORM_UNAVAILABLE', 'http-500'],
    ['PLATFORM_TIMEOUT', null],
    ['SCRAPING_RATE_LIMITED', null],
  ] as const)('at a place that is refused for half an hour begins at the top: %s (%s)', async (code, reason) => {
    platform.pages = pages(3);
    drifted(/c2/, reason, code);
    for (const minutes of [0, 10, 29]) {
      await sweep(later(minutes));
      expect(await progress()).toMatchObject({ cursor: 'c2' });
    }
    await sweep(later(30));
    expect(await progress()).toMatchObject({ cursor: null, refusedSince: null });
  });

  it('counts the half hour from the first refusal behind the last page that it read', async () => {
    platform.pages = pages(9);
    for (const [minutes, page] of [
      [0, 'c2'],
      [40, 'c3'],
      [69, 'c3'],
      [80, 'c5'],
      [109, 'c5'],
    ] as const) {
      drifted(new RegExp(page), null, 'SCRAPING_RATE_LIMITED');
      await sweep(later(minutes));
      expect(await progress()).toMatchObject({ status: 'partial', cursor: page });
    }
    await sweep(later(110));
    expect(await progress()).toMatchObject({ status: 'partial', cursor: null });
  });

  it('and used its pages up on the way was not refused there', async () => {
    platform.pages = pages(9);
    drifted(/c2/, null);
    await sweep(later(0));
    platform.refuseNothing();
    await sweep({ ...later(40), limits: { maxPages: 2 } });
    expect(await progress()).toMatchObject({ cursor: 'c4', refusedSince: null });
    drifted(/c4/, null);
    await sweep(later(41));
    expect(await progress()).toMatchObject({ cursor: 'c4' });
  });

  it('at a thread begins at the top, though the newest comments bring more threads that are refused', async () => {
    platform.pages = [[comment('a', { replyCount: 1 })], [comment('b')]];
    drifted(/replies/);
    await sweep();
    platform.pages[0]?.unshift(comment('new', { replyCount: 1 }));
    await sweep();
    expect(await progress()).toMatchObject({ status: 'partial', cursor: null, pendingReplies: [] });
  });

  it('at a thread begins at the top, in whatever order the threads were put aside', async () => {
    platform.pages = [['a', 'b'].map((id) => comment(id, { replyCount: 1 })), [comment('c')]];
    drifted(/replies/);
    await sweep();
    expect((await progress())?.pendingReplies).toHaveLength(2);
    await sweep();
    expect(await progress()).toMatchObject({ status: 'partial', cursor: null, pendingReplies: [] });
    asked();
    await sweep();
    expect(asked()).toContain('comments c1');
  });

  it('at a thread that leads in circles begins at the top', async () => {
    platform.pages = [[comment('a', { replyCount: 9 })], [comment('b')]];
    platform.replies = { a: Array.from({ length: 9 }, () => [reply('a1', 'a')]) };
    const places: unknown[] = [];
    for (let sweeps = 0; sweeps < 9; sweeps += 1) {
      await sweep();
      places.push((await progress())?.pendingReplies.length);
    }
    expect(places).toContain(0);
  });

  it('continues if it came further', async () => {
    platform.pages = pages(4);
    drifted(/c2/);
    await sweep();
    drifted(/c3/);
    await sweep();
    expect(await progress()).toMatchObject({ status: 'partial', cursor: 'c3' });
  });

  it('keeps its place if it began after the time that the caller names', async () => {
    platform.pages = pages(3);
    drifted(/c2/);
    await sweep();
    const began = (await progress())?.startedAt;
    await world.sweeper().sweep(world.challenge.id, { restartBefore: began as Date });
    expect(await progress()).toMatchObject({ status: 'partial', cursor: 'c2' });
  });
});

describe('threads of replies', () => {
  it('are not opened again by a page that brings nothing new', async () => {
    const a = comment('a', { replyCount: 1 });
    platform.pages = [[a], [a]];
    platform.replies = { a: thread('a', 1) };
    expect(await sweep()).toMatchObject({ totalFetched: 2, sweepStatus: 'swept' });
    expect(asked()).toEqual(['comments -', 'replies a -', 'comments c1']);
  });

  it('have so many pages a try at most; the rest is for later', async () => {
    platform.pages = [[comment('a', { replyCount: 9 })], [comment('b')]];
    platform.replies = { a: thread('a', 5) };
    const limits = { maxPagesPerThread: 2 };
    const logger = createRecordingLogger();
    const partial = { totalFetched: 6, sweepStatus: 'partial', historyComplete: false };
    expect(await sweep({ limits, logger })).toMatchObject(partial);
    const fields = { challengeId: world.challenge.id, err: new Error('it has too many pages') };
    const line = { level: 'debug', message: expect.any(String), fields };
    expect(logger.lines).toEqual([line, line]);
    const requests = ['comments -', 'replies a -', 'replies a c1', 'comments c1', 'replies a c2', 'replies a c3'];
    expect(asked()).toEqual(requests);
    expect(await sweep({ limits })).toMatchObject({ totalFetched: 7, sweepStatus: 'swept', historyComplete: true });
    expect(asked()).toEqual(['comments -', 'replies a c4']);
  });

  it('have so many pages a sweep: no further thread is begun', async () => {
    platform.pages = [['a', 'b'].map((id) => comment(id, { replyCount: 1 }))];
    platform.replies = { a: thread('a', 1), b: thread('b', 1) };
    expect(await sweep({ limits: { maxReplyPages: 1 } })).toMatchObject({ totalFetched: 3, sweepStatus: 'partial' });
    expect(asked()).toEqual(['comments -', 'replies a -']);
    expect(await progress()).toMatchObject({ pendingReplies: [{ commentId: 'b', cursor: null }] });
  });

  it('that fail halfway are gone on with at the end, from there', async () => {
    platform.pages = [['a', 'b'].map((id) => comment(id, { replyCount: 9 }))];
    platform.replies = { a: thread('a', 2), b: thread('b', 1) };
    let failures = 0;
    platform.before = (request) => {
      if (request !== 'replies a c1') return;
      failures += 1;
      if (failures === 1) throw new DomainError('PLATFORM_UNAVAILABLE', 'wall');
    };
    expect(await sweep()).toMatchObject({ totalFetched: 5, sweepStatus: 'swept', historyComplete: true });
    expect(asked()).toEqual(['comments -', 'replies a -', 'replies a c1', 'replies b -', 'replies a c1']);
  });

  it('that fail come last for the next sweep, so that they hold no other up', async () => {
    platform.pages = [['a', 'b', 'c'].map((id) => comment(id, { replyCount: 9 }))];
    platform.replies = { b: thread('b', 3), c: thread('c', 1) };
    refuse(/replies a/);
    expect(await sweep({ limits: { maxReplyPages: 2 } })).toMatchObject({ sweepStatus: 'partial' });
    expect(asked()).toEqual(['comments -', 'replies a -', 'replies b -', 'replies b c1']);
    await sweep();
    expect(asked()).toEqual(['comments -', 'replies b c2', 'replies c -', 'replies a -', 'replies a -']);
  });

  it.each([
    ['a pace that is too quick', 'SCRAPING_RATE_LIMITED'],
    ['a platform without answers', 'PLATFORM_TIMEOUT'],
  ] as const)('end the sweep at %s', async (_what, code) => {
    platform.pages = [['a', 'b'].map((id) => comment(id, { replyCount: 1 }))];
    refuse(/replies/, code);
    expect(await sweep()).toMatchObject({ sweepStatus: 'partial' });
    expect(asked()).toEqual(['comments -', 'replies a -']);
  });

  it.each([
    ['a pace that is too quick', 'SCRAPING_RATE_LIMITED', 1],
    ['a platform without answers', 'PLATFORM_TIMEOUT', 1],
    ['twenty-one that fail', 'PLATFORM_UNAVAILABLE', 21],
  ] as const)('refused twice, by %s, hold up no pages', async (_what, code, count) => {
    const first = Array.from({ length: count }, (_, n) => comment(`a${n}`, { replyCount: 2 }));
    platform.pages = [first, [comment('b', { replyCount: 1 })], [comment('c')]];
    refuse(/replies/, code);
    expect(await sweep()).toMatchObject({ sweepStatus: 'partial' });
    expect(await world.storedIds()).not.toContain('c');
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', historyComplete: false });
    expect(await progress()).toMatchObject({ skipped: 1, pendingReplies: [] });
    expect(await world.storedIds()).toContain('c');
    // The next sweep asks for the replies again.
    platform.refuseNothing();
    for (const { id } of first) platform.replies[id] = [[reply(`${id}x`, id), reply(`${id}y`, id)]];
    platform.replies.b = thread('b', 1);
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', historyComplete: true });
    expect(await progress()).toMatchObject({ skipped: 0 });
    expect(await world.storedIds()).toHaveLength(3 * count + 3);
  });

  it('on the last page keep their place, however often they are refused', async () => {
    platform.pages = [[comment('a', { replyCount: 1 })]];
    refuse(/replies/, 'SCRAPING_RATE_LIMITED');
    for (let parts = 0; parts < 3; parts += 1) {
      expect(await sweep()).toMatchObject({ sweepStatus: 'partial' });
      expect(await progress()).toMatchObject({ pendingReplies: [{ commentId: 'a', cursor: null }], skipped: 0 });
    }
  });

  it('refused once hold pages up, though their page was refused before', async () => {
    platform.pages = [[comment('a')], [comment('b', { replyCount: 1 })], [comment('c')]];
    refuse(/c1/, 'SCRAPING_RATE_LIMITED');
    await sweep();
    refuse(/replies/, 'SCRAPING_RATE_LIMITED');
    expect(await sweep()).toMatchObject({ sweepStatus: 'partial' });
    expect(await progress()).toMatchObject({ cursor: 'c2', pendingReplies: [{ commentId: 'b', cursor: null }] });
  });

  it('that come further each time hold pages up', async () => {
    platform.pages = [['a', 'b', 'c'].map((id) => comment(id, { replyCount: 1 })), [comment('d')]];
    platform.replies = { a: thread('a', 1), b: thread('b', 1), c: thread('c', 1) };
    for (const refused of [/replies b/, /replies c/]) {
      refuse(refused, 'SCRAPING_RATE_LIMITED');
      expect(await sweep()).toMatchObject({ sweepStatus: 'partial' });
      expect(await world.storedIds()).not.toContain('d');
    }
    platform.refuseNothing();
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', historyComplete: true, totalFetched: 7 });
  });

  it('end the sweep with the twenty-first that fails', async () => {
    platform.pages = [Array.from({ length: 40 }, (_, index) => comment(`a${index}`, { replyCount: 1 }))];
    refuse(/replies/);
    await sweep();
    expect(asked()).toHaveLength(1 + 21);
  });

  it('are not asked for any more once the process is stopping', async () => {
    platform.pages = [['a', 'b'].map((id) => comment(id, { replyCount: 1 }))];
    platform.before = (request, signal) =>
      request === 'replies a -'
        ? new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new DomainError('PLATFORM_UNAVAILABLE', 'given up')));
          })
        : undefined;
    const sweeper = world.sweeper();
    const running = expect(sweeper.sweep(world.challenge.id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await vi.waitFor(() => expect(platform.asked).toContain('replies a -'));
    await sweeper.close();
    await running;
    expect(asked()).toEqual(['comments -', 'replies a -']);
    expect(await progress()).toMatchObject({
      status: 'stopped',
      pendingReplies: [{ commentId: 'a' }, { commentId: 'b' }],
    });
  });
});

describe('a cursor that the platform gives and does not take', () => {
  it('ends the walk early, as its other failures do', async () => {
    platform.pages = pages(4);
    refuse(/c2/, 'INVALID_REQUEST');
    expect(await sweep()).toMatchObject({ totalFetched: 4, sweepStatus: 'partial', historyComplete: false });
    // The saved cursor may be too old, so the next walk starts at the top.
    expect(await sweep()).toMatchObject({ totalFetched: 4, sweepStatus: 'partial' });
    platform.refuseNothing();
    expect(await sweep()).toMatchObject({ totalFetched: 8, sweepStatus: 'swept', historyComplete: true });
  });

  it('into a thread holds up no other comments, and the thread is read again from its beginning', async () => {
    platform.pages = [[comment('a', { replyCount: 3 })], [comment('b')]];
    platform.replies = { a: thread('a', 3) };
    refuse(/replies a c2/, 'INVALID_REQUEST');
    expect(await sweep()).toMatchObject({ totalFetched: 4, sweepStatus: 'partial', historyComplete: false });
    expect(await progress()).toMatchObject({ cursor: null, pendingReplies: [{ commentId: 'a', cursor: null }] });
    platform.refuseNothing();
    asked();
    expect(await sweep()).toMatchObject({ totalFetched: 5, sweepStatus: 'swept', historyComplete: true });
    expect(asked()).toEqual(['comments -', 'replies a -', 'replies a c1', 'replies a c2']);
  });
});
