/** Real bodies, where they lie beside the checkout. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/platform/suite.ts';
import { postRef, unread } from '../../support/platforms.ts';
import { instagramAnswering } from './answering.ts';

const folder = resolve(import.meta.dirname, '../../../../shared/samples/platforms/instagram');
const ref = postRef('instagram', 'DeAZ0uAgNuA');
const other = postRef('instagram', 'DS5DrQpjcKR');

describe.skipIf(!existsSync(folder))('samples of Instagram', () => {
  const sample = (name: string) => ({ body: readFileSync(join(folder, name), 'utf8') });

  it('a post page: the post, not its copy in the timeline', async () => {
    const { platform } = instagramAnswering(() => sample('page_post_image.html'));
    const details = await platform.getPost(ref);
    expect(details).toMatchObject({
      contentId: 'DeAZ0uAgNuA',
      owner: { handle: 'natgeo', accountId: '787132', displayName: 'National Geographic' },
      post: { postedAt: new Date(1_790_975_127_000) },
      stats: { views: null, likes: 47_528, comments: 154, shares: null, saves: null },
    });
    expect(details.post.caption).toMatch(/^Presented by @Rolex\. When Matt Shirley/);
    expect(details.post.mediaUrls).toHaveLength(1);
    expect(details.post.thumbnailUrl).toContain('cdninstagram.com');
  });

  it('a post page asked for another post is not that post', async () => {
    const { platform } = instagramAnswering(() => sample('page_post_image.html'));
    expect(await refusal(platform.getPost(other))).toMatchObject(unread('drifted'));
    // A code that is in the page, in the timeline only.
    expect((await refusal(platform.getPost(postRef('instagram', 'DdG4RIxIPyf')))).code).toBe('PLATFORM_UNAVAILABLE');
  });

  it('a profile page', async () => {
    const { platform } = instagramAnswering(() => sample('page_profile.html'));
    expect(await platform.getProfile('natgeo')).toMatchObject({
      handle: 'natgeo',
      accountId: '787132',
      displayName: 'National Geographic',
      isVerified: true,
      isPrivate: false,
      followerCount: 268_457_110,
      followingCount: 194,
      mediaCount: null,
    });
  });

  it('pages that say no with status 200', async () => {
    const cases = [
      ['page_not_found.html', 'POST_NOT_FOUND', 'PROFILE_NOT_FOUND'],
      ['page_login_wall.html', 'PLATFORM_UNAVAILABLE', 'PLATFORM_UNAVAILABLE'],
      ['page_throttled_post.html', 'SCRAPING_RATE_LIMITED', 'SCRAPING_RATE_LIMITED'],
    ] as const;
    for (const [name, post, profile] of cases) {
      const { platform } = instagramAnswering(() => sample(name));
      expect([name, (await refusal(platform.getPost(ref))).code]).toEqual([name, post]);
      expect([name, (await refusal(platform.getProfile('natgeo'))).code]).toEqual([name, profile]);
    }
  });

  it('comments and their replies', async () => {
    const { platform, requests } = instagramAnswering(
      (path) => sample(path.includes('child_comments') ? 'web_child_comments.json' : 'web_media_comments.json'),
      { sessionIds: ['1%3Ax'] },
    );
    const own = postRef('instagram', 'DS4_qA8EhiR');
    const page = await platform.getComments(own, null);
    expect(page).toMatchObject({
      comments: [{ id: '18073576745526689', parentId: null, username: 'commenter_01', likeCount: 0, replyCount: 1 }],
      nextCursor: null,
    });
    const replies = await platform.getReplies(own, '18073576745526689', null);
    expect(replies).toMatchObject({
      comments: [{ id: '18104612041708229', parentId: '18073576745526689', username: 'post_owner' }],
      nextCursor: null,
    });
    expect(requests[0]?.url).toMatch(
      /com\/api\/v1\/media\/\d+\/comments\/\?can_support_threading=true&permalink_enabled=false$/,
    );
  });

  it('likers', async () => {
    const { platform } = instagramAnswering(() => sample('mobile_media_likers.json'), { sessionIds: ['1%3Ax'] });
    const { likers, totalLikes } = await platform.getLikers(ref, 1000);
    expect([likers.length, totalLikes]).toEqual([3, 135_428]);
    expect(likers[0]).toMatchObject({ accountId: '9634329333', username: 'commenter_06', isPrivate: true });
  });

  it('quoted failures', async () => {
    const expected: Readonly<Record<string, readonly [code: string, session: string]>> = {
      gated_or_ip_blocked_or_dead_session: ['PLATFORM_UNAVAILABLE', 'dead'],
      throttled_older_form: ['PLATFORM_UNAVAILABLE', 'dead'],
      throttled_no_login_flag: ['SCRAPING_RATE_LIMITED', 'active'],
      checkpoint: ['PLATFORM_UNAVAILABLE', 'quarantined'],
      checkpoint_relative: ['PLATFORM_UNAVAILABLE', 'quarantined'],
      graphql_execution_error: ['PLATFORM_UNAVAILABLE', 'active'],
      profile_empty_ok_ambiguous: ['PLATFORM_UNAVAILABLE', 'active'],
      login_redirect: ['PLATFORM_UNAVAILABLE', 'dead'],
      challenge_redirect: ['PLATFORM_UNAVAILABLE', 'quarantined'],
    };
    const failures = JSON.parse(sample('failures.json').body) as {
      case: string;
      http: number;
      body: unknown;
      location?: string;
    }[];
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) {
      const { platform } = instagramAnswering(
        () => ({ status: failure.http, headers: { location: failure.location }, body: JSON.stringify(failure.body) }),
        { sessionIds: ['1%3Ax'] },
      );
      const error = await refusal(platform.getLikers(ref, 10));
      const state = platform.sessionStates()[0]?.state;
      expect([failure.case, error.code, state === 'resting' ? 'active' : state]).toEqual([
        failure.case,
        ...(expected[failure.case] ?? ['?', '?']),
      ]);
    }
  });
});
