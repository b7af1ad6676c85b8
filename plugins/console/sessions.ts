/**
 * Sessions of the console. The token is in a cookie, sealed, which no script can read. The cookie counts only for requests that
 * the console's own pages send, so no other site can act with it. A token that is revoked ends its sessions at once.
 */
import {
  bearerIn,
  type Clock,
  type Dispatcher,
  DomainError,
  type HttpRequest,
  headerOf,
  isOfOtherOrigin,
  type SecretBox,
} from 'credence/kit';

const SESSION_SECONDS = 12 * 3_600;
const COOKIE = 'credence-session';
/** What the cookie is sealed for. */
const CONTEXT = 'console-session';
/** Another site cannot send it, unless the host's own CORS rules let it. */
const OF_CONSOLE = 'x-credence-console';
/** The row that begins a session: a session itself begins none, or it would never end. */
export const BEGIN_SESSION = 'beginConsoleSession';

export interface SessionDeps {
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

type Headers = HttpRequest['headers'];

/** Begins, ends and recognises sessions. */
export interface Sessions {
  /** The `Set-Cookie` of a session for this token. */
  begin(token: string, isSecure: boolean): string;
  /** The `Set-Cookie` that ends it. */
  end(isSecure: boolean): string;
  /** The token of the session that a request of the console belongs to; null if it has none. @throws DomainError for two sessions */
  tokenOf(headers: Headers): string | null;
}

export function createSessions({ secretBox, clock }: SessionDeps): Sessions {
  // Without a path, a browser keeps it for the path of the mount, wherever a proxy has put that.
  const cookie = (value: string, seconds: number, isSecure: boolean) =>
    `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`;
  const tokensIn = (sealed: string): readonly string[] => {
    try {
      const [until = '', token = ''] = secretBox.open(sealed, CONTEXT).split(' ');
      return Number(until) > clock.now().getTime() ? [token] : [];
    } catch {
      // Of another host under the same name, or made up.
      return [];
    }
  };
  return {
    begin(token, isSecure) {
      const until = clock.now().getTime() + SESSION_SECONDS * 1_000;
      return cookie(secretBox.seal(`${until} ${token}`, CONTEXT), SESSION_SECONDS, isSecure);
    },
    end: (isSecure) => cookie('', 0, isSecure),
    tokenOf(headers) {
      if (headers[OF_CONSOLE] === undefined || isOfOtherOrigin(headers)) return null;
      const [token = null, ...others] = new Set(cookiesIn(headers).flatMap(tokensIn));
      if (others.length === 0) return token;
      // A subdomain, or another path, can put a session of its own in front.
      const advice = 'delete them for this site and for the domains above it, then sign in again';
      throw new DomainError('UNAUTHORIZED', `The browser sent two different cookies \`${COOKIE}\`: ${advice}.`);
    },
  };
}

function cookiesIn(headers: Headers): readonly string[] {
  const pairs = headerOf(headers, 'cookie')?.split(/; */) ?? [];
  return pairs.filter((pair) => pair.startsWith(`${COOKIE}=`)).map((pair) => pair.slice(COOKIE.length + 1));
}

/** Gives requests of a session its bearer token. All else, what it may do and its limits, is as with the token itself. */
export function withSessions(dispatcher: Dispatcher, sessions: Sessions): Dispatcher {
  return {
    ...dispatcher,
    async dispatch(route, request) {
      const { authorization } = request.headers;
      const hasToken = typeof authorization === 'string' && bearerIn(authorization) !== undefined;
      const isFree = hasToken || route.access === 'public' || route.id === BEGIN_SESSION;
      try {
        const token = isFree ? null : sessions.tokenOf(request.headers);
        return await dispatcher.dispatch(route, token === null ? request : withBearer(request, token));
      } catch (error) {
        return dispatcher.refuse(error, request, route.dialect);
      }
    },
  };
}

/** The headers of the framework's own request stay as they are: a host may log them. */
function withBearer(request: HttpRequest, token: string): HttpRequest {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  return { ...request, headers };
}
