import { describe, expect, it } from 'vitest';
import { createWorld } from '../../../hosts/platform-simulator/world.ts';

describe('a seeded world', () => {
  it('answers alike for the same seed and differently for another', () => {
    const describeWorld = (seed: string): string => {
      const world = createWorld(seed);
      const post = world.addPost({ platform: 'tiktok', owner: 'mia', comments: 30, replies: { every: 3, count: 2 } });
      const first = post.thread.page(0, 30);
      return JSON.stringify([post.contentId, post.counts, first, post.thread.replies(first[0]?.id ?? '', 0, 5)]);
    };
    expect(describeWorld('one')).toBe(describeWorld('one'));
    expect(describeWorld('one')).not.toBe(describeWorld('two'));
  });

  it('names what is wrong with an input', () => {
    const world = createWorld('s');
    expect(() => world.addPost({ platform: 'tiktok', owner: '@mia' })).toThrow(/handle without @/);
    expect(() => world.addPost({ platform: 'tiktok', owner: 'mia', comments: -1 })).toThrow(/comments/);
  });

  it('derives the time of a TikTok post from its id', () => {
    const world = createWorld('s');
    const post = world.addPost({ platform: 'tiktok', owner: 'mia', contentId: '7686150374289362190' });
    expect(post.createdAt).toBe(Number(7686150374289362190n >> 32n));
  });

  it('finds profiles without regard to case, and lets a bio change', () => {
    const world = createWorld('s');
    world.addPost({ platform: 'instagram', owner: 'Mia' });
    const profile = world.findProfile('instagram', 'mIA');
    expect(profile?.bio).toBe('');
    if (profile !== undefined) profile.bio = 'code 123';
    expect(world.findProfile('instagram', 'mia')?.bio).toBe('code 123');
    expect(world.findProfile('tiktok', 'mia')).toBeUndefined();
  });

  it('puts chosen handles first among the likers', () => {
    const post = createWorld('s').addPost({ platform: 'instagram', owner: 'mia', likers: 5, placedLikers: ['zoe'] });
    expect(post.likerCount).toBe(6);
    expect(post.likers(0, 10).map((liker) => liker.handle)).toEqual([
      'zoe',
      'liker_1',
      'liker_2',
      'liker_3',
      'liker_4',
      'liker_5',
    ]);
  });
});

describe('a comment thread', () => {
  it('serves 25,000 comments page by page, each exactly once', () => {
    const { thread } = createWorld('s').addPost({ platform: 'instagram', owner: 'mia', comments: 25_000 });
    const ids = new Set<string>();
    for (let offset = 0; offset < thread.size; offset += 50) {
      for (const comment of thread.page(offset, 50)) ids.add(comment.id);
    }
    expect(ids.size).toBe(25_000);
    expect(thread.page(25_000, 50)).toEqual([]);
  });

  it('places comments and replies where it is told, and counts them', () => {
    const { thread } = createWorld('s').addPost({
      platform: 'tiktok',
      owner: 'mia',
      comments: 10,
      replies: { every: 5, count: 2 },
      placed: [
        { handle: 'zoe', text: 'here', index: 4 },
        { handle: 'kim', text: 'below', index: 4, asReply: true },
      ],
    });
    const placed = thread.page(4, 1)[0];
    expect(placed).toMatchObject({ handle: 'zoe', text: 'here', parentId: null, replies: 1 });
    expect(thread.replies(placed?.id ?? '', 0, 10)).toMatchObject([
      { handle: 'kim', text: 'below', parentId: placed?.id },
    ]);
    expect(thread.size).toBe(10);
    expect(thread.total).toBe(10 + 4 + 1);
    const counted = thread.page(0, 10).reduce((sum, comment) => sum + comment.replies, 0);
    expect(counted).toBe(5);
  });

  it('grows', () => {
    const post = createWorld('s').addPost({ platform: 'tiktok', owner: 'mia', comments: 3 });
    const id = post.thread.add({ handle: 'zoe', text: 'late' });
    const replyId = post.thread.add({ handle: 'kim', text: 'later', replyToIndex: 3 });
    expect(post.thread.page(3, 5)).toMatchObject([{ id, handle: 'zoe', replies: 1 }]);
    expect(post.thread.replies(id, 0, 5)).toMatchObject([{ id: replyId, handle: 'kim' }]);
    expect(post.counts.comments).toBe(5);
    expect(() => post.thread.add({ handle: 'x', text: '', replyToIndex: 99 })).toThrow(RangeError);
  });

  it('knows no comments of other posts', () => {
    const world = createWorld('s');
    const one = world.addPost({ platform: 'tiktok', owner: 'mia', comments: 3 });
    const two = world.addPost({ platform: 'tiktok', owner: 'mia', comments: 3 });
    expect(two.thread.replies(one.thread.page(0, 1)[0]?.id ?? '', 0, 5)).toBeNull();
    expect(two.thread.replyCount('abc')).toBeNull();
  });
});

describe('failure rules', () => {
  const facts = { platform: 'tiktok', endpoint: 'comments', contentId: '1' } as const;

  it('hits a number of times, after letting some pass', () => {
    const { failures } = createWorld('s');
    failures.add({ platform: 'tiktok', endpoint: 'comments', shape: 'rate-limited', after: 1, times: 2 });
    const taken = [1, 2, 3, 4].map(() => failures.take(facts)?.shape ?? null);
    expect(taken).toEqual([null, 'rate-limited', 'rate-limited', null]);
  });

  it('keeps to its endpoint, post, handle and session', () => {
    const { failures } = createWorld('s');
    failures.add({ platform: 'tiktok', contentId: '1', endpoint: 'replies', shape: 'hang' });
    failures.add({ platform: 'instagram', session: 'abc', shape: 'dead-session' });
    expect(failures.take(facts)).toBeNull();
    expect(failures.take({ ...facts, endpoint: 'replies', contentId: '2' })).toBeNull();
    expect(failures.take({ ...facts, endpoint: 'replies' })?.shape).toBe('hang');
    expect(failures.take({ platform: 'instagram', endpoint: 'likers' })).toBeNull();
    expect(failures.take({ platform: 'instagram', endpoint: 'likers', session: 'abc' })?.shape).toBe('dead-session');
  });

  it('lets the newest rule win, and removes them', () => {
    const { failures } = createWorld('s');
    failures.add({ platform: 'tiktok', shape: 'hang' });
    const id = failures.add({ platform: 'tiktok', shape: 'reset' });
    expect(failures.take(facts)?.shape).toBe('reset');
    expect(failures.remove(id)).toBe(true);
    expect(failures.remove(id)).toBe(false);
    expect(failures.take(facts)?.shape).toBe('hang');
    failures.clear();
    expect(failures.take(facts)).toBeNull();
  });
});
