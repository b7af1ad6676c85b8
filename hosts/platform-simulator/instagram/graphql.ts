/** The persisted queries of the simulated Instagram. An id it does not know is answered as a retired one. */
import { json, type SiteRequest } from '../messages.ts';
import type { Route } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { connection } from './comments.ts';
import { endpoint, guarded, notFoundAnswer, pageWithoutData, staleDocId } from './failures.ts';
import { restMediaShape, sessionProfileShape } from './media.ts';
import { pageMedia } from './page-endpoints.ts';
import { findByPk } from './rest.ts';

const DOCUMENTS: Readonly<
  Record<string, 'graphql-post' | 'graphql-shortcode-post' | 'graphql-comments' | 'graphql-profile'>
> = {
  '28309390568695038': 'graphql-post',
  '27130156389949648': 'graphql-post',
  '27128499623469141': 'graphql-shortcode-post',
  '27659279553772821': 'graphql-comments',
  '28036671149327607': 'graphql-profile',
};

const ON_GRAPHQL_QUERY: ReadonlySet<string> = new Set(['graphql-shortcode-post', 'graphql-profile']);
/** The flags that the profile query wants beside the account; without them it fails like a retired one. */
const PROFILE_FLAGS = 7;

export function graphqlEndpoint(world: World, request: SiteRequest, path: string): Route {
  const form = new URLSearchParams(request.body);
  const name = DOCUMENTS[form.get('doc_id') ?? ''];
  const variables = JSON.parse(form.get('variables') ?? '{}') as Readonly<Record<string, unknown>>;
  const text = (key: string): string => (typeof variables[key] === 'string' ? variables[key] : '');
  const isRightPath = name !== undefined && (path === '/graphql/query') === ON_GRAPHQL_QUERY.has(name);
  const flags = Object.keys(variables).filter((key) => key.startsWith('__relay_internal__pv__'));
  const isComplete = name !== 'graphql-profile' || flags.length >= PROFILE_FLAGS;
  if (name === undefined || !isRightPath || !isComplete) {
    return endpoint('graphql-unknown', 'graphql', {}, withToken(world, request, form, false, staleDocId));
  }
  if (name === 'graphql-profile') return profileQuery(world, request, form, text('id'));
  const post =
    name === 'graphql-shortcode-post'
      ? world.findPost('instagram', text('shortcode'))
      : findByPk(world, text('media_id'));
  const answer = withToken(world, request, form, false, (rule) => {
    if (post === undefined || post.owner.isPrivate) return notFoundAnswer('graphql');
    if (rule?.shape === 'drifted' || rule?.shape === 'renamed-data') {
      return json({ data: { media: { comments: 'none' } }, status: 'ok' });
    }
    return json({ data: dataOf(name, post, variables.after, rule), status: 'ok' });
  });
  return endpoint(name, 'graphql', { contentId: post?.contentId }, answer);
}

function dataOf(name: string, post: WorldPost, after: unknown, rule: FailureRule | null): Record<string, unknown> {
  if (name === 'graphql-shortcode-post') {
    const items = [restMediaShape(post, rule?.shape === 'hidden-counts')];
    return { xdt_api__v1__media__shortcode__web_info: { items } };
  }
  if (name === 'graphql-post') return { xig_polaris_media: pageMedia(post, rule) };
  const comments = connection(post, typeof after === 'string' ? after : null, rule);
  return { xig_polaris_media: { comments_connection: comments } };
}

function profileQuery(world: World, request: SiteRequest, form: URLSearchParams, accountId: string): Route {
  const profile = world.findAccount('instagram', accountId);
  const answer = withToken(world, request, form, true, (rule) => {
    if (form.get('fb_dtsg') === null) return pageWithoutData();
    if (rule?.shape === 'drifted') return json({ data: { account: { name: 'gone' } }, status: 'ok' });
    if (profile === undefined) return notFoundAnswer('graphql');
    return json({ data: { user: sessionProfileShape(profile) }, status: 'ok' });
  });
  return endpoint('graphql-profile', 'graphql', { handle: profile?.handle }, answer);
}

/** Header and body have to name the same page token; a request without one gets HTML. */
function withToken(
  world: World,
  request: SiteRequest,
  form: URLSearchParams,
  isSessionNeeded: boolean,
  answer: Route['answer'],
): Route['answer'] {
  const lsd = form.get('lsd');
  if (lsd === null || lsd === '' || request.headers['x-fb-lsd'] !== lsd) return pageWithoutData;
  return guarded(world, request, isSessionNeeded, answer);
}
