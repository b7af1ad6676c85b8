/** How an account is connected: the page of the login, tokens for its code, and what its app is told. */
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import type { Authorisation, OfficialApi, OfficialPush, OfficialTokens } from '../../../core/ports/official-api.ts';
import { codeRefused, done, readExpiry, readToken } from '../../official/index.ts';
import {
  asDigits,
  asText,
  type CallTime,
  clearRefusal,
  DRIFTED,
  field,
  isObject,
  type JsonObject,
  type ScrapingClient,
  type ScrapingRequest,
  type Verdict,
} from '../../scraping/index.ts';
import { instagramDescriptor } from '../descriptor.ts';
import { readAnswer } from './answers.ts';
import type { OfficialInstagramSettings } from './options.ts';

type Login = Pick<OfficialApi, 'authorisationUrl' | 'authorise' | 'renew' | 'revoke' | 'contentIdOf'> &
  Pick<OfficialPush, 'subscribe'>;
type Read<T> = (body: JsonObject) => Verdict<T>;

/** Who has logged in, before the account is known. */
interface Granted {
  readonly tokens: OfficialTokens;
  readonly scopes: readonly string[];
}

const CODE = 'official-code';
const SCOPES = {
  instagram: ['instagram_business_basic', 'instagram_business_manage_comments'],
  facebook: ['instagram_basic', 'instagram_manage_comments', 'pages_read_engagement', 'pages_show_list'],
} as const;
const INSIGHTS = { instagram: 'instagram_business_manage_insights', facebook: 'instagram_manage_insights' } as const;

/** Tokens go in headers. Only the exchange and the renewal of Instagram's login take them in the query and nowhere else. */
export function createLogin(client: ScrapingClient, settings: OfficialInstagramSettings): Login {
  const { appId, appSecret, login, version, baseUrl, clock = systemClock } = settings;
  const app = { client_id: appId, client_secret: appSecret };
  const scopes = [...SCOPES[login], ...(settings.insights ? [INSIGHTS[login]] : [])];
  const ownPage = {
    instagram: 'https://www.instagram.com/oauth/authorize',
    facebook: `https://www.facebook.com/${version}/dialog/oauth`,
  };
  const page = settings.authorizeUrl ?? (baseUrl === undefined ? ownPage[login] : `${baseUrl}/oauth/authorize`);

  /** `gone`: what it means that the object is not there. */
  const ask = <T>(time: CallTime, kind: string, request: ScrapingRequest, read: Read<T>, gone?: Verdict<T>) =>
    client.call<T>(time, {
      endpoint: 'official',
      kind,
      as: 'anonymous',
      request,
      read: (response) => {
        // The words for it differ by the login.
        if (kind === CODE && (response.status === 400 || response.status === 401))
          return codeRefused(instagramDescriptor);
        const answer = readAnswer(response);
        if (answer === 'gone' && gone !== undefined) return gone;
        if (typeof answer === 'string') return { kind: 'unreadable', reason: answer };
        return answer.kind === 'ok' ? read(answer.value) : answer;
      },
    });
  /** A call of one question. */
  const askOnce = <T>(kind: string, request: ScrapingRequest, read: Read<T>): Promise<T> =>
    client.within(undefined, undefined, (time) => ask(time, kind, request, read));
  const withToken = (url: string, token: string): ScrapingRequest => ({
    url,
    headers: { authorization: `Bearer ${token}` },
  });

  function readTokens(body: JsonObject): Verdict<OfficialTokens> {
    const accessToken = readToken(body.access_token);
    if (accessToken === null) return DRIFTED;
    const expiresAt = readExpiry(body.expires_in, clock);
    return { kind: 'ok', value: { accessToken, expiresAt, refreshToken: null, refreshExpiresAt: null } };
  }

  /** A token of hours for the code, and then one of sixty days for that. */
  async function grant(time: CallTime, code: string, redirectUri: string): Promise<Granted> {
    const form = { ...app, grant_type: 'authorization_code', redirect_uri: redirectUri, code };
    if (login === 'facebook') {
      const url = `/${version}/oauth/access_token`;
      const short = await ask(time, CODE, posted(url, form), readTokens);
      const exchange = { ...app, grant_type: 'fb_exchange_token', fb_exchange_token: short.accessToken };
      return { tokens: await ask(time, 'official-token', posted(url, exchange), readTokens), scopes };
    }
    const url = baseUrl === undefined ? 'https://api.instagram.com/oauth/access_token' : '/oauth/access_token';
    const short = await ask(time, CODE, posted(url, form), readGranted);
    const exchange = { grant_type: 'ig_exchange_token', client_secret: appSecret, access_token: short.token };
    const tokens = await ask(time, 'official-token', { url: `/access_token?${query(exchange)}` }, readTokens);
    return { tokens, scopes: short.scopes ?? scopes };
  }

  async function accountOf(time: CallTime, { tokens, scopes }: Granted): Promise<Authorisation> {
    if (login === 'instagram') {
      const request = withToken(`/${version}/me?fields=user_id,username`, tokens.accessToken);
      return { ...(await ask(time, 'official-account', request, readAccount)), scopes, tokens };
    }
    const fields = 'access_token,instagram_business_account{id,username}';
    const request = withToken(`/${version}/me/accounts?${query({ fields, limit: '100' })}`, tokens.accessToken);
    const { pageToken, ...account } = await ask(time, 'official-account', request, readPage);
    // The token of a Page does not expire.
    return { ...account, scopes, tokens: { ...tokens, accessToken: pageToken, expiresAt: null } };
  }

  return {
    authorisationUrl({ redirectUri, state }) {
      const asked = {
        client_id: appId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes.join(','),
        state,
      };
      return `${page}?${query(asked)}`;
    },

    authorise: (code, redirectUri) =>
      client.within(undefined, undefined, async (time) => await accountOf(time, await grant(time, code, redirectUri))),

    async renew(tokens) {
      if (login === 'facebook') return tokens;
      const asked = { grant_type: 'ig_refresh_token', access_token: tokens.accessToken };
      return await askOnce('official-token', { url: `/refresh_access_token?${query(asked)}` }, readTokens);
    },

    // There is no way to give a token back; nothing is pushed any more.
    async revoke({ accessToken }) {
      const request = withToken(`/${version}/me/subscribed_apps`, accessToken);
      await askOnce('official-subscription', { ...request, method: 'DELETE' }, done);
    },

    contentIdOf: ({ accessToken }, postApiId) =>
      client.within(undefined, postApiId, async (time) => {
        if (asDigits(postApiId) === null) return null;
        const request = withToken(`/${version}/${postApiId}?fields=id,shortcode`, accessToken);
        return await ask(time, 'official-post', request, readShortcode, { kind: 'ok', value: null });
      }),

    async subscribe({ accessToken }) {
      // A Page that the app is subscribed to pushes the comments of its account, whatever the field.
      const fields = login === 'facebook' ? 'feed' : 'comments';
      const request = withToken(`/${version}/me/subscribed_apps?subscribed_fields=${fields}`, accessToken);
      await askOnce('official-subscription', { ...request, method: 'POST' }, done);
    },
  };
}

const query = (fields: Readonly<Record<string, string>>) => String(new URLSearchParams(fields));

function posted(url: string, form: Readonly<Record<string, string>>): ScrapingRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', url, headers, body: query(form) };
}

function readGranted(body: JsonObject): Verdict<{ readonly token: string; readonly scopes: readonly string[] | null }> {
  const granted = isObject(field(body, 'data', 0)) ? field(body, 'data', 0) : body;
  const token = readToken(field(granted, 'access_token'));
  const told = field(granted, 'permissions');
  const list = typeof told === 'string' ? told.split(',', 50) : told;
  const scopes = Array.isArray(list) ? list.slice(0, 50).flatMap((scope) => asText(scope, 100) ?? []) : null;
  return token === null ? DRIFTED : { kind: 'ok', value: { token, scopes } };
}

type Account = Pick<Authorisation, 'accountId' | 'handle'>;

function readAccount(body: JsonObject): Verdict<Account> {
  const accountId = asDigits(body.user_id ?? body.id);
  const handle = normaliseHandle(asText(body.username, 100) ?? '');
  return accountId === null || handle === '' ? DRIFTED : { kind: 'ok', value: { accountId, handle } };
}

/** The one Page that has an account. */
function readPage(body: JsonObject): Verdict<Account & { readonly pageToken: string }> {
  if (!Array.isArray(body.data)) return DRIFTED;
  const pages = body.data.filter((page) => isObject(field(page, 'instagram_business_account')));
  const [page] = pages;
  if (pages.length !== 1) {
    const message =
      pages.length === 0
        ? 'None of the Pages that were allowed has a professional account of Instagram.'
        : 'Several Pages were allowed: connect the accounts one by one, and allow one Page each time.';
    return clearRefusal('instagram', 'INVALID_REQUEST', message, 'pages');
  }
  const pageToken = readToken(field(page, 'access_token'));
  const account = field(page, 'instagram_business_account');
  const read = readAccount({ user_id: field(account, 'id'), username: field(account, 'username') });
  if (read.kind !== 'ok') return read;
  return pageToken === null ? DRIFTED : { kind: 'ok', value: { ...read.value, pageToken } };
}

function readShortcode(body: JsonObject): Verdict<string | null> {
  const shortcode = asText(body.shortcode, 64);
  return shortcode === null || shortcode === '' ? DRIFTED : { kind: 'ok', value: shortcode };
}
