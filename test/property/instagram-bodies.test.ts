/** Whatever Instagram answers, a caller gets whole data or a `DomainError`: never an exception, never half a page. */

import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createInstagramPlatform, type InstagramPlatform } from '../../adapters/instagram/index.ts';
import { isDomainError } from '../../core/errors.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { anyCharacter } from '../support/any-character.ts';
import { postRef } from '../support/platforms.ts';
import { runs } from '../support/property-runs.ts';
import { bytes, scriptedTransport } from '../unit/scraping/scripted-transport.ts';

const ref = postRef('instagram', 'DeAZ0uAgNuA');
const PK = '3999310043081137024';
const user = { pk: '787132', username: 'natgeo', full_name: 'Nat', is_private: false, is_verified: true };
const media = {
  pk: PK,
  code: ref.contentId,
  taken_at: 1_790_975_127,
  user,
  caption: { text: 'hi' },
  like_count: 5,
  like_and_view_counts_disabled: false,
  comment_count: 6,
  display_uri: 'https://a.example/1.jpg',
  image_versions2: { candidates: [{ url: 'https://a.example/1.jpg' }] },
};
const comment = { pk: '1', text: 'x', created_at: 1_790_975_127, comment_like_count: 0, user };
const connection = { edges: [{ node: comment }], page_info: { end_cursor: 'c', has_next_page: true } };
const BODIES = {
  page: {
    xig_polaris_media: {
      pk: PK,
      code: ref.contentId,
      if_not_gated_logged_out: media,
      gating_ruling: null,
      comments_connection: connection,
    },
  },
  profile: { xig_user_by_username: { ...user, follower_count: 5, following_count: 6, biography: '' } },
  comments: {
    comments: [{ ...comment, child_comment_count: 1, preview_child_comments: [comment] }],
    has_more_headload_comments: true,
    next_min_id: '{}',
  },
  replies: { child_comments: [comment], has_more_tail_child_comments: true, next_max_child_cursor: 'c' },
  likers: { users: [user], user_count: 7 },
};

const open: Platform[] = [];
afterAll(async () => {
  for (const platform of open) await platform.close();
});

function answering(body: string, status = 200): InstagramPlatform {
  const transport = scriptedTransport(() => ({ status, body: bytes(body) }));
  const platform = createInstagramPlatform({
    baseUrl: 'http://127.0.0.1:1',
    pacing: 'off',
    sessionIds: ['1%3Ax'],
    transport,
  });
  open.push(platform);
  return platform;
}

const CALLS: readonly ((platform: Platform) => Promise<unknown>)[] = [
  (platform) => platform.getPost(ref),
  (platform) => platform.getComments(ref, null),
  (platform) => platform.getReplies(ref, '1', null),
  (platform) => platform.getLikers(ref, 10),
  (platform) => platform.getProfile('natgeo'),
  (platform) => platform.resolveShortLink('https://www.instagram.com/share/p/BAabc/'),
];
const HALF = /"(?:id|accountId|username|handle|contentId)":(?:null|""|\d|\{|\[)/;

/** Asks in every way that this body could be the answer to; a fresh adapter each, so that no circuit is open. */
async function askAll(body: string, status = 200): Promise<void> {
  await Promise.all(
    CALLS.map(async (call) => {
      const value = await call(answering(body, status)).catch((error: unknown) => {
        if (!isDomainError(error)) throw error;
        return undefined;
      });
      if (value !== undefined) expect(JSON.stringify(value)).not.toMatch(HALF);
    }),
  );
}

/** The same value with one place in it replaced or removed. */
function withChange(value: unknown, choice: readonly number[], replacement: unknown, at = 0): unknown {
  if (typeof value !== 'object' || value === null || at >= choice.length) return replacement;
  const keys = Object.keys(value);
  const key = keys[(choice[at] ?? 0) % Math.max(1, keys.length)];
  if (key === undefined) return replacement;
  const child = withChange((value as Record<string, unknown>)[key], choice, replacement, at + 1);
  if (Array.isArray(value)) return value.map((entry: unknown, index) => (String(index) === key ? child : entry));
  return { ...value, [key]: child };
}

const html = (data: unknown): string =>
  `<html><script type="application/json" data-sjs>${JSON.stringify({ canonicalRouteName: 'a.PolarisLoggedOutDesktopWWWPostRoute', require: [data] })}</script></html>`;

describe('answers of Instagram', () => {
  it('of the right shape are understood', async () => {
    expect((await answering(html(BODIES.page)).getPost(ref)).stats.likes).toBe(5);
    expect((await answering(JSON.stringify(BODIES.comments)).getComments(ref, null)).comments).toHaveLength(2);
    expect((await answering(JSON.stringify(BODIES.replies)).getReplies(ref, '1', null)).comments).toHaveLength(1);
    expect((await answering(JSON.stringify(BODIES.likers)).getLikers(ref, 10)).totalLikes).toBe(7);
    expect((await answering(html(BODIES.profile)).getProfile('natgeo'))?.followerCount).toBe(5);
  });

  it('with one thing changed are whole or refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(BODIES)),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
        fc.oneof(fc.constantFrom(null, undefined, -1, '', [], {}, true, 2 ** 60), fc.jsonValue({ maxDepth: 2 })),
        async (body, choice, replacement) => {
          const changed = withChange(body, choice, replacement);
          await Promise.all([askAll(JSON.stringify(changed) ?? ''), askAll(html(changed))]);
        },
      ),
      runs(16),
    );
  });

  it('of any text and status are refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.json(), fc.json().map(html)),
        fc.constantFrom(200, 204, 301, 400, 401, 403, 404, 429, 500, 503),
        async (body, status) => askAll(body, status),
      ),
      runs(8),
    );
  });
});
