/**
 * A platform from outside the repository: plain JavaScript, written against what the package exports. `createScrapingClient`
 * gives it the pace, the retries, the deadlines and the bounds of the built-in platforms.
 */
import { DomainError } from 'credence';
import { createScrapingClient, parseJson, parseRetryAfter, readEntries } from 'credence/adapters/scraping';

const ID = /^t[0-9]{1,9}$/;
const HANDLE = /^[a-z0-9._]{2,30}$/;
const CURSOR = /^c[0-9]{1,7}$/;
const RATES = { api: { burst: 50, refillEveryMs: 100, spacingMs: 1, concurrency: 10 } };
const DRIFTED = { kind: 'unreadable', reason: 'drifted' };

export const toyDescriptor = {
  name: 'toy',
  label: 'Toy',
  hosts: ['toy.example', 'www.toy.example'],
  contentTypes: ['post'],
  parseUrl(url) {
    const [, id] = /^\/posts\/([^/]+)\/?$/.exec(url.pathname) ?? [];
    return id === undefined || !ID.test(id)
      ? null
      : { platform: 'toy', contentType: 'post', contentId: id, canonicalUrl: toyDescriptor.canonicalUrl(id) };
  },
  canonicalUrl: (id) => `https://toy.example/posts/${id}`,
  postUrlForms: [{ shown: '/posts/…', path: /^\/posts\/[^/]+\/?$/ }],
  isHandle: (handle) => HANDLE.test(handle),
  actions: ['comment'],
  sweepsReplies: true,
};

/** The platform as a value for `createCredence`. */
export function toy({ baseUrl, pacing = 'safe' }) {
  return { descriptor: toyDescriptor, create: (context) => createToyReader({ ...context, baseUrl, pacing }) };
}

export function createToyReader({ baseUrl, pacing, clock, random, logger }) {
  const client = createScrapingClient({
    platform: toyDescriptor,
    baseUrl,
    pacing,
    rates: RATES,
    clock,
    random,
    logger,
  });

  const ask = (time, url, gone, read) =>
    client.call(time, { endpoint: 'api', as: 'anonymous', request: { url }, read: readAnswer(gone, read) });
  const list = async (time, path, cursor, parentId) => {
    if (cursor !== null && !CURSOR.test(cursor)) throw invalid('The cursor is not one of this list.');
    return ask(time, `${path}?after=${cursor?.slice(1) ?? 0}`, 'POST_NOT_FOUND', (body) => readPage(body, parentId));
  };
  const checked = (post) => {
    if (post.platform !== 'toy' || !ID.test(post.contentId)) throw invalid('This is no post of Toy.');
    return `/posts/${post.contentId}`;
  };

  return {
    name: 'toy',
    supports: { likers: false, replies: true },
    async resolveShortLink(url) {
      const parsed = URL.canParse(url) && toyDescriptor.hosts.includes(new URL(url).hostname) ? new URL(url) : null;
      const post = parsed && toyDescriptor.parseUrl(parsed);
      if (post === null) throw invalid('This is no link of Toy.');
      return post.canonicalUrl;
    },
    getPost: (post, call) =>
      client.within(call, post.contentId, async (time) =>
        ask(time, checked(post), 'POST_NOT_FOUND', (body) => readPost(body, post)),
      ),
    getComments: (post, cursor, call) =>
      client.within(call, post.contentId, async (time) => list(time, `${checked(post)}/comments`, cursor, null)),
    getReplies: (post, commentId, cursor, call) =>
      client.within(call, post.contentId, async (time) => {
        if (!/^[0-9]{1,9}$/.test(commentId)) throw invalid('This is no comment of Toy.');
        return list(time, `${checked(post)}/comments/${commentId}/replies`, cursor, commentId);
      }),
    async getLikers() {
      throw new DomainError('NOT_SUPPORTED', 'Toy shows to nobody who liked a post.');
    },
    getProfile: (handle, call) =>
      client.within(call, `@${handle}`, async (time) => {
        if (!HANDLE.test(handle)) throw invalid('This is no handle of Toy.');
        return ask(time, `/profiles/${handle}`, 'PROFILE_NOT_FOUND', (body) => readProfile(body, handle));
      }),
    close: () => client.close(),
  };
}

const invalid = (message) => new DomainError('INVALID_REQUEST', message);
const permanent = (code, reason) => ({
  kind: 'permanent',
  error: new DomainError(code, `Toy says: ${reason}.`, { details: { reason, platform: 'toy' } }),
});

const readAnswer = (gone, read) => (response) => {
  const { status, text } = response;
  if (status === 429) {
    return { kind: 'throttled', retryAfterSeconds: parseRetryAfter(response.header('retry-after'), new Date()) };
  }
  if (status >= 500) return { kind: 'unreadable', reason: `http-${status}`, retries: 2 };
  if (status === 404) return permanent(gone, 'not-found');
  if (status === 403) return permanent(gone.replace('NOT_FOUND', 'PRIVATE'), 'private');
  if (status === 451) return permanent('POST_AGE_RESTRICTED', 'age-restricted');
  const body = parseJson(text);
  if (status !== 200 || typeof body !== 'object' || body === null)
    return { kind: 'unreadable', reason: `no-json-${status}` };
  return read(body);
};

function readPost(body, post) {
  const { owner, caption, postedAt, cover, media, likes, comments } = body;
  if (typeof owner?.handle !== 'string' || typeof owner.id !== 'string' || !Array.isArray(media)) return DRIFTED;
  return {
    kind: 'ok',
    value: {
      platform: 'toy',
      contentType: 'post',
      contentId: post.contentId,
      postUrl: post.canonicalUrl,
      owner: { handle: owner.handle, accountId: owner.id, secUid: null, displayName: owner.name ?? null },
      post: { caption: caption ?? null, postedAt: new Date(postedAt), thumbnailUrl: cover, mediaUrls: media },
      stats: { views: null, likes, comments, shares: null, saves: null },
      source: 'toy-api',
    },
  };
}

function readPage(body, parentId) {
  if (!Array.isArray(body.comments)) return DRIFTED;
  const read = readEntries(body.comments, (entry) => {
    if (typeof entry?.text !== 'string' || typeof entry.id !== 'string') return 'drifted';
    if (typeof entry.by !== 'string') return 'unreadable';
    const { id, by: username, text, at, likes: likeCount, replies: replyCount } = entry;
    return { read: { id, parentId, username, text, createdAt: new Date(at), likeCount, replyCount } };
  });
  if (read === null) return DRIFTED;
  const { next, total } = body;
  return {
    kind: 'ok',
    value: {
      comments: read.entries,
      skipped: read.skipped,
      nextCursor: next === null ? null : `c${next}`,
      expectedTotal: total,
      source: 'toy-api',
    },
  };
}

function readProfile(body, handle) {
  if (body.handle !== handle || typeof body.id !== 'string') return DRIFTED;
  return {
    kind: 'ok',
    value: {
      platform: 'toy',
      handle,
      accountId: body.id,
      secUid: null,
      displayName: body.name ?? null,
      bio: body.bio ?? null,
      profilePictureUrl: null,
      isVerified: body.verified,
      isPrivate: body.private,
      followerCount: body.followers,
      followingCount: null,
      mediaCount: null,
    },
  };
}
