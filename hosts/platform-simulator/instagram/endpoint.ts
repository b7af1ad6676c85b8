/** What the endpoints of the simulated Instagram have in common. */
import { cookieOf, type SiteAnswer, type SiteRequest } from '../messages.ts';
import type { Route } from '../site.ts';
import type { World } from '../world.ts';
import { type EndpointKind, failed, instagramFailures, REFUSALS } from './failures.ts';

/** An endpoint that words failures as its kind does. */
export function endpoint(
  name: string,
  kind: EndpointKind,
  asked: Pick<Route, 'contentId' | 'handle'>,
  answer: Route['answer'],
): Route {
  return { endpoint: name, ...asked, answer, failures: instagramFailures(kind) };
}

/**
 * Answers what the web's own scripts send, with a session that is in order or without one. `isSessionNeeded`: logged-out readers
 * are refused too.
 */
export function guarded(
  world: World,
  request: SiteRequest,
  isSessionNeeded: boolean,
  answer: Route['answer'],
): Route['answer'] {
  return (rule) => scriptRefusal(request) ?? sessionRefusal(world, request, isSessionNeeded) ?? answer(rule);
}

function sessionRefusal(world: World, request: SiteRequest, isNeeded: boolean): SiteAnswer | null {
  const id = cookieOf(request, 'sessionid');
  if (id === undefined) return isNeeded ? REFUSALS['dead-session']() : null;
  const state = world.sessions.get(id) ?? 'dead';
  return state === 'live' ? null : REFUSALS[state === 'checkpoint' ? 'checkpoint' : 'dead-session']();
}

/** The refusal of a request that the web's own scripts would not send, or null. */
export function scriptRefusal(request: SiteRequest): SiteAnswer | null {
  const csrf = request.headers['x-csrftoken'];
  if (request.headers['x-ig-app-id'] === undefined) return failed('useragent mismatch');
  return csrf !== undefined && csrf === cookieOf(request, 'csrftoken') ? null : REFUSALS['csrf-missing']();
}
