/**
 * The control API, so that the demo and tests in other processes can shape the world. JSON in, JSON out:
 *
 * - `GET  /__simulator/state`                        posts, profiles' handles, failures, request counts
 * - `POST /__simulator/posts`                        adds a post (`postInputSchema`)
 * - `POST /__simulator/comments`                     adds a comment `{ platform, contentId, handle, text, replyToIndex? }`
 * - `DELETE /__simulator/comments?platform=&contentId=&id=`  deletes a comment or reply
 * - `POST /__simulator/hidden`                       hides or shows a comment `{ platform, contentId, id, isHidden }`
 * - `POST /__simulator/receivers`                    tells a platform where to push `{ platform, url }`
 * - `POST /__simulator/pushes`                       bends pushes to it `{ platform, lose?, isDoubled? }`
 * - `POST /__simulator/logins`                       who approves access to an app `{ platform, handle }`
 * - `POST /__simulator/tokens`                       ends or restores access `{ platform, handle?, state }`
 * - `POST /__simulator/profiles`                     adds or replaces a profile (`profileInputSchema`)
 * - `POST /__simulator/bio`                          sets a profile's bio `{ platform, handle, bio }`
 * - `POST /__simulator/renames`                      gives an account another handle `{ platform, from, to }`
 * - `POST /__simulator/short-links`                  adds a short link (`shortLinkInputSchema`)
 * - `POST /__simulator/sessions`                     `{ id, state }`, an Instagram session id
 * - `POST /__simulator/failures`                     switches a failure on (`failureRuleSchema`), answers `{ id }`
 * - `DELETE /__simulator/failures[?id=]`             switches one off, or all
 * - `GET | DELETE /__simulator/requests`             the request counts; DELETE clears them
 */
import { z } from 'zod';
import { isReceiver } from './official/push.ts';
import { SIMULATED_PLATFORMS } from './platforms.ts';
import { json, type SiteAnswer, type SiteRequest } from './site.ts';
import type { World, WorldPost } from './world.ts';
import { failureRuleSchema, postInputSchema, profileInputSchema, shortLinkInputSchema } from './world-inputs.ts';

export const CONTROL_PREFIX = '/__simulator/';

const platform = z.enum(SIMULATED_PLATFORMS.names);
const bioSchema = z.strictObject({ platform, handle: z.string(), bio: z.string().max(2000) });
const handle = z.string().regex(/^[A-Za-z0-9._]{1,30}$/);
const renameSchema = z.strictObject({ platform, from: handle, to: handle });
const sessionSchema = z.strictObject({ id: z.string().min(1).max(200), state: z.enum(['live', 'dead', 'checkpoint']) });
const commentSchema = z.strictObject({
  platform,
  contentId: z.string(),
  handle: z.string().min(1).max(30),
  text: z.string().max(2200),
  replyToIndex: z.number().int().min(0).optional(),
});

const hiddenSchema = z.strictObject({ platform, contentId: z.string(), id: z.string(), isHidden: z.boolean() });
const receiverSchema = z.strictObject({ platform, url: z.url({ protocol: /^https?$/ }) });
const pushesSchema = z.strictObject({
  platform,
  lose: z.int().min(0).max(1_000_000).default(0),
  isDoubled: z.boolean().default(false),
});
const loginSchema = z.strictObject({ platform, handle });
const tokensSchema = z.strictObject({
  platform,
  handle: handle.optional(),
  state: z.enum(['live', 'expired', 'revoked', 'no-scope']),
});

/** Answers one control request. What does not fit its schema gets 400 with the reasons. */
export async function handleControl(world: World, request: SiteRequest): Promise<SiteAnswer> {
  const resource = request.url.pathname.slice(CONTROL_PREFIX.length);
  const action = `${request.method} ${resource}`;
  try {
    const official = await handleOfficial(world, request, action);
    if (official !== null) return official;
    switch (action) {
      case 'GET state':
        return json({
          seed: world.seed,
          posts: [...world.posts()].map(describePost),
          failures: world.failures.list(),
          requests: world.requestCounts(),
        });
      case 'POST posts':
        return json(describePost(world.addPost(postInputSchema.parse(bodyOf(request)))), 201);
      case 'POST comments': {
        const given = commentSchema.parse(bodyOf(request));
        const post = world.findPost(given.platform, given.contentId);
        if (post === undefined) return missing('post');
        const place = given.replyToIndex === undefined ? {} : { replyToIndex: given.replyToIndex };
        return json({ id: post.thread.add({ handle: given.handle, text: given.text, ...place }) }, 201);
      }
      case 'POST profiles':
        return json(world.addProfile(profileInputSchema.parse(bodyOf(request))), 201);
      case 'POST bio': {
        const given = bioSchema.parse(bodyOf(request));
        const profile = world.findProfile(given.platform, given.handle);
        if (profile === undefined) return missing('profile');
        profile.bio = given.bio;
        return json(profile);
      }
      case 'POST renames': {
        const { platform: of, from, to } = renameSchema.parse(bodyOf(request));
        world.renameAccount(of, from, to);
        return json({ ok: true });
      }
      case 'POST short-links':
        world.addShortLink(shortLinkInputSchema.parse(bodyOf(request)));
        return json({ ok: true }, 201);
      case 'POST sessions': {
        const given = sessionSchema.parse(bodyOf(request));
        world.sessions.set(given.id, given.state);
        return json({ ok: true }, 201);
      }
      case 'POST failures':
        return json({ id: world.failures.add(failureRuleSchema.parse(bodyOf(request))) }, 201);
      case 'DELETE failures': {
        const id = request.url.searchParams.get('id');
        if (id === null) {
          world.failures.clear();
          return json({ ok: true });
        }
        return world.failures.remove(Number(id)) ? json({ ok: true }) : missing('failure');
      }
      case 'GET requests':
        return json(world.requestCounts());
      case 'DELETE requests':
        world.clearRequestCounts();
        return json({ ok: true });
      default:
        return missing('control route');
    }
  } catch (error) {
    if (error instanceof z.ZodError) return json({ error: z.prettifyError(error) }, 400);
    if (error instanceof SyntaxError || error instanceof RangeError) return json({ error: error.message }, 400);
    throw error;
  }
}

/** What is about the official APIs and their pushes; null for anything else. */
async function handleOfficial(world: World, request: SiteRequest, action: string): Promise<SiteAnswer | null> {
  switch (action) {
    case 'DELETE comments': {
      const query = Object.fromEntries(request.url.searchParams);
      const post = world.findPost(query.platform ?? '', query.contentId ?? '');
      if (post === undefined) return missing('post');
      post.thread.remove(query.id ?? '');
      return json({ ok: true });
    }
    case 'POST hidden': {
      const given = hiddenSchema.parse(bodyOf(request));
      const post = world.findPost(given.platform, given.contentId);
      if (post === undefined) return missing('post');
      post.thread.hide(given.id, given.isHidden);
      return json({ ok: true });
    }
    case 'POST receivers': {
      const given = receiverSchema.parse(bodyOf(request));
      if (given.platform === 'instagram' && !(await isReceiver(given.url))) {
        return json({ error: 'The receiver did not answer the challenge.' }, 400);
      }
      world.official.receive(given.platform, given.url);
      return json({ ok: true }, 201);
    }
    case 'POST pushes': {
      const { platform: of, ...bent } = pushesSchema.parse(bodyOf(request));
      const receiver = world.official.receivers.get(of);
      return receiver === undefined ? missing('receiver') : json(Object.assign(receiver, bent));
    }
    case 'POST logins': {
      const given = loginSchema.parse(bodyOf(request));
      world.official.setApproving(given.platform, given.handle);
      return json({ ok: true });
    }
    case 'POST tokens': {
      const given = tokensSchema.parse(bodyOf(request));
      world.official.setTokens(given.platform, given.handle, given.state);
      return json({ ok: true });
    }
    default:
      return null;
  }
}

function bodyOf(request: SiteRequest): unknown {
  return JSON.parse(request.body);
}

function missing(what: string): SiteAnswer {
  return json({ error: `There is no such ${what}.` }, 404);
}

function describePost(post: WorldPost): object {
  return {
    platform: post.platform,
    contentId: post.contentId,
    kind: post.kind,
    owner: post.owner.handle,
    comments: post.thread.size,
    commentsAndReplies: post.thread.total,
    likers: post.likerCount,
  };
}
