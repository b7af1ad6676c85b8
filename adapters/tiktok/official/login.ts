/** How an account is connected: the page of the login, tokens for its code, and what TikTok is told about its pushes. */
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import type { OfficialApi, OfficialPush, OfficialTokens } from '../../../core/ports/official-api.ts';
import { codeRefused, done, readExpiry, readToken } from '../../official/index.ts';
import {
  asCount,
  asText,
  type CallTime,
  DRIFTED,
  field,
  type JsonObject,
  parseJson,
  type ScrapingClient,
  type ScrapingRequest,
  type ScrapingResponse,
  type Verdict,
} from '../../scraping/index.ts';
import { tiktokDescriptor } from '../descriptor.ts';
import { readAnswer } from './answers.ts';
import { API } from './dialect.ts';
import type { OfficialTikTokSettings } from './options.ts';

type Login = Pick<OfficialApi, 'authorisationUrl' | 'authorise' | 'renew' | 'revoke'> & Pick<OfficialPush, 'subscribe'>;
type Read<T> = (data: JsonObject, response: ScrapingResponse) => Verdict<T>;

interface Granted {
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly tokens: OfficialTokens;
}

const CODE = 'official-code';
const SCOPES = ['user.info.basic', 'user.info.username', 'video.list', 'comment.list'];

export function createLogin(client: ScrapingClient, settings: OfficialTikTokSettings): Login {
  const { appId, appSecret, baseUrl, clock = systemClock } = settings;
  const app = { client_id: appId, client_secret: appSecret };
  const ownPage = baseUrl === undefined ? 'https://www.tiktok.com/v2/auth/authorize' : `${baseUrl}/oauth/authorize`;

  const ask = <T>(time: CallTime, kind: string, request: ScrapingRequest, read: Read<T>): Promise<T> =>
    client.call(time, {
      endpoint: 'official-login',
      kind,
      as: 'anonymous',
      request,
      read: (response) => readWith(response, kind, read),
    });

  /** A call of one question. */
  const post = <T>(kind: string, path: string, body: Readonly<Record<string, string>>, read: Read<T>): Promise<T> =>
    client.within(undefined, undefined, (time) => ask(time, kind, posted(path, body), read));

  function readGranted(data: JsonObject): Verdict<Granted> {
    const accountId = asText(data.open_id, 200);
    const accessToken = readToken(data.access_token);
    const refreshToken = readToken(data.refresh_token);
    if (!accountId || accessToken === null || refreshToken === null) return DRIFTED;
    const scopes = (asText(data.scope) ?? '').split(',', 50).filter((scope) => scope !== '');
    const expiresAt = readExpiry(data.expires_in, clock);
    const refreshExpiresAt = readExpiry(data.refresh_token_expires_in, clock);
    return {
      kind: 'ok',
      value: { accountId, scopes, tokens: { accessToken, expiresAt, refreshToken, refreshExpiresAt } },
    };
  }

  return {
    authorisationUrl({ redirectUri, state }) {
      const asked = {
        client_key: appId,
        scope: SCOPES.join(','),
        response_type: 'code',
        redirect_uri: redirectUri,
        state,
      };
      return `${settings.authorizeUrl ?? ownPage}?${new URLSearchParams(asked)}`;
    },

    authorise: (code, redirectUri) =>
      client.within(undefined, undefined, async (time) => {
        const asked = { ...app, grant_type: 'authorization_code', auth_code: code, redirect_uri: redirectUri };
        const granted = await ask(time, CODE, posted('/tt_user/oauth2/token/', asked), readGranted);
        const query = new URLSearchParams({ business_id: granted.accountId, fields: '["username"]' });
        const headers = { 'access-token': granted.tokens.accessToken };
        const request = { url: `${API}/business/get/?${query}`, headers };
        return { ...granted, handle: await ask(time, 'official-account', request, readHandle) };
      }),

    async renew({ refreshToken }) {
      const asked = { ...app, grant_type: 'refresh_token', refresh_token: refreshToken ?? '' };
      return (await post('official-token', '/tt_user/oauth2/refresh_token/', asked, readGranted)).tokens;
    },

    async revoke({ accessToken }) {
      await post('official-token', '/tt_user/oauth2/revoke/', { ...app, access_token: accessToken }, done);
    },

    // For all accounts of the app at once.
    async subscribe(_account, receiverUrl) {
      const asked = { app_id: appId, secret: appSecret, event_type: 'COMMENT', callback_url: receiverUrl };
      await post('official-subscription', '/business/webhook/update/', asked, done);
    },
  };
}

function posted(path: string, body: Readonly<Record<string, string>>): ScrapingRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', url: `${API}${path}`, headers, body: JSON.stringify(body) };
}

function readWith<T>(response: ScrapingResponse, kind: string, read: Read<T>): Verdict<T> {
  const answer = readAnswer(response);
  if (answer !== 'bad-parameter' && answer.kind === 'ok') return read(answer.value, response);
  // Every word of the API against a code; the code is good for once and for minutes only.
  const code = asCount(field(parseJson(response.text), 'code'));
  if (kind === CODE && code !== null && code >= 40_000 && code < 50_000 && code !== 40_100)
    return codeRefused(tiktokDescriptor);
  return answer === 'bad-parameter' ? { kind: 'unreadable', reason: answer } : answer;
}

function readHandle(data: JsonObject): Verdict<string> {
  const handle = normaliseHandle(asText(data.username, 100) ?? '');
  return handle === '' ? DRIFTED : { kind: 'ok', value: handle };
}
