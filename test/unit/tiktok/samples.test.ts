/** Real bodies, when the folder with them is beside the project. */

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { postRef } from '../../support/platforms.ts';
import { answeringTransport } from '../scraping/scripted-transport.ts';

const folder = new URL('../../../../shared/samples/platforms/tiktok/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface Case {
  readonly case: string;
  readonly scope?: string;
  readonly body: unknown;
}

const EXPECTED: Readonly<Record<string, string>> = {
  deleted_or_bad_id: 'POST_NOT_FOUND',
  author_only: 'POST_PRIVATE',
  geo_fenced: 'POST_UNAVAILABLE',
  cross_border: 'POST_UNAVAILABLE',
  user_gone: 'PROFILE_NOT_FOUND',
  api_empty_success: 'PLATFORM_UNAVAILABLE',
  app_api_upgrade: 'PLATFORM_UNAVAILABLE',
};

describe.runIf(existsSync(folder))('real bodies', () => {
  const answers = new Map<string, string>();
  const transport = answeringTransport((path) => (answers.has(path) ? { body: answers.get(path) } : { status: 404 }));
  const tiktok = createTikTokPlatform({ pacing: 'off', transport });

  it('reads a video', async () => {
    answers.set('/@therock/video/7686150374289362190', read('page_video.html'));
    const details = await tiktok.getPost(postRef('tiktok', '7686150374289362190', 'therock'));
    expect(details).toMatchObject({
      owner: { handle: 'therock', accountId: '6745191554350760966', displayName: 'The Rock' },
      stats: { views: 156_900, likes: 10_400, comments: 583, shares: 767, saves: 546 },
    });
    expect(details.post.postedAt?.toISOString()).toBe(new Date(1_789_571_357_000).toISOString());
    expect(details.post.mediaUrls).toHaveLength(1);
    expect(details.owner.secUid).toMatch(/^MS4wLjABAAAA/);
  });

  it('reads a profile', async () => {
    answers.set('/@nasa', read('page_profile.html'));
    expect(await tiktok.getProfile('nasa')).toMatchObject({
      handle: 'nasa',
      accountId: '7664638705177150477',
      isVerified: true,
      isPrivate: false,
      followerCount: 1_785_290,
      followingCount: 23,
      mediaCount: 46,
    });
  });

  it('finds that a video is missing', async () => {
    answers.set('/@_/video/1', read('page_video_missing_10204.html'));
    await expect(tiktok.getPost(postRef('tiktok', '1'))).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
  });

  it('reads a page of comments: 19 of the 20 asked for', async () => {
    answers.set('/api/comment/list/', read('comment_list.json'));
    const page = await tiktok.getComments(postRef('tiktok', '7603296357641735445'), null);
    const sample = JSON.parse(read('comment_list.json')) as { comments: { cid: string }[]; cursor: number };
    const topLevel = page.comments.filter(({ parentId }) => parentId === null);
    expect(topLevel.map(({ id }) => id)).toEqual(sample.comments.map(({ cid }) => cid));
    expect(topLevel).toHaveLength(19);
    await tiktok.getComments(postRef('tiktok', '7603296357641735445'), page.nextCursor);
    expect(transport.requests.at(-1)?.url).toContain(`&cursor=${sample.cursor}`);
    expect(topLevel[0]).toMatchObject({ text: '', username: 'commenter_01', likeCount: 2, replyCount: 0 });
  });

  it('reads a page of replies', async () => {
    answers.set('/api/comment/list/reply/', read('comment_reply_list_2021_page1.json'));
    const page = await tiktok.getReplies(postRef('tiktok', '6993829555089706245'), '6993850213266637574', null);
    expect(page.nextCursor).not.toBeNull();
    expect(page.comments).toMatchObject([
      { id: '6993850988705366790', parentId: '6993850213266637574', username: 'commenter_18', replyCount: null },
      { id: '6993851188534067974', parentId: '6993850213266637574', username: 'commenter_19' },
    ]);
  });

  it('types every quoted failure', async () => {
    const cases = JSON.parse(read('failures.json')) as Case[];
    const seen: Record<string, string> = {};
    for (const [index, { case: name, scope, body }] of cases.entries()) {
      const id = String(7_000_000_000_000_000_000n + BigInt(index));
      const page = (key: string): string =>
        `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${JSON.stringify({ __DEFAULT_SCOPE__: { [key]: body } })}</script>`;
      let attempt: Promise<unknown>;
      if (scope === 'webapp.user-detail') {
        answers.set(`/@user${index}`, page(scope));
        attempt = tiktok.getProfile(`user${index}`);
      } else if (scope !== undefined) {
        answers.set(`/@_/video/${id}`, page(scope));
        attempt = tiktok.getPost(postRef('tiktok', id));
      } else {
        answers.set('/api/comment/list/', body === '' ? '' : JSON.stringify(body));
        attempt = tiktok.getComments(postRef('tiktok', id), null);
      }
      seen[name] = await attempt.then(
        () => 'read',
        (error: { code: string }) => error.code,
      );
    }
    expect(seen).toEqual(EXPECTED);
  });
});
