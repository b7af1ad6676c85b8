/** One request for every route, each of which does its full work on the seeded rows. */
import { NOTARY_PATH } from '../../../core/web-proof/notary-label.ts';
import type { ApiClient, JsonValue } from '../../support/client.ts';
import { requireListed } from '../rows.ts';
import type { Rows } from './protocol.ts';
import {
  BRAND,
  COMMENT_CHALLENGE,
  commentsStored,
  creatorsMatching,
  DOOMED_CAMPAIGN,
  DOOMED_WEBHOOK,
  LIKE_CHALLENGE,
  LOGGED_SUBSCRIBER,
  LOGGED_WEBHOOK,
  PAUSED_WEBHOOK,
} from './seed.ts';

export interface Operation {
  /** Id of the route. */
  readonly route: string;
  /** Which of several requests for the route. */
  readonly what?: string;
  /** The first call loads code, and is a row by itself. `from sources`: it has no aim, since a build has the work done. */
  readonly loadsCode?: true | 'from sources';
  run(): Promise<unknown>;
}

export interface World {
  readonly api: ApiClient;
  readonly rows: Rows;
  readonly posts: { readonly comments: string; readonly likers: string };
  readonly receiverUrl: string;
  /** What is to be proven. */
  readonly proveUrl: string;
  /** The same, with 16 KB and as many values as can be signed. */
  readonly largeUrl: string;
}

/** In the order in which they run: later ones use what earlier ones made. */
export function operationsOf({ api, rows, posts, receiverUrl, proveUrl, largeUrl }: World): readonly Operation[] {
  const call = async (method: string, path: string, body?: unknown, token?: null): Promise<JsonValue> => {
    const answer = await api.call(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.json;
  };
  const get = (path: string) => call('GET', path);
  const post = (path: string, body?: unknown) => call('POST', path, body);
  /** Fails for a list that holds less than was stored: the time of an empty page says nothing. */
  const list = async (path: string, atLeast = 1) => {
    requireListed(`GET ${path}`, await get(path), atLeast);
  };
  const page = (path: string, total: number) => {
    const [limit, last] = [100, Math.max(1, Math.floor(total / 100))];
    const at = (number: number) => `${path}${path.includes('?') ? '&' : '?'}page=${number}&limit=${limit}`;
    return { first: at(1), middle: at(Math.ceil(last / 2)), last: at(last) };
  };
  const attempts = `/admin/challenges/${COMMENT_CHALLENGE}/attempts`;
  const webhooks = `/admin/brands/${BRAND}/webhooks`;
  const comments = `/admin/challenges/${COMMENT_CHALLENGE}/comments`;
  const deep = (route: string, path: string, total: number, of = ''): Operation[] =>
    Object.entries(page(path, total)).map(([what, at]) => ({
      route,
      what: `${what} page${of}`,
      run: () => list(at, Math.floor(total)),
    }));
  const verifyAndReward = async (atLeast: number) => {
    const { data } = await post(`/admin/campaigns/${COMMENT_CHALLENGE}/verify-and-reward`);
    const rewarded = Number(data?.rewarded);
    if (!(rewarded >= atLeast)) throw new Error(`${rewarded} creators were rewarded instead of ${atLeast} at least.`);
  };
  let proof: JsonValue = {};
  let large: JsonValue = {};
  let flow = '';
  let tokenId = 0;
  let made = 0;
  const creator = { externalId: 'newcomer', platform: 'tiktok', handle: 'newcomer' };
  return [
    { route: 'liveness', loadsCode: true, run: () => get('/healthz') },
    { route: 'readiness', run: () => get('/readyz') },
    {
      route: 'metrics',
      run: async () => {
        const { text } = await api.call('GET', '/metrics');
        if (!/^credence_jobs\{.*\} [1-9]/m.test(text)) throw new Error('GET /metrics: no jobs were counted.');
      },
    },
    { route: 'openapi', loadsCode: true, run: () => get('/openapi.json') },
    { route: 'docs', loadsCode: 'from sources', run: () => get('/docs') },
    { route: 'docs', what: 'the plain page', run: () => get('/docs?plain') },
    {
      route: 'docsScript',
      run: async () => get(`/${/docs\/scripts\/[^"]+/.exec((await api.call('GET', '/docs')).text)?.[0]}`),
    },
    { route: 'console', loadsCode: true, run: () => get('/console') },
    {
      route: 'consoleFile',
      run: async () => {
        const script = /console\/files\/main-[^"]+\.js/.exec((await api.call('GET', '/console')).text)?.[0];
        if (script === undefined) throw new Error('The console is not built. Run `npm run build:console` first.');
        return get(`/${script}`);
      },
    },
    { route: 'readCaller', run: () => get('/auth/caller') },
    { route: 'listBrands', run: () => list('/admin/brands') },
    { route: 'createBrand', run: () => post('/admin/brands', { name: 'Another', slug: 'another' }) },
    ...deep('listCampaigns', '/campaigns', rows.campaigns),
    { route: 'getCampaign', run: () => get(`/campaigns/${COMMENT_CHALLENGE}`) },
    {
      route: 'createCampaign',
      run: () =>
        post('/admin/campaigns', {
          brandId: BRAND,
          title: 'New',
          pointsReward: 1,
          challenge: { targetUrl: posts.comments },
        }),
    },
    { route: 'summariseCampaign', run: () => get(`/admin/campaigns/${COMMENT_CHALLENGE}/summary`) },
    ...deep('listResults', `/admin/campaigns/${COMMENT_CHALLENGE}/results`, rows.attempts),
    ...deep(
      'listResults',
      `/admin/campaigns/${COMMENT_CHALLENGE}/results?state=rewarded`,
      rows.attempts * 0.6,
      ' of a state',
    ),
    ...deep('listComments', comments, commentsStored(rows)),
    { route: 'refreshComments', loadsCode: true, run: () => post(`${comments}/refresh`) },
    { route: 'getMetrics', run: () => get(`/admin/challenges/${COMMENT_CHALLENGE}/metrics`) },
    { route: 'refreshMetrics', run: () => post(`/admin/challenges/${COMMENT_CHALLENGE}/metrics/refresh`) },
    ...deep('listLikers', `/admin/challenges/${LIKE_CHALLENGE}/likers`, rows.likers),
    { route: 'refreshLikers', run: () => post(`/admin/challenges/${LIKE_CHALLENGE}/likers/refresh`) },
    { route: 'getLikersStatus', run: () => get(`/admin/challenges/${LIKE_CHALLENGE}/likers/status`) },
    { route: 'listCreators', run: () => list('/admin/creators', rows.creators) },
    { route: 'registerCreator', run: () => post('/social-accounts', creator) },
    { route: 'refreshCreatorProfile', run: () => post('/admin/creators/1/refresh') },
    { route: 'isHandleRegistered', run: () => get('/admin/creators/verify/person.1') },
    {
      route: 'createAttempt',
      run: async () => {
        const { data } = await post(attempts, { externalId: 'newcomer' });
        made = Number(data?.id);
      },
    },
    { route: 'getAttempt', run: () => get(`${attempts}/${made}`) },
    { route: 'getAttemptByHandle', run: () => get(`${attempts}/by-handle/newcomer`) },
    {
      route: 'progressAttempt',
      what: 'claim and verification',
      run: () => call('PATCH', `${attempts}/${made}`, { action: 'claim_completion' }),
    },
    { route: 'forceVerify', what: 'and its reward', run: () => post(`${attempts}/8/force-verify`) },
    { route: 'redeliverWebhooks', run: () => post(`${attempts}/8/redeliver-webhooks`) },
    { route: 'verifyAndReward', run: () => verifyAndReward(creatorsMatching(rows)) },
    { route: 'verifyAndReward', what: 'without news', run: () => verifyAndReward(0) },
    { route: 'endCampaign', run: () => post(`/admin/campaigns/${LIKE_CHALLENGE}/end`) },
    { route: 'deleteCampaign', run: () => call('DELETE', `/admin/campaigns/${DOOMED_CAMPAIGN}`) },
    { route: 'listWebhooks', run: () => list(webhooks) },
    { route: 'createWebhook', run: () => post(webhooks, { url: receiverUrl, events: ['reward.issued'] }) },
    ...deep('listWebhookDeliveries', `${webhooks}/${LOGGED_WEBHOOK}/deliveries`, rows.deliveries * 0.88),
    {
      route: 'listWebhookDeliveries',
      what: 'of a status and an event',
      run: () => list(`${webhooks}/${LOGGED_WEBHOOK}/deliveries?status=succeeded&event=creator.verified`),
    },
    {
      route: 'getWebhookDelivery',
      run: async () => {
        const log = `${webhooks}/${LOGGED_WEBHOOK}/deliveries`;
        return get(`${log}/${(await get(`${log}?limit=1`)).data?.[0]?.id}`);
      },
    },
    { route: 'rotateWebhookSecret', run: () => post(`${webhooks}/${LOGGED_WEBHOOK}/rotate-secret`) },
    { route: 'testWebhook', run: () => post(`${webhooks}/${LOGGED_WEBHOOK}/test`) },
    {
      route: 'updateWebhook',
      what: 'activate, with deliveries that wait',
      run: () => call('PATCH', `${webhooks}/${PAUSED_WEBHOOK}`, { active: true }),
    },
    { route: 'deleteWebhook', run: () => call('DELETE', `${webhooks}/${DOOMED_WEBHOOK}`) },
    { route: 'listSettings', run: () => get('/admin/settings') },
    ...deep('listAuditLog', '/admin/audit-log', rows.auditEntries),
    ...deep('listAuditLog', '/admin/audit-log?operation=createAttempt', rows.auditEntries * 0.5, ' of an operation'),
    {
      route: 'listAuditLog',
      what: 'of an actor and an operation',
      run: () => list('/admin/audit-log?actor=token:3&operation=createAttempt', rows.auditEntries / 15),
    },
    { route: 'listSubscribers', run: () => list('/admin/subscribers') },
    ...deep(
      'listSubscriberDeliveries',
      `/admin/subscribers/${LOGGED_SUBSCRIBER}/deliveries`,
      rows.subscriberDeliveries,
    ),
    ...deep(
      'listSubscriberDeliveries',
      `/admin/subscribers/${LOGGED_SUBSCRIBER}/deliveries?status=succeeded`,
      rows.subscriberDeliveries,
      ' of a status',
    ),
    { route: 'disconnectCreator', run: () => post('/social-accounts/disconnect', creator) },
    {
      route: 'connectSocialAccount',
      run: async () => {
        const inputs = { handle: 'ada.l' };
        const { data } = await post('/social-accounts/connect', { platform: 'instagram', externalId: 'ext-1', inputs });
        flow = String(data?.requestId);
      },
    },
    { route: 'showConnectPage', run: () => call('GET', `/connect/${flow}`, undefined, null) },
    {
      route: 'connectScript',
      run: async () => {
        const { text } = await api.call('GET', `/connect/${flow}`, { token: null });
        return get(`/connect/${/scripts\/connect-[^"]+/.exec(text)?.[0]}`);
      },
    },
    {
      route: 'submitConnectPage',
      // The page wants a form, and says what it found out.
      run: () => api.call('POST', `/connect/${flow}`, { raw: '', token: null }),
    },
    { route: 'listSocialAccounts', run: () => get('/social-accounts?externalId=ext-1') },
    { route: 'readPostThumbnail', run: () => get(`/admin/posts/thumbnail?url=${encodeURIComponent(posts.comments)}`) },
    { route: 'readPostStats', run: () => get(`/v1/stats?url=${encodeURIComponent(posts.comments)}`) },
    { route: 'readPostStatsBatch', run: () => post('/v1/stats/batch', { urls: Array(25).fill(posts.comments) }) },
    { route: 'readPostComments', run: () => get(`/v1/comments?url=${encodeURIComponent(posts.comments)}`) },
    { route: 'readProfile', run: () => get('/v1/profile?platform=instagram&handle=ada.l') },
    { route: 'createToken', run: async () => (tokenId = Number((await post('/admin/tokens', TOKEN)).data?.id)) },
    { route: 'listTokens', run: () => list('/admin/tokens') },
    { route: 'revokeToken', run: () => call('DELETE', `/admin/tokens/${tokenId}`) },
    { route: 'readUsage', run: () => get('/auth/usage') },
    {
      route: 'prove',
      loadsCode: true,
      run: async () => (proof = (await post('/api/v2.0/prove', { url: proveUrl })).data as JsonValue),
    },
    {
      route: 'prove',
      what: '16 KB, 700 values',
      run: async () =>
        (large = (await post('/api/v2.0/prove', { url: largeUrl, maxRecvData: LARGE_BYTES })).data as JsonValue),
    },
    { route: 'verify', loadsCode: true, run: () => post('/api/v2.0/verify', proof) },
    { route: 'verify', what: '16 KB, 700 values', run: () => post('/api/v2.0/verify', large) },
    { route: 'verifyV1', run: () => post('/api/v1/verify', proof) },
    {
      route: 'verifyBatch',
      loadsCode: true,
      run: () => post('/api/v2.0/verify-batch', { proofs: Array(32).fill(proof) }),
    },
    {
      route: 'webProofCallback',
      // Without a signature of ours it is refused.
      run: () => api.call('POST', '/web-proofs/callback', { body: { presentationJson: proof } }),
    },
    { route: 'notarize', run: () => post(`${NOTARY_PATH}/notarize`, { url: proveUrl }) },
    {
      route: 'attestQueries',
      loadsCode: true,
      run: () => post(`${NOTARY_PATH}/attest-queries`, { webProof: proof, queries: ['user.id'] }),
    },
    {
      route: 'compressWebProof',
      loadsCode: true,
      run: () => post('/api/v2.0/evm/compress-web-proof', compressed(proof)),
    },
    {
      route: 'compressWebProof',
      what: 'of 700 values',
      run: () => post('/api/v2.0/evm/compress-web-proof', compressed(large, 'entries[3].id')),
    },
    {
      route: 'compressWebProofFake',
      loadsCode: true,
      run: () => post('/api/v2.0/fake/evm/compress-web-proof', compressed(proof)),
    },
    {
      route: 'journalDecodeHelper',
      loadsCode: true,
      run: () => post('/api/v2.0/debug/evm/journal-decode-helper', compressed(proof)),
    },
    { route: 'verifyZkProof', run: () => api.call('POST', '/api/v2.0/evm/verify-zk-proof', { body: {} }) },
    { route: 'verifyZkProofFake', run: () => api.call('POST', '/api/v2.0/fake/evm/verify-zk-proof', { body: {} }) },
    { route: 'readGuestId', run: () => get('/api/v2.0/evm/guest-id') },
  ];
}

const TOKEN = { name: 'bench', role: 'client' };
const LARGE_BYTES = 32 * 1024;

const compressed = (presentation: JsonValue, query = 'user.id') => ({
  presentation,
  extraction: { 'response.body': { jmespath: [query] } },
});
