import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { failuresOf } from '../../support/failure-outcomes.ts';
import { simulateTikTok } from './simulated.ts';

const tiktok = await simulateTikTok();
/** An endless body is soon too large for it. */
const reader = () => tiktok.platform({ maxBodyBytes: 500_000 });
afterAll(() => tiktok.close());
beforeEach(() => tiktok.reset());

describe('a post page', () => {
  it.each(failuresOf('tiktok-post'))('that is %s gives %s (%s)', async (shape, code, reason) => {
    const { ref } = tiktok.addPost();
    tiktok.fail({ endpoint: 'post-page', shape });
    await expect(reader().getPost(ref)).rejects.toMatchObject({ code, details: { reason } });
  });

  it.each(['no-rehydration-data', 'waf', 'empty-body', 'verify'] as const)(
    'that is %s once is read at the second attempt',
    async (shape) => {
      const { ref } = tiktok.addPost();
      tiktok.fail({ endpoint: 'post-page', shape, times: 1 });
      expect((await reader().getPost(ref)).contentId).toBe(ref.contentId);
      expect(tiktok.requests()).toEqual({ 'post-page': 2 });
    },
  );

  it('that has moved is followed once, and only to the same post', async () => {
    const { ref } = tiktok.addPost();
    tiktok.fail({ endpoint: 'post-page', shape: 'moved', times: 1 });
    expect((await reader().getPost(ref)).contentId).toBe(ref.contentId);
    for (const shape of ['moved', 'moved-elsewhere'] as const) {
      tiktok.reset();
      tiktok.fail({ endpoint: 'post-page', shape });
      await expect(reader().getPost(ref)).rejects.toMatchObject({ details: { reason: 'redirect' } });
      expect(tiktok.requests()).toEqual({ 'post-page': shape === 'moved' ? 2 : 1 });
    }
  });

  it('behind the firewall is read by solving its challenge, once for all further pages', async () => {
    const { ref } = tiktok.addPost();
    tiktok.fail({ shape: 'waf' });
    const platform = reader();
    await platform.getPost(ref);
    await platform.getPost(ref);
    expect(tiktok.requests()).toEqual({ 'post-page': 3 });
  });

  it('behind a firewall that cannot be solved is given up, in time for the deadline', async () => {
    const { ref } = tiktok.addPost();
    tiktok.fail({ shape: 'waf-unsolvable' });
    const deadline = new Date(Date.now() + 150);
    await expect(reader().getPost(ref, { deadline })).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
  });
});

describe('a profile page', () => {
  it.each(failuresOf('tiktok-profile'))(
    'that is %s gives %s (%s), and is embedded elsewhere unless that is final',
    async (shape, code, reason) => {
      tiktok.addProfile({ handle: 'mia' });
      tiktok.fail({ shape });
      await expect(reader().getProfile('mia')).rejects.toMatchObject({ code, details: { reason } });
      const isFinal = code !== 'PLATFORM_UNAVAILABLE' || reason === 'region';
      expect('embed-profile' in tiktok.requests()).toBe(!isFinal);
    },
  );
});

describe.each(['comments', 'replies'] as const)('the %s API', (endpoint) => {
  /** Reads from the same post by the same reader, each time. */
  function reading() {
    const { post, ref } = tiktok.addPost({ comments: 3, replies: { every: 1, count: 2 } });
    const platform = reader();
    const id = post.thread.page(0, 1)[0]?.id ?? '';
    return () => (endpoint === 'comments' ? platform.getComments(ref, null) : platform.getReplies(ref, id, null));
  }

  it.each(failuresOf('tiktok-api'))('that answers %s gives %s (%s)', async (shape, code, reason) => {
    const read = reading();
    tiktok.fail({ endpoint, shape });
    await expect(read()).rejects.toMatchObject({ code, details: { reason } });
  });

  it('is taken at its word about a post whose page is age restricted, on the first visit and later', async () => {
    const read = reading();
    tiktok.fail({ endpoint: 'post-page', shape: 'classified-without-video' });
    const first = await read();
    expect(first.comments.length).toBeGreaterThan(0);
    expect(await read()).toEqual(first);
    expect(tiktok.requests()).toEqual({ 'post-page': 1, [endpoint]: 2 });
  });

  it('is asked again as a new visitor after it refused without a word', async () => {
    const read = reading();
    tiktok.fail({ endpoint, shape: 'empty-body', times: 1 });
    const page = await read();
    expect(page.comments.length).toBeGreaterThan(0);
    expect(tiktok.requests()).toEqual({ 'post-page': 2, [endpoint]: 2 });
  });
});
