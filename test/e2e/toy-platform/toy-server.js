/** A fake of Toy, and the stage that the platform contract tries its reader on. */
import { createServer } from 'node:http';
import { createToyReader, toyDescriptor } from './toy.js';

const PAGE = 50;
const EPOCH = Date.UTC(2026, 0, 1);

/** Starts the fake on loopback. */
export async function createToyServer() {
  const posts = new Map();
  const profiles = new Map();
  let failure = null;
  let requests = 0;

  const profileOf = (handle) => {
    const key = handle.toLowerCase();
    if (!profiles.has(key)) profiles.set(key, profile({ handle: key }));
    return profiles.get(key);
  };
  const profile = ({ handle, displayName = null, bio = '', isVerified = false, isPrivate = false, followers = 5 }) => ({
    handle,
    id: String(1_000 + profiles.size),
    name: displayName,
    bio,
    verified: isVerified,
    private: isPrivate,
    followers,
  });

  function answer(pathname, query, trick) {
    const [, place, key, sub, commentId] = pathname.split('/');
    if (place === 'profiles') return profiles.get(key) ?? null;
    const post = posts.get(key);
    if (place !== 'posts' || post === undefined) return null;
    if (sub === undefined) {
      const { replies: _replies, comments, ...shown } = post;
      return { ...shown, owner: profileOf(post.handle), comments: total(post) };
    }
    const all = commentId === undefined ? post.comments : (post.replies.get(commentId) ?? []);
    return page(all, Number(query.get('after')), commentId === undefined ? total(post) : all.length, trick);
  }

  function take() {
    if (failure === null || failure.times === 0) return null;
    if (failure.times !== undefined) failure.times -= 1;
    return failure;
  }

  const server = createServer((request, response) => {
    requests += 1;
    const { pathname, searchParams } = new URL(request.url, 'http://toy.example');
    const failing = take();
    const body = JSON.stringify(answer(pathname, searchParams, failing?.kind));
    if (failing !== null && fail(response, request.socket, failing, body)) return;
    response.writeHead(body === 'null' ? 404 : 200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    baseUrl: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    fail: (kind, options = {}) => {
      failure = { kind, ...options };
    },
    addProfile(given) {
      const added = profile(given);
      profiles.set(given.handle.toLowerCase(), added);
      return added;
    },
    profileOf,
    addPost({ owner = 'maker.one', caption = 'A toy', likes = 3, mediaUrls = [], comments = 0, replies, placed }) {
      const id = `t${posts.size + 1}`;
      const list = Array.from({ length: comments }, (_, index) =>
        comment(`${posts.size + 1}${100_000 + index}`, index),
      );
      if (placed !== undefined) Object.assign(list[placed.index], { by: placed.handle, text: placed.text });
      const threads = new Map();
      for (const [index, parent] of list.entries()) {
        if (replies === undefined || index % replies.every !== 0) continue;
        parent.replies = replies.count;
        threads.set(
          parent.id,
          Array.from({ length: replies.count }, (_, at) => comment(`${parent.id}${100 + at}`, at)),
        );
      }
      const post = {
        id,
        handle: owner,
        caption,
        postedAt: EPOCH,
        cover: 'https://media.example/cover.jpg',
        media: mediaUrls,
        likes,
        comments: list,
        replies: threads,
      };
      profileOf(owner);
      posts.set(id, post);
      return post;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** Opens an empty stage: a fake of its own, and a reader that is pointed at it. */
export async function openToyStage() {
  const server = await createToyServer();
  const reader = createToyReader({ baseUrl: server.baseUrl, pacing: 'off' });
  return {
    reader,
    addPost(given) {
      const post = server.addPost(given);
      const owner = server.profileOf(post.handle);
      return {
        ref: {
          platform: 'toy',
          contentType: 'post',
          contentId: post.id,
          canonicalUrl: toyDescriptor.canonicalUrl(post.id),
        },
        expected: {
          owner: { handle: owner.handle, accountId: owner.id, secUid: null, displayName: owner.name },
          post: {
            caption: post.caption,
            postedAt: new Date(EPOCH),
            thumbnailUrl: post.cover,
            mediaUrls: post.media,
          },
          stats: { views: null, likes: post.likes, comments: total(post), shares: null, saves: null },
        },
        comments: post.comments.map(({ id, by, text, at, likes }) => ({
          id,
          username: by,
          text,
          createdAt: new Date(at),
          likeCount: likes,
        })),
        replies: (id) => post.replies.get(id) ?? [],
        total: total(post),
      };
    },
    addProfile(given) {
      const added = server.addProfile(given);
      return {
        expected: {
          platform: 'toy',
          handle: added.handle,
          accountId: added.id,
          secUid: null,
          displayName: added.name,
          bio: added.bio,
          profilePictureUrl: null,
          isVerified: added.verified,
          isPrivate: added.private,
          followerCount: added.followers,
          followingCount: null,
          mediaCount: null,
        },
        changeBio(bio) {
          added.bio = bio;
        },
      };
    },
    fail: server.fail,
    requests: server.requests,
    async close() {
      await reader.close();
      await server.close();
    },
  };
}

function comment(id, index) {
  return { id, by: `fan_${index}`, text: `Nice #${index}`, at: EPOCH + index * 60_000, likes: index % 7, replies: 0 };
}

function total({ comments, replies }) {
  return comments.length + [...replies.values()].reduce((sum, list) => sum + list.length, 0);
}

function page(all, after, count, trick) {
  const start = trick === 'repeated-page' ? 0 : after;
  const isEmpty = trick === 'empty-list' || trick === 'empty-page-with-more';
  const comments = isEmpty ? [] : all.slice(start, start + PAGE);
  const claimsMore = ['repeated-cursor', 'repeated-page', 'empty-page-with-more'].includes(trick);
  const hasMore = claimsMore || (start + PAGE < all.length && trick !== 'ends-early' && trick !== 'empty-list');
  const next = trick === 'repeated-cursor' ? after : after + PAGE;
  const shown =
    trick === 'nameless-comment' ? comments.map((each, at) => (at === 0 ? { ...each, by: null } : each)) : comments;
  return { comments: shown, next: hasMore ? next : null, total: count };
}

/** Answers as the failure says; false for one that only changes a list. */
function fail(response, socket, { kind, retryAfterSeconds }, body) {
  const end = (status, text = '', headers = {}) => {
    response.writeHead(status, headers).end(text);
    return true;
  };
  switch (kind) {
    case 'not-found':
      return end(404, '{}');
    case 'private':
      return end(403, '{}');
    case 'age-restricted':
      return end(451, '{}');
    case 'reset':
      socket.destroy();
      return true;
    case 'hang':
      return true;
    case 'server-error':
      return end(500);
    case 'unavailable':
      return end(503);
    case 'rate-limited':
      return end(429, '', retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) });
    case 'login-redirect':
      return end(302, '', { location: 'https://toy.example/login' });
    case 'empty-body':
      return end(200);
    case 'html-instead-of-json':
      return end(200, '<!DOCTYPE html>');
    case 'truncated':
      return end(200, body.slice(0, body.length / 2));
    case 'drifted':
      return end(200, '{"data":{"comments":"many"},"user":[]}');
    case 'endless-body':
      response.writeHead(200);
      endless(response);
      return true;
    default:
      return false;
  }
}

function endless(response) {
  const chunk = Buffer.alloc(65_536, ' ');
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => endless(response));
}
