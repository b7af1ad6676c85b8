/** What both APIs have: a login that approves, and the posts of an account. */
import type { PlatformName } from 'credence/kit';
import { redirect, type SiteAnswer } from '../messages.ts';
import type { World, WorldPost } from '../world.ts';
import { type Grant, SIMULATED_APP } from './apps.ts';

/** The page that asks the owner of an account, who approves at once. */
export function authorise(world: World, platform: PlatformName, query: URLSearchParams): SiteAnswer {
  const appId = query.get('client_id') ?? query.get('client_key');
  const target = query.get('redirect_uri') ?? '';
  const code = appId === SIMULATED_APP.appId ? world.official.approve(platform) : null;
  if (code === null || !URL.canParse(target)) return { status: 400, body: 'Unknown app, account or redirect.' };
  const landing = new URL(target);
  landing.searchParams.set('code', code);
  landing.searchParams.set('state', query.get('state') ?? '');
  return redirect(landing.href);
}

/** The posts of an account, newest first. */
export function postsOf(world: World, { platform, handle }: Grant): readonly WorldPost[] {
  const posts = world.posts(platform).filter(({ owner }) => owner.handle === handle);
  return posts.toSorted((a, b) => b.createdAt - a.createdAt);
}
