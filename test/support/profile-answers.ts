/** Answers of the platforms about profiles, in their own shapes, and requests that ask for them. */
import type { ExchangeOptions } from './verified-proof.ts';

export interface ProfileFacts {
  readonly id?: string;
  readonly handle: string;
  readonly bio: string;
}

/** JSON as it is in a script element of a page. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003C');
}

/** One result of a preloaded query, as Instagram's pages wrap it. */
export function relayResult(data: unknown): unknown {
  const result = { __bbox: { complete: true, result: { data, extensions: { is_final: true } }, sequence_number: 0 } };
  const stream = ['RelayPrefetchedStreamCache', 'next', [], ['adp_PolarisProfileRelayPreloader', result]];
  return { require: [['ScheduledServerJS', 'handle', null, [{ __bbox: { require: [stream] } }]]] };
}

/** A page of Instagram with these JSON documents in it. */
export function instagramPage(...documents: readonly unknown[]): string {
  const scripts = documents.map((each) => `<script type="application/json" data-sjs>${scriptJson(each)}</script>`);
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Instagram</title></head><body>\n${scripts.join('\n')}\n</body></html>`;
}

export const instagramUser = ({ id = '7', handle, bio }: ProfileFacts) => ({
  pk: id,
  username: handle,
  biography: bio,
  full_name: 'A Name',
  follower_count: 12,
  id: `1784${id}`,
});

/** Instagram's profile page: who owns the timeline, then the profile. */
export function instagramProfilePage(facts: ProfileFacts, ...more: readonly unknown[]): string {
  const timeline = { pk: facts.id ?? '7', polaris_ordered_timeline_connection: { edges: [] } };
  return instagramPage(
    relayResult({ xig_user_by_username: timeline }),
    relayResult({ xig_user_by_username: instagramUser(facts) }),
    ...more,
  );
}

export function instagramApiBody({ id = '7', handle, bio }: ProfileFacts, more: object = {}): string {
  return JSON.stringify({ data: { user: { id, username: handle, biography: bio, ...more } }, status: 'ok' });
}

export function tiktokScope(scope: unknown, attributes = 'id="__UNIVERSAL_DATA_FOR_REHYDRATION__"'): string {
  return `<!DOCTYPE html><html lang="en"><head><title>TikTok</title></head><body><div id="app"></div>\n<script ${attributes} type="application/json">${scriptJson(scope)}</script>\n</body></html>`;
}

export function tiktokProfilePage({ id = '7', handle, bio }: ProfileFacts, more: object = {}): string {
  const user = { id, uniqueId: handle, signature: bio, nickname: 'A Name' };
  const stats = { followerCount: 12, followingCount: 3, videoCount: 4 };
  return tiktokScope({
    __DEFAULT_SCOPE__: { ...more, 'webapp.user-detail': { userInfo: { user, stats }, statusCode: 0, statusMsg: '' } },
  });
}

/** The ways in which a profile is shown with its bio, each with an answer about it. */
export const PROFILE_WAYS = {
  'instagram api': (facts: ProfileFacts): ExchangeOptions => ({
    target: `/api/v1/users/web_profile_info/?username=${facts.handle}`,
    body: instagramApiBody(facts),
  }),
  'instagram page': (facts: ProfileFacts): ExchangeOptions => ({
    target: `/${facts.handle}/`,
    body: instagramProfilePage(facts),
  }),
  'tiktok page': (facts: ProfileFacts): ExchangeOptions => ({
    host: 'www.tiktok.com',
    target: `/@${facts.handle}`,
    body: tiktokProfilePage(facts),
  }),
} as const;
