/** What every reader of this adapter is handed: the client, the settings, and the ways to ask Instagram. */
import { isDomainError } from '../../core/errors.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import {
  AttemptEnded,
  type CallTime,
  type Identity,
  type JsonObject,
  NAVIGATION_HEADERS,
  SCRIPT_HEADERS,
  type ScrapingClient,
  type ScrapingRequest,
  type ScrapingResponse,
  type SendAs,
  type Verdict,
} from '../scraping/index.ts';
import { readApiBody } from './api-verdict.ts';
import type { InstagramSettings } from './options.ts';
import { type InstagramPage, readPage } from './page.ts';
import { type Endpoint, type EndpointClass, QUERIES } from './rates.ts';
import { loginOrChallenge, loginOrChallengePage, type Subject } from './refusals.ts';
import { CLAIM_KEY, DTSG_KEY, learnClaim, learnTokens, STALE_KEY, TOKEN_KEY } from './tokens.ts';

/**
 * Makes of a body what a caller wants. It runs while the answer is judged, so that what it throws counts: `drifted` as an
 * unreadable answer, every other `DomainError` as a clear one.
 */
type Parse<In, Out> = (body: In) => Out;

export interface InstagramContext {
  readonly client: ScrapingClient;
  readonly settings: InstagramSettings;
  /** Loads a logged-out page. */
  page<T>(time: CallTime, request: PageRequest, parse: Parse<InstagramPage, T>): Promise<T>;
  /** GETs JSON from the web's REST API. */
  api<T>(time: CallTime, path: string, options: ApiOptions, parse: Parse<JsonObject, T>): Promise<T>;
  /** POSTs a persisted GraphQL query. Refreshes the page tokens once. */
  graphql<T>(time: CallTime, query: GraphqlQuery, parse: Parse<JsonObject, T>): Promise<T>;
}

export interface PageRequest {
  readonly path: string;
  readonly subject: Subject;
  /** False gives up on the first throttled answer, where there is another way. */
  readonly patient: boolean;
  /** The longest wait for the pace; by default as long as the call has time. */
  readonly pacePatienceMs?: number | undefined;
}

interface AskOptions {
  readonly as: Identity['kind'];
  readonly subject: Subject;
  readonly referer: string;
  readonly patient?: boolean;
}

export interface ApiOptions extends AskOptions {
  readonly endpoint: Endpoint;
}

export interface GraphqlQuery extends AskOptions {
  readonly endpoint: keyof typeof QUERIES;
  readonly docId: string;
  readonly variables: JsonObject;
}

export function createContext(
  client: ScrapingClient,
  settings: InstagramSettings,
  random: RandomSource,
): InstagramContext {
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');

  async function scriptHeaders(identity: Identity, referer: string): Promise<Record<string, string>> {
    let csrf = await identity.cookie('csrftoken');
    // The API takes any value, as long as cookie and header agree.
    if (csrf === undefined || identity.memory.has(STALE_KEY)) {
      csrf = hex(16);
      await identity.setCookie('csrftoken', csrf);
    }
    return {
      ...SCRIPT_HEADERS,
      'x-ig-app-id': settings.appId,
      'x-asbd-id': settings.asbdId,
      'x-csrftoken': csrf,
      'x-ig-www-claim': identity.memory.get(CLAIM_KEY) ?? '0',
      'x-requested-with': 'XMLHttpRequest',
      referer: new URL(referer, settings.baseUrl).href,
    };
  }

  async function graphqlRequest(identity: Identity, query: GraphqlQuery, send: SendAs): Promise<ScrapingRequest> {
    const { path, name } = QUERIES[query.endpoint];
    const needsPage = identity.kind === 'session' ? !identity.memory.has(DTSG_KEY) : identity.memory.has(STALE_KEY);
    // A session's come from its front page: what one profile's page answers says nothing of the session.
    if (needsPage) await loadTokens(identity, identity.kind === 'session' ? '/' : query.referer, send);
    // Before any page was seen, a token of one's own making is mostly taken, as long as header and body agree.
    const lsd = identity.memory.get(TOKEN_KEY) ?? hex(6);
    identity.memory.set(TOKEN_KEY, lsd);
    const dtsg = identity.memory.get(DTSG_KEY);
    const headers = await scriptHeaders(identity, query.referer);
    return {
      method: 'POST',
      url: path,
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(settings.baseUrl).origin,
        'x-fb-lsd': lsd,
        'x-fb-friendly-name': name,
      },
      body: new URLSearchParams({
        lsd,
        ...(identity.kind === 'session' && dtsg !== undefined ? { fb_dtsg: dtsg, jazoest: checksumOf(dtsg) } : {}),
        __comet_req: '7',
        fb_api_caller_class: 'RelayModern',
        fb_api_req_friendly_name: name,
        server_timestamps: 'true',
        variables: JSON.stringify(query.variables),
        doc_id: query.docId,
      }).toString(),
    };
  }

  const attempts = (patient: boolean | undefined) => (patient === false ? { throttledAttempts: 1 } : {});
  const classOf = (as: Identity['kind'], loggedOut: EndpointClass): EndpointClass =>
    as === 'session' ? 'session-api' : loggedOut;

  return {
    client,
    settings,
    page: (time, { path, subject, patient, pacePatienceMs }, parse) =>
      client.call(time, {
        endpoint: 'page' satisfies EndpointClass,
        kind: `${subject}-page` satisfies Endpoint,
        as: 'anonymous',
        request: { url: path, headers: NAVIGATION_HEADERS },
        read: (response, identity) => {
          learnClaim(response, identity);
          return parsed(readPage(response, identity, subject), parse);
        },
        ...attempts(patient),
        ...(pacePatienceMs === undefined ? {} : { pacePatienceMs }),
      }),
    api: (time, path, options, parse) =>
      client.call(time, {
        endpoint: classOf(options.as, 'web-api'),
        kind: options.endpoint,
        as: options.as,
        request: async (identity) => ({ url: path, headers: await scriptHeaders(identity, options.referer) }),
        read: (response, identity) => parsed(readApi(response, identity, options.subject), parse),
        ...attempts(options.patient),
      }),
    graphql: (time, query, parse) =>
      client.call(time, {
        endpoint: classOf(query.as, 'graphql'),
        kind: `${query.endpoint}:${query.docId}`,
        as: query.as,
        request: (identity, send) => graphqlRequest(identity, query, send),
        read: (response, identity) => parsed(readApi(response, identity, query.subject), parse),
        ...attempts(query.patient),
      }),
  };
}

function readApi(response: ScrapingResponse, identity: Identity, subject: Subject): Verdict<JsonObject> {
  learnClaim(response, identity);
  return readApiBody(response, identity, subject);
}

/**
 * Loads a page for the tokens in it. A session that is answered with a login or challenge page instead is over: the query
 * would only be refused for its missing token.
 */
async function loadTokens(identity: Identity, path: string, send: SendAs): Promise<void> {
  const response = await send({ url: path, headers: NAVIGATION_HEADERS });
  learnClaim(response, identity);
  const isRedirect = response.status >= 300 && response.status < 400;
  const location = response.header('location');
  const refusal = isRedirect ? loginOrChallenge(location ?? '', response.url) : loginOrChallengePage(response.text);
  if (identity.kind === 'session' && refusal !== null) throw new AttemptEnded(refusal);
  learnTokens(response.text, identity);
}

/** `jazoest`: the digit 2 and the sum of the token's characters. */
function checksumOf(token: string): string {
  return `2${[...token].reduce((sum, character) => sum + character.charCodeAt(0), 0)}`;
}

function parsed<In, Out>(verdict: Verdict<In>, parse: Parse<In, Out>): Verdict<Out> {
  if (verdict.kind !== 'ok') return verdict;
  try {
    return { kind: 'ok', value: parse(verdict.value) };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const reason = error.code === 'PLATFORM_UNAVAILABLE' ? error.details?.reason : undefined;
    return typeof reason === 'string' ? { kind: 'unreadable', reason } : { kind: 'permanent', error };
  }
}
