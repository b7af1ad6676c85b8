/** The control API, for shaping the world from another process while somebody tries Credence. In process, use `World`. */
import { z } from 'zod';
import { json, type SiteAnswer, type SiteRequest } from './messages.ts';
import { isReceiver } from './official/push.ts';
import { SIMULATED_PLATFORMS } from './platforms.ts';
import type { World } from './world.ts';
import { failureRuleSchema } from './world-inputs.ts';

export const CONTROL_PREFIX = '/__simulator/';

const platform = z.enum(SIMULATED_PLATFORMS.names);
const bioSchema = z.strictObject({ platform, handle: z.string(), bio: z.string().max(2000) });
const commentSchema = z.strictObject({
  platform,
  contentId: z.string(),
  handle: z.string().min(1).max(30),
  text: z.string().max(2200),
  replyToIndex: z.number().int().min(0).optional(),
});
const receiverSchema = z.strictObject({ platform, url: z.url({ protocol: /^https?$/ }) });

/** Answers one control request. What does not fit its schema gets 400 with the reasons. */
export async function handleControl(world: World, request: SiteRequest): Promise<SiteAnswer> {
  const resource = request.url.pathname.slice(CONTROL_PREFIX.length);
  const body = (): unknown => JSON.parse(request.body);
  try {
    switch (`${request.method} ${resource}`) {
      case 'POST comments': {
        const given = commentSchema.parse(body());
        const post = world.findPost(given.platform, given.contentId);
        if (post === undefined) return missing('post');
        const { handle, text, replyToIndex } = given;
        const createdAt = Math.floor(Date.now() / 1_000);
        return json({ id: post.thread.add({ handle, text, createdAt, replyToIndex }) }, 201);
      }
      case 'POST bio': {
        const given = bioSchema.parse(body());
        const profile = world.findProfile(given.platform, given.handle);
        if (profile === undefined) return missing('profile');
        profile.bio = given.bio;
        return json(profile);
      }
      case 'POST receivers': {
        const given = receiverSchema.parse(body());
        if (given.platform === 'instagram' && !(await isReceiver(given.url))) {
          return json({ error: 'The receiver did not answer the challenge.' }, 400);
        }
        world.official.receive(given.platform, given.url);
        return json({ ok: true }, 201);
      }
      case 'POST failures':
        return json({ id: world.failures.add(failureRuleSchema.parse(body())) }, 201);
      case 'DELETE failures':
        world.failures.clear();
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

function missing(what: string): SiteAnswer {
  return json({ error: `There is no such ${what}.` }, 404);
}
