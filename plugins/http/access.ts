/** Who is calling, and whether they may. */
import { type Caller, isCaller } from '../../core/access/token.ts';
import { DomainError } from '../../core/errors.ts';
import { brandOf, checkBrandRule } from './brand-access.ts';
import type { HttpRequest } from './message.ts';
import { headerOf, isOfOtherOrigin } from './request-headers.ts';
import type { Access, Dialect, Route } from './route.ts';

/** Looks a bearer token up; null when it is unknown or revoked. */
export type Authenticate = (bearerToken: string) => Promise<Caller | null>;

/**
 * A host's own authentication in front: maps the framework's request to a caller. `undefined` means "not mine": the
 * bearer token decides; `null` refuses with 401.
 */
export type Identify = (nativeRequest: unknown) => Promise<Caller | null | undefined> | Caller | null | undefined;

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/**
 * The caller of a request, or null on routes that need none, and for strangers on routes for anyone.
 * @throws DomainError `UNAUTHORIZED` without a valid token, `FORBIDDEN` for a change that a page of another origin sent with a cookie
 */
export async function callerOf(
  request: HttpRequest,
  { access, apiKey = false }: Pick<Route, 'access' | 'apiKey'>,
  authenticate: Authenticate,
  identify: Identify | undefined,
): Promise<Caller | null> {
  if (access === 'public' || access === 'callback') return null;
  const identified = await identifiedBy(identify, request.native);
  if (identified) checkOrigin(request);
  const token = apiKey ? headerOf(request.headers, 'x-api-key') || bearerOf(request) : bearerOf(request);
  if (access === 'anyone' && identified === undefined && isStranger(request, token)) return null;
  const fromToken = () => (token === undefined ? null : authenticate(token));
  const caller = identified === undefined ? await fromToken() : identified;
  if (caller !== null) return caller;
  throw new DomainError('UNAUTHORIZED', whyUnknown(request, identified === null));
}

/** A browser adds the cookie of the host's user to what any page sends. */
function checkOrigin({ method, headers }: HttpRequest): void {
  const isByCookie = headers.cookie !== undefined && headers.authorization === undefined;
  if (method === 'GET' || method === 'HEAD' || !isByCookie || !isOfOtherOrigin(headers)) return;
  throw new DomainError(
    'FORBIDDEN',
    'A page of another origin sent this with a cookie: send it from the origin of the API, or with a bearer token.',
  );
}

function isStranger({ headers: { authorization = '' } }: HttpRequest, token: string | undefined): boolean {
  return token === undefined && authorization === '';
}

/**
 * The answer of the host's own authentication.
 * @throws Error for an answer that `Identify` does not know: who is let in by mistake would be let in everywhere
 */
export async function identifiedBy(
  identify: Identify | undefined,
  nativeRequest: unknown,
): Promise<Caller | null | undefined> {
  const answer: unknown = await identify?.(nativeRequest);
  if (answer === undefined || answer === null || isCaller(answer)) return answer;
  throw new Error(
    "identify answered something that is no caller. It must return { role, key, … }, a creator's with its externalId, null to refuse, or undefined to let the token decide.",
  );
}

function whyUnknown(request: HttpRequest, isRefusedByHost: boolean): string {
  if (isRefusedByHost) return 'The host does not know who is calling: sign in first.';
  const { authorization } = request.headers;
  if (authorization === undefined || authorization === '') {
    return 'The Authorization header is missing: send `Authorization: Bearer <token>`.';
  }
  return bearerOf(request) === undefined
    ? 'The Authorization header holds no bearer token: send `Authorization: Bearer <token>`.'
    : 'The token is unknown or was revoked: check it, or make a new one.';
}

/** @throws DomainError `FORBIDDEN` when the caller may not call this row */
export function checkAccess(caller: Caller | null, route: Pick<Route, 'access' | 'brand' | 'dialect'>): void {
  if (caller !== null && brandOf(caller) !== null) checkBrandRule(route);
  else checkRole(caller, route.access, route.dialect ?? 'engagement');
}

/** @throws DomainError `FORBIDDEN` when the caller's role is not enough */
export function checkRole(caller: Caller | null, access: Access, dialect: Dialect): void {
  // Roles do not matter on the web-proof routes: any token is good there.
  if (caller === null || dialect !== 'engagement' || access === 'token' || access === 'anyone') return;
  if (caller.role === 'admin' || (access === 'client' && caller.role === 'client')) return;
  throw new DomainError(
    'FORBIDDEN',
    access === 'admin' ? 'This route needs an admin token.' : 'This route needs a client or an admin token.',
  );
}

function bearerOf({ headers: { authorization } }: HttpRequest): string | undefined {
  return typeof authorization === 'string' ? bearerIn(authorization) : undefined;
}

/** The token in an `Authorization` header. */
export function bearerIn(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** The caller of a route that needs one. @throws DomainError `UNAUTHORIZED` */
export function knownCaller(caller: Caller | null): Caller {
  if (caller === null) throw new DomainError('UNAUTHORIZED', 'Send `Authorization: Bearer <token>`.');
  return caller;
}

/** The key that limits and usage are counted under. */
export function callerKey(caller: Caller | null): string {
  return caller?.key ?? 'anonymous';
}
