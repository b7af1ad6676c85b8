/** What the endpoints of the simulated Instagram have in common. */
import { json, type SiteAnswer, type Endpoint as SiteEndpoint, type SiteRequest } from '../site.ts';
import type { World } from '../world.ts';
import { type EndpointKind, instagramFailure } from './failures.ts';

/** What a path asks for. */
export interface Endpoint extends Omit<SiteEndpoint, 'platform' | 'failure'> {
  readonly kind: EndpointKind;
}

/** The refusal of an API request whose session is not in order, or null. `isNeeded`: logged-out readers are refused too. */
export function sessionRefusal(world: World, request: SiteRequest, isNeeded: boolean): SiteAnswer | null {
  const id = request.cookies.get('sessionid');
  if (id === undefined) return isNeeded ? instagramFailure('post-api', 'dead-session') : null;
  const state = world.sessions.get(id) ?? 'dead';
  return state === 'live' ? null : instagramFailure('post-api', state === 'checkpoint' ? 'checkpoint' : 'dead-session');
}

/** The refusal of a request that the web's own scripts would not send, or null. */
export function scriptRefusal(request: SiteRequest): SiteAnswer | null {
  const csrf = request.headers['x-csrftoken'];
  if (request.headers['x-ig-app-id'] === undefined) return json({ message: 'useragent mismatch', status: 'fail' }, 400);
  if (csrf === undefined || csrf !== request.cookies.get('csrftoken'))
    return instagramFailure('post-api', 'csrf-missing');
  return null;
}
