import { describe, expect, it, vi } from 'vitest';
import { tiktokDescriptor } from '../../../adapters/tiktok/index.ts';
import { DomainError } from '../../../core/errors.ts';
import { createPlatforms } from '../../../core/platforms/platforms.ts';
import { begin, comment, pages, platform, reply, sweep, sweepInEachTest, world } from './support.ts';

const unavailable = () => new DomainError('PLATFORM_UNAVAILABLE', 'login wall');
const limited = () => new DomainError('SCRAPING_RATE_LIMITED', 'slow down', { retryAfterSeconds: 60 });
const sessionRequired = () =>
  new DomainError('PLATFORM_UNAVAILABLE', 'needs a session', { details: { reason: 'session-required' } });

sweepInEachTest();

describe('replies', () => {
  it('that came inline are stored, the others fetched before the next page', async () => {
    platform.pages = [
      [comment('a', { replyCount: 3 }), reply('a1', 'a'), comment('b', { replyCount: 1 }), reply('b1', 'b')],
      [comment('c', { replyCount: 1 })],
    ];
    platform.replies = { a: [[reply('a1', 'a'), reply('a2', 'a')], [reply('a3', 'a')]], c: [[reply('c1', 'c')]] };
    expect(await sweep()).toMatchObject({ totalFetched: 8, sweepStatus: 'swept', historyComplete: true });
    expect(platform.asked).toEqual(['comments -', 'replies a -', 'replies a c1', 'comments c1', 'replies c -']);
    expect(await world.storedIds()).toEqual(['a', 'a1', 'a2', 'a3', 'b', 'b1', 'c', 'c1']);
  });

  it('are fetched only if the platform’s descriptor says so', async () => {
    await begin('tiktok');
    platform.pages = [[comment('a', { replyCount: 1 })]];
    platform.replies = { a: [[reply('a1', 'a')]] };
    await sweep();
    expect(platform.asked).toEqual(['comments -']);
    await sweep({ platforms: createPlatforms([{ ...tiktokDescriptor, sweepsReplies: true }], [platform]) });
    expect(await world.storedIds()).toEqual(['a', 'a1']);
  });

  it('out of reach without a session: asked for once, everything else is read, the history is not complete', async () => {
    platform.pages = [[comment('a', { replyCount: null })], [comment('b', { replyCount: null })]];
    platform.refuse(sessionRequired(), /replies/);
    expect(await sweep()).toMatchObject({ totalFetched: 2, sweepStatus: 'swept', historyComplete: false });
    expect(platform.asked).toEqual(['comments -', 'replies a -', 'comments c1']);
    platform.asked.length = 0;
    await sweep();
    expect(platform.asked).toEqual(['comments -', 'replies a -', 'comments c1']);
  });

  it('out of reach, of which the comments say how many there are: they are missing', async () => {
    const warning = (count: number) => `The comments may not be all there are: ${count} comments could not be read.`;
    platform.expectedTotal = 3;
    const inline = [reply('b1', 'b'), reply('b2', 'b')];
    platform.pages = [[comment('a', { replyCount: 5 })], [comment('b', { replyCount: 2 }), ...inline]];
    platform.refuse(sessionRequired(), /replies/);
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', warning: warning(5) });
    platform.pages = [[comment('a', { replyCount: null })], [comment('c', { replyCount: 4 }), comment('d')]];
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', warning: warning(4) });
    platform.pages = [[comment('a', { replyCount: null }), comment('c'), comment('d')]];
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', historyComplete: false, warning: null });
  });

  it('of a source that has none to show: those that its comments have are missing', async () => {
    platform.supports.replies = false;
    platform.pages = [[comment('a', { replyCount: 2 })]];
    platform.expectedTotal = 1;
    const warning = 'The comments may not be all there are: 2 comments could not be read.';
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', warning });
  });

  it('of a comment that is not found are missing: it was deleted, or the session may not see it', async () => {
    platform.pages = [[comment('a', { replyCount: 1 })]];
    platform.refuse(new DomainError('POST_NOT_FOUND', 'deleted'), /replies/);
    const warning = 'The comments may not be all there are: 1 comment could not be read.';
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', historyComplete: true, warning });
  });

  it('that lead in circles do not hold the sweep up', async () => {
    platform.pages = [[comment('a', { replyCount: 9 })], [comment('b')]];
    platform.replies = { a: Array.from({ length: 1_000 }, () => [reply('a1', 'a')]) };
    expect(await sweep()).toMatchObject({ totalFetched: 3, sweepStatus: 'partial', historyComplete: false });
    expect(platform.asked.filter((request) => request.startsWith('replies')).length).toBe(8);
  });
});

describe('what a sweep has seen of what there is', () => {
  const seen = async () => {
    const { totalFetched, unreadReplies, skipped, expectedTotal } =
      (await world.storage.comments.sweep(world.challenge.id)) ?? {};
    return { totalFetched, unreadReplies, skipped, expectedTotal };
  };

  it('is told by the largest total of its pages', async () => {
    platform.pages = pages(2);
    const totals = [551, 4];
    const { getComments } = platform;
    platform.getComments = async (...given) => ({
      ...(await getComments.apply(platform, given)),
      expectedTotal: totals.shift() ?? null,
    });
    expect(await sweep()).toMatchObject({
      totalFetched: 4,
      sweepStatus: 'swept',
      historyComplete: true,
      expectedTotal: 551,
      warning: 'The comments may not be all there are: only 4 of 551 comments could be read.',
    });
  });

  it.each<[string, number | null, number | null | 'down', number, number | null]>([
    ['the pages do not say', null, 9, 2, 9],
    ['neither says', null, null, 2, null],
    ['the pages do not say, and it cannot be read', null, 'down', 2, null],
    ['the list is empty', 0, 551, 0, 551],
    ['the list is empty, and it counts none either', 0, 0, 0, 0],
    ['the list is empty, and it does not say', 0, null, 0, null],
    // A total of zero may be a part of what is broken.
    ['the list is empty, and it cannot be read', 0, 'down', 0, null],
    ['more was read than the list counts', 3, 551, 2, 551],
    ['the list counts what was read', 4, 551, 2, 551],
    ['the list counts what was read, and it does not say', 4, null, 2, 4],
    ['the list counts what was read, and it counts less', 4, 2, 2, 4],
    ['the list counts what was read, and it cannot be read', 4, 'down', 2, 4],
    ['the list counts a little more than was read', 5, 551, 2, 551],
  ])('is asked of the post if %s', async (_when, listed, ofPost, count, total) => {
    platform.pages = count === 0 ? [[]] : pages(count);
    platform.expectedTotal = listed;
    if (ofPost === 'down') platform.getPost = () => Promise.reject(new DomainError('PLATFORM_TIMEOUT', 'slow'));
    else platform.shows({ comments: ofPost });
    const swept = { totalFetched: 2 * count, sweepStatus: 'swept', historyComplete: true, expectedTotal: total };
    expect(await sweep()).toMatchObject(swept);
    if (ofPost !== 'down') expect(platform.asked.at(-1)).toBe('post');
  });

  it('is not asked of the post if a page gave the number of the post, or if the list itself lacks comments', async () => {
    platform.pages = pages(2);
    await sweep();
    platform.expectedTotal = 551;
    await sweep();
    expect(platform.asked).toEqual(['comments -', 'comments c1', 'comments -', 'comments c1']);
  });

  it('includes comments and replies that cannot be read, on every page', async () => {
    platform.pages = [[comment('a', { replyCount: 2 })], [comment('b')]];
    platform.replies = { a: [[reply('a1', 'a')]] };
    const { getComments, getReplies } = platform;
    platform.getComments = async (...given) => ({ ...(await getComments.apply(platform, given)), skipped: 1 });
    platform.getReplies = async (...given) => ({ ...(await getReplies.apply(platform, given)), skipped: 1 });
    const warning = 'The comments may not be all there are: 3 comments could not be read.';
    expect(await sweep()).toMatchObject({ warning });
    expect(await seen()).toMatchObject({ totalFetched: 3, skipped: 3 });
  });

  it('counts the replies that TikTok names and that are not read there, not those of Instagram', async () => {
    await begin('tiktok');
    platform.pages = [
      [comment('a', { replyCount: 5 }), reply('a1', 'a')],
      [comment('a', { replyCount: 5 }), comment('b')],
    ];
    platform.expectedTotal = 7;
    expect(await sweep()).toMatchObject({ expectedTotal: 7, warning: null });
    expect(await seen()).toEqual({ totalFetched: 3, unreadReplies: 4, skipped: 0, expectedTotal: 7 });
    await begin();
    platform.pages = [[comment('a', { replyCount: 5 })]];
    platform.expectedTotal = 6;
    platform.refuse(new DomainError('NOT_SUPPORTED', 'no session'), /replies/);
    expect(await sweep()).toMatchObject({ sweepStatus: 'swept', expectedTotal: 6, warning: expect.any(String) });
    expect(await seen()).toMatchObject({ unreadReplies: 0 });
  });

  it('counts the unread replies of TikTok over all parts of a sweep, and those of a comment that comes again once', async () => {
    await begin('tiktok');
    platform.pages = ['a', 'b', 'c', 'd'].map((id) => [comment(id, { replyCount: 2 })]);
    platform.expectedTotal = 15;
    const limits = { maxPages: 2 };
    expect(await world.sweeper({ limits }).sweep(world.challenge.id)).toMatchObject({ sweepStatus: 'partial' });
    // A new comment moves what was read down into the next part.
    platform.pages = ['new', 'a', 'b', 'c', 'd'].map((id) => [comment(id, { replyCount: 2 })]);
    expect(await world.sweeper({ limits: { maxPages: 9 } }).sweep(world.challenge.id)).toMatchObject({
      sweepStatus: 'swept',
      totalFetched: 5,
      warning: null,
    });
    expect(await seen()).toEqual({ totalFetched: 5, unreadReplies: 10, skipped: 0, expectedTotal: 15 });
  });

  it('is said of a sweep that stopped halfway, too', async () => {
    platform.pages = pages(3);
    platform.refuse(new DomainError('PLATFORM_TIMEOUT', 'slow'), /c2/);
    const warning = 'The last page was not reached: only 4 of 6 comments could be read; refresh again to continue.';
    const absenceTolerance = { count: 0, share: 0 };
    expect(await sweep({ absenceTolerance })).toMatchObject({ sweepStatus: 'partial', expectedTotal: 6, warning });
  });
});

describe('a sweep that stops halfway', () => {
  it('does not count again what an earlier part of it has met, comments and replies', async () => {
    platform.pages = pages(5);
    platform.pages[3]?.push(comment('thread', { replyCount: 4 }));
    platform.replies = { thread: [[reply('r1', 'thread'), reply('r2', 'thread')], [reply('r3', 'thread')]] };
    platform.refuse(limited(), /replies thread c1/);
    expect(await sweep()).toMatchObject({ totalFetched: 11, sweepStatus: 'partial' });
    platform.refuseNothing();
    const [, second = []] = platform.pages;
    // The rest of the thread and of the post repeats what was read.
    platform.replies = { thread: [[], [reply('r1', 'thread'), reply('r2', 'thread')]] };
    platform.pages = [...platform.pages.slice(0, 4), [...second, comment('new')]];
    platform.expectedTotal = 14;
    const warning = 'The comments may not be all there are: only 12 of 14 comments could be read.';
    const absenceTolerance = { count: 0, share: 0 };
    expect(await sweep({ absenceTolerance })).toMatchObject({ totalFetched: 12, sweepStatus: 'swept', warning });
  });

  it('proves nothing if its place leads to the top again, or over pages that were read', async () => {
    platform.pages = pages(5);
    await sweep();
    await new Promise((resolve) => setTimeout(resolve, 2));
    const { pages: all } = platform;
    const warning = 'The comments may not be all there are: only 6 of 10 comments could be read.';
    platform.refuse(unavailable(), /c3/);
    await sweep();
    platform.refuseNothing();
    // Six of ten were read. The other four are gone, and the first four come again.
    platform.pages = [...all.slice(0, 3), ...all.slice(0, 2)];
    platform.expectedTotal = 10;
    expect(await sweep()).toMatchObject({ totalFetched: 6, sweepStatus: 'swept', warning });
    const [first = [], second = [], third = []] = all;
    platform.pages = [first, second, third, third, third, third, third, third];
    expect(await sweep()).toMatchObject({ totalFetched: 6, sweepStatus: 'partial' });
    expect(await sweep()).toMatchObject({ totalFetched: 6, sweepStatus: 'swept', warning });
  });

  it('throws when nothing at all could be read, and is recorded as failed', async () => {
    for (const error of [limited, unavailable, () => new DomainError('POST_NOT_FOUND', 'gone')]) {
      platform.refuse(error(), /comments/);
      await expect(sweep()).rejects.toMatchObject({ code: (error() as DomainError).code });
      expect((await world.storage.comments.sweep(world.challenge.id))?.status).toBe('failed');
    }
  });

  it('keeps its place when the next one cannot read anything', async () => {
    platform.pages = pages(5);
    platform.refuse(unavailable(), /c3/);
    await sweep();
    platform.refuse(limited(), /comments/);
    await expect(sweep()).rejects.toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    platform.refuseNothing();
    platform.asked.length = 0;
    expect(await sweep()).toMatchObject({ totalFetched: 10, historyComplete: true });
    expect(platform.asked).not.toContain('comments c1');
  });

  it('is bounded in pages; the next one has as many again', async () => {
    platform.pages = pages(7);
    const limits = { maxPages: 3 };
    expect(await sweep({ limits })).toMatchObject({ totalFetched: 6, sweepStatus: 'partial', historyComplete: false });
    expect(platform.asked).toHaveLength(3);
    expect(await sweep({ limits })).toMatchObject({ totalFetched: 12, sweepStatus: 'partial' });
    expect(await sweep({ limits })).toMatchObject({ totalFetched: 14, sweepStatus: 'swept', historyComplete: true });
  });
});

describe('a platform that leads in circles', () => {
  it('by pages without anything new, three in a row; the next sweep continues behind them', async () => {
    const cursors: (string | null)[] = [];
    platform.getComments = async (_post, cursor) => {
      cursors.push(cursor);
      return { comments: [comment('same')], nextCursor: `c${cursors.length}`, expectedTotal: 9 };
    };
    const partial = { totalFetched: 1, sweepStatus: 'partial', historyComplete: false, expectedTotal: 9 };
    expect(await sweep()).toMatchObject(partial);
    expect(cursors).toEqual([null, 'c1', 'c2', 'c3']);
    await sweep();
    expect(cursors.slice(4)).toEqual([null, 'c4', 'c6', 'c7', 'c8']);
  });

  it('once, by a page that comes again: what lies behind it is read in the same sweep', async () => {
    const [first = [], second = [], third = []] = pages(3);
    platform.pages = [first, second, second, [], third];
    const whole = { sweepStatus: 'swept', historyComplete: true };
    expect(await sweep()).toMatchObject({ totalFetched: 6, ...whole, expectedTotal: 6, warning: null });
  });

  it('by empty pages without end; one or two of them are nothing unusual', async () => {
    let count = 0;
    platform.getComments = async () => {
      count += 1;
      return { comments: [], nextCursor: `c${count}` };
    };
    expect(await sweep()).toMatchObject({ sweepStatus: 'partial', historyComplete: false });
    expect(count).toBe(3);
    await begin();
    platform.pages = [[comment('a')], [], [], [comment('b')]];
    expect(await sweep()).toMatchObject({ totalFetched: 2, sweepStatus: 'swept', historyComplete: true });
  });
});

describe('several callers', () => {
  it('in one process share one sweep, and the next call begins another', async () => {
    platform.pages = pages(3);
    const sweeper = world.sweeper();
    const results = await Promise.all([1, 2, 3].map(() => sweeper.sweep(world.challenge.id)));
    expect(new Set(results).size).toBe(1);
    expect(platform.asked).toHaveLength(3);
    await sweeper.sweep(world.challenge.id);
    expect(platform.asked).toHaveLength(6);
  });

  it('may stop waiting; the sweep continues', async () => {
    platform.pages = pages(3);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    platform.before = (request) => (request === 'comments c1' ? held : undefined);
    const sweeper = world.sweeper();
    const patient = sweeper.sweep(world.challenge.id);
    const controller = new AbortController();
    const impatient = sweeper.sweep(world.challenge.id, { signal: controller.signal });
    const stored = async () => (await world.storage.comments.sweep(world.challenge.id))?.totalFetched;
    await vi.waitFor(async () => expect(await stored()).toBe(2), 10_000);
    controller.abort(new Error('gone'));
    await expect(impatient).rejects.toThrow('gone');
    release();
    expect(await patient).toMatchObject({ totalFetched: 6, sweepStatus: 'swept' });
  });
});

describe('a process that stops or dies', () => {
  it('a sweep that nobody could take over is not said to run any more', async () => {
    platform.pages = pages(2);
    const sweeper = world.sweeper();
    await sweeper.sweep(world.challenge.id);
    const store = world.storage.comments;
    const progress = await store.sweep(world.challenge.id);
    if (progress === null) throw new Error('A sweep leaves its progress.');
    const failure = { error: 'Error: never', signal: new AbortController().signal };
    const abandoned = async (changes: Partial<typeof progress>) => {
      await store.saveSweep({ ...progress, ...changes });
      await sweeper.abandon({ challengeId: world.challenge.id }, failure);
      return (await store.sweep(world.challenge.id))?.status;
    };
    expect(await abandoned({ status: 'running', cursor: 'c1' })).toBe('partial');
    expect(await abandoned({ status: 'running', cursor: null, pendingReplies: [] })).toBe('failed');
    expect(await abandoned({ status: 'swept' })).toBe('swept');
  });
});
