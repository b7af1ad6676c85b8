import { expect, it } from 'vitest';
import { earliestMatch, type Match } from '../../../core/engagement/attempts/matching.ts';
import type { SocialAccount } from '../../../core/engagement/creators/creator.ts';
import { T0 } from '../../support/engagement-samples.ts';

const comment = (handle: string, ms: number): Match => ({
  handle,
  accountId: null,
  scopedId: null,
  seenAt: T0,
  comment: { commentText: `by ${handle}`, commentedAt: new Date(T0.getTime() + ms) },
});
const like = (handle: string): Match => ({ handle, accountId: null, scopedId: null, seenAt: T0, comment: null });
const linkOf = (handle: string): SocialAccount => ({
  id: handle.charCodeAt(0),
  creatorId: 1,
  platform: 'instagram',
  platformUsername: handle,
  profileData: {},
  ownershipProven: false,
  platformAccountId: null,
  rememberedAccountId: null,
  connectedAt: T0,
  disconnectedAt: null,
});
const among = (...matches: readonly Match[]) => new Map(matches.map((match) => [match.handle.charCodeAt(0), match]));

it.each([
  ['the earliest comment', among(comment('a', 2), comment('b', 1), comment('c', 3)), 'b'],
  ['the first handle when they are as early', among(comment('b', 1), comment('a', 1)), 'a'],
  ['the first handle that liked', among(like('c'), like('b')), 'b'],
  ['what there is', among(comment('c', 0)), 'c'],
  ['nothing without a match', among(), undefined],
  ['nothing of others', among(comment('x', 0)), undefined],
])('takes %s', (_what, matches, handle) => {
  expect(earliestMatch(matches, ['a', 'b', 'c'].map(linkOf))?.match.handle).toBe(handle);
});
