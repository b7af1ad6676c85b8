/** The in-process API: every operation of the route table as a function, grouped by resource. */
import { DomainError } from '../../core/errors.ts';
import { type CallDeps, callRoute } from '../http/call-route.ts';
import type { Route } from '../http/route.ts';
import type { CredenceApi } from './api-types.ts';

/** The id of the row of each operation, by its group and name. `npm run generate:client` writes their types. */
export const OPERATIONS = {
  /** Creators and the handles that are linked to them. */
  creators: {
    register: 'registerCreator',
    disconnect: 'disconnectCreator',
    list: 'listCreators',
    listAttempts: 'listCreatorAttempts',
    listDeliveries: 'listCreatorDeliveries',
    points: 'getCreatorPoints',
    refresh: 'refreshCreatorProfile',
    isHandleRegistered: 'isHandleRegistered',
    export: 'exportCreator',
    erase: 'eraseCreator',
  },
  /** The customers that run campaigns. */
  brands: {
    create: 'createBrand',
    list: 'listBrands',
    leaderboard: 'readLeaderboard',
    update: 'updateBrand',
    delete: 'deleteBrand',
  },
  /** Accounts of brands that the platforms' own APIs read. */
  brandConnections: {
    list: 'listBrandConnections',
    start: 'startBrandConnection',
    complete: 'completeBrandConnection',
    delete: 'deleteBrandConnection',
  },
  /** Campaigns, each with one challenge. */
  campaigns: {
    create: 'createCampaign',
    list: 'listCampaigns',
    get: 'getCampaign',
    update: 'updateCampaign',
    summarise: 'summariseCampaign',
    listResults: 'listResults',
    previewRules: 'previewRules',
    previewRewards: 'previewRewards',
    verifyAndReward: 'verifyAndReward',
    draw: 'drawWinners',
    readDraw: 'readDraw',
    end: 'endCampaign',
    delete: 'deleteCampaign',
  },
  /** The attempts of creators at a challenge. */
  attempts: {
    create: 'createAttempt',
    get: 'getAttempt',
    findByHandle: 'getAttemptByHandle',
    progress: 'progressAttempt',
    forceVerify: 'forceVerify',
    review: 'reviewAttempt',
    redeliver: 'redeliverWebhooks',
  },
  /** A brand's webhooks and the log of their deliveries. */
  webhooks: {
    create: 'createWebhook',
    list: 'listWebhooks',
    update: 'updateWebhook',
    delete: 'deleteWebhook',
    rotateSecret: 'rotateWebhookSecret',
    listDeliveries: 'listWebhookDeliveries',
    getDelivery: 'getWebhookDelivery',
    replayFailed: 'replayWebhookDeliveries',
    test: 'testWebhook',
  },
  /** Handlers of events in the host's own process, see `Credence.on`, and the log of their deliveries. */
  subscribers: {
    list: 'listSubscribers',
    listDeliveries: 'listSubscriberDeliveries',
  },
  /** What is stored about the post of a challenge, and reading it again. */
  challenges: {
    listComments: 'listComments',
    refreshComments: 'refreshComments',
    metrics: 'getMetrics',
    refreshMetrics: 'refreshMetrics',
    listLikers: 'listLikers',
    refreshLikers: 'refreshLikers',
    likersStatus: 'getLikersStatus',
  },
  /** Stateless reads of public posts and profiles. */
  lookups: {
    thumbnail: 'readPostThumbnail',
    post: 'readPostStats',
    posts: 'readPostStatsBatch',
    comments: 'readPostComments',
    profile: 'readProfile',
  },
  /** Answers for support. */
  support: {
    search: 'search',
  },
  /** Figures for charts. */
  series: {
    read: 'readSeries',
  },
  /** Accounts that creators connect themselves, with proof of ownership. */
  connections: {
    start: 'connectSocialAccount',
    list: 'listSocialAccounts',
    acceptProof: 'webProofCallback',
  },
  /** Web proofs, and their compression for Ethereum. Need the services `web-prover` and `zk-prover`. */
  proofs: {
    prove: 'prove',
    verify: 'verify',
    verifyBatch: 'verifyBatch',
    compress: 'compressWebProof',
    fakeCompress: 'compressWebProofFake',
    decodeJournal: 'journalDecodeHelper',
    guestId: 'readGuestId',
  },
  /** The notary for other Credence instances. Needs the service `notary`. */
  notary: {
    notarize: 'notarize',
    attestQueries: 'attestQueries',
  },
  /** The background work. */
  jobs: {
    list: 'listJobs',
    retry: 'retryJobs',
  },
  /** What administrators did. */
  audit: {
    list: 'listAuditLog',
  },
  /** The settings of the instance. */
  settings: {
    list: 'listSettings',
  },
  /** API tokens. */
  tokens: {
    create: 'createToken',
    list: 'listTokens',
    revoke: 'revokeToken',
    caller: 'readCaller',
    usage: 'readUsage',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Binds the operations to the rows of an instance. Operations of services that are off throw `NOT_SUPPORTED`. */
export function createApi(routes: readonly Route[], deps: CallDeps): CredenceApi {
  const byId = new Map(routes.map((route) => [route.id, route]));
  const operation =
    (id: string) =>
    async (input?: unknown, options: object = {}): Promise<unknown> => {
      const route = byId.get(id);
      if (route === undefined) {
        throw new DomainError('NOT_SUPPORTED', `This instance does not serve ${id}. Add its service to \`services\`.`);
      }
      return callRoute(route, input, options, deps);
    };
  const groups = Object.entries(OPERATIONS).map(([group, names]) => [
    group,
    Object.fromEntries(Object.entries(names).map(([name, id]) => [name, operation(id)])),
  ]);
  // The types follow from the same table.
  return Object.fromEntries(groups) as CredenceApi;
}
