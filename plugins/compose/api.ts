/** The in-process API: every operation of the route table as a function, grouped by resource. */
import { DomainError } from '../../core/errors.ts';
import { type CallDeps, callRoute, type OperationOf, type ResultOf } from '../http/call-route.ts';
import type { Route } from '../http/route.ts';
import type { createAttemptRoutes } from '../http/routes/attempts.ts';
import type { createAuditLogRoutes } from '../http/routes/audit-log.ts';
import type { createBrandRoutes } from '../http/routes/brands.ts';
import type { createCallerRoutes } from '../http/routes/caller.ts';
import type { createCampaignRoutes } from '../http/routes/campaigns.ts';
import type { createChallengeDataRoutes } from '../http/routes/challenge-data.ts';
import type { createConnectionRoutes } from '../http/routes/connections.ts';
import type { createCreatorHistoryRoutes } from '../http/routes/creator-history.ts';
import type { createCreatorRoutes } from '../http/routes/creators.ts';
import type { createJobRoutes } from '../http/routes/jobs.ts';
import type { createLookupRoutes } from '../http/routes/lookups.ts';
import type { createNotaryRoutes } from '../http/routes/notary.ts';
import type { createPersonalDataRoutes } from '../http/routes/personal-data.ts';
import type { createSearchRoutes } from '../http/routes/search.ts';
import type { createSeriesRoutes } from '../http/routes/series.ts';
import type { createSettingsRoutes } from '../http/routes/settings.ts';
import type { createSubscriberRoutes } from '../http/routes/subscribers.ts';
import type { createTokenRoutes } from '../http/routes/tokens.ts';
import type { createUsageRoutes } from '../http/routes/usage.ts';
import type { createWebProofCallbackRoutes } from '../http/routes/web-proof-callback.ts';
import type { createWebProverRoutes } from '../http/routes/web-prover.ts';
import type { createWebhookRoutes } from '../http/routes/webhooks.ts';
import type { createZkProverRoutes } from '../http/routes/zk-prover.ts';
import type { Results } from './result-types.ts';

/** Every row that is an operation, with its types. */
type Row = ReturnType<
  | typeof createAuditLogRoutes
  | typeof createAttemptRoutes
  | typeof createBrandRoutes
  | typeof createCallerRoutes
  | typeof createCampaignRoutes
  | typeof createChallengeDataRoutes
  | typeof createConnectionRoutes
  | typeof createCreatorHistoryRoutes
  | typeof createCreatorRoutes
  | typeof createJobRoutes
  | typeof createLookupRoutes
  | typeof createNotaryRoutes
  | typeof createPersonalDataRoutes
  | typeof createSearchRoutes
  | typeof createSeriesRoutes
  | typeof createSubscriberRoutes
  | typeof createTokenRoutes
  | typeof createSettingsRoutes
  | typeof createUsageRoutes
  | typeof createWebProofCallbackRoutes
  | typeof createWebProverRoutes
  | typeof createWebhookRoutes
  | typeof createZkProverRoutes
>[number];

/** Group and name of each operation, by the id of its row. Their documentation shows in editors. */
export const OPERATIONS = {
  /** Creators and the handles that are linked to them. */
  creators: {
    /** Registers a creator and links a handle; ownership is asserted, not checked. Idempotent. */
    register: 'registerCreator',
    /** Ends a link; attempts and rewards stay. Throws `NOT_FOUND` if no active link matches. */
    disconnect: 'disconnectCreator',
    /** Lists all creators, one row per linked handle. */
    list: 'listCreators',
    /** Lists a page of a creator's attempts, newest first. */
    listAttempts: 'listCreatorAttempts',
    /** Lists what was sent about a creator's attempts. */
    listDeliveries: 'listCreatorDeliveries',
    /** Reads a creator's profile again. Throws the codes of the platform if no handle can be read. */
    refresh: 'refreshCreatorProfile',
    /** Tells whether a handle is linked to a registered creator. */
    isHandleRegistered: 'isHandleRegistered',
    /** Returns everything that is stored about a creator. */
    export: 'exportCreator',
    /** Erases the personal data of a creator for good. Throws `CONFLICT` while attempts are under way. */
    erase: 'eraseCreator',
  },
  /** The customers that run campaigns. */
  brands: {
    /** Creates a brand. Throws `CONFLICT` if the slug is taken. */
    create: 'createBrand',
    /** Lists all brands by id. */
    list: 'listBrands',
    /** Changes name, slug or logo. Throws `CONFLICT` if the slug is taken. */
    update: 'updateBrand',
    /** Deletes a brand. Throws `CONFLICT` while it has campaigns or webhooks. */
    delete: 'deleteBrand',
  },
  /** Campaigns, each with one challenge. */
  campaigns: {
    /** Creates a campaign with its challenge. Throws `VALIDATION_ERROR` for a URL that is no post URL. */
    create: 'createCampaign',
    /** Lists a page of campaigns, newest first. */
    list: 'listCampaigns',
    /** Returns a campaign with its challenge, and the attempt of the creator whose `caller` asks. */
    get: 'getCampaign',
    /** Changes a campaign. Throws `CONFLICT` for other points after the first reward. */
    update: 'updateCampaign',
    /** Counts attempts by state, and the points issued. */
    summarise: 'summariseCampaign',
    /** Lists a page of participants and how they stand. */
    listResults: 'listResults',
    /** Tells whom `verifyAndReward` would verify and reward now. Changes nothing. */
    previewRewards: 'previewRewards',
    /** Verifies and rewards every registered creator who has fulfilled the challenge. */
    verifyAndReward: 'verifyAndReward',
    /** Ends a campaign. Idempotent. */
    end: 'endCampaign',
    /** Deletes a campaign without attempts. Throws `CAMPAIGN_HAS_ATTEMPTS` otherwise. */
    delete: 'deleteCampaign',
  },
  /** The attempts of creators at a challenge. */
  attempts: {
    /** Opens a creator's attempt. Throws `ATTEMPT_EXISTS`, `CAMPAIGN_INACTIVE` or `HANDLE_NOT_LINKED`. */
    create: 'createAttempt',
    /** Returns an attempt. */
    get: 'getAttempt',
    /** Returns the attempt of the creator with a handle, or null. */
    findByHandle: 'getAttemptByHandle',
    /** Records that the creator opened the post, or claims to be done, which starts a verification. */
    progress: 'progressAttempt',
    /** Verifies an attempt without a match; the reward follows. */
    forceVerify: 'forceVerify',
    /** Sends the events of an attempt's outcome again. Throws `EVENT_NOT_ELIGIBLE` if none fits. */
    redeliver: 'redeliverWebhooks',
  },
  /** A brand's webhooks and the log of their deliveries. */
  webhooks: {
    /** Registers a webhook; the secret is returned only here. */
    create: 'createWebhook',
    /** Lists the webhooks of a brand, without secrets. */
    list: 'listWebhooks',
    /** Changes or pauses a webhook. */
    update: 'updateWebhook',
    /** Deletes a webhook and the log of its deliveries. */
    delete: 'deleteWebhook',
    /** Makes a new secret, returned only here; the one before stays valid for a day. */
    rotateSecret: 'rotateWebhookSecret',
    /** Lists a page of deliveries, newest first. */
    listDeliveries: 'listWebhookDeliveries',
    /** Returns a delivery with the body that was sent. */
    getDelivery: 'getWebhookDelivery',
    /** Sends the deliveries that failed since a time again, some 1,000 a call. */
    replayFailed: 'replayWebhookDeliveries',
    /** Queues a test event. */
    test: 'testWebhook',
  },
  /** Handlers of events in the host's own process, see `Credence.on`, and the log of their deliveries. */
  subscribers: {
    /** Lists the stored subscribers with their events. */
    list: 'listSubscribers',
    /** Lists a page of deliveries, newest first. */
    listDeliveries: 'listSubscriberDeliveries',
  },
  /** What is stored about the post of a challenge, and reading it again. */
  challenges: {
    /** Lists a page of stored comments, newest first. */
    listComments: 'listComments',
    /** Reads comments from the platform; continues where an interrupted reading stopped. */
    refreshComments: 'refreshComments',
    /** Returns the newest stored metrics, or null. */
    metrics: 'getMetrics',
    /** Reads the metrics from the platform; returns `{ status: 'queued' }` if that takes long. */
    refreshMetrics: 'refreshMetrics',
    /** Lists a page of the likers of the latest fetch that succeeded. */
    listLikers: 'listLikers',
    /** Reads the likers in the background (only on platforms that show who liked a post). */
    refreshLikers: 'refreshLikers',
    /** Tells how the latest fetch of likers stands, or null. */
    likersStatus: 'getLikersStatus',
  },
  /** Stateless reads of public posts and profiles. */
  lookups: {
    /** Returns the platform, the canonical URL and the thumbnail of a post. */
    thumbnail: 'readPostThumbnail',
    /** Returns the figures of a post. */
    post: 'readPostStats',
    /** Returns the figures of up to 25 posts; each has its own outcome. */
    posts: 'readPostStatsBatch',
    /** Returns a page of comments of a post. */
    comments: 'readPostComments',
    /** Returns a profile. */
    profile: 'readProfile',
  },
  /** Answers for support. */
  support: {
    /** Finds creators, campaigns, attempts, deliveries and requests by what is known of them. */
    search: 'search',
  },
  /** Figures for charts. */
  series: {
    /** Counts attempts, points, deliveries of a webhook, or reads of platforms by hour or day. */
    read: 'readSeries',
  },
  /** Accounts that creators connect themselves, with proof of ownership. */
  connections: {
    /** Opens a request; the creator proves ownership on the page at `redirectUrl` or by a web proof. */
    start: 'connectSocialAccount',
    /** Lists a creator's linked accounts. */
    list: 'listSocialAccounts',
    /** Links the account of a request by a web proof of its profile. No signature is needed in process. */
    acceptProof: 'webProofCallback',
  },
  /** Web proofs, and their compression for Ethereum. Need the services `web-prover` and `zk-prover`. */
  proofs: {
    /** Makes an HTTPS request through the notary and returns the web proof. */
    prove: 'prove',
    /** Verifies a web proof and returns its transcript. Throws `INVALID_PRESENTATION`. */
    verify: 'verify',
    /** Verifies many web proofs; each has its own result. */
    verifyBatch: 'verifyBatch',
    /** Compresses a web proof into a seal that a contract checks. Throws `PROOF_NOT_SEALABLE`. */
    compress: 'compressWebProof',
    /** As `compress`, with a mock seal that proves nothing. */
    fakeCompress: 'compressWebProofFake',
    /** Returns types, values and Solidity code for the journal that `compress` would make. */
    decodeJournal: 'journalDecodeHelper',
    /** Returns the id of the proving program, as contracts pin it. */
    guestId: 'readGuestId',
  },
  /** The notary for other Credence instances. Needs the service `notary`. */
  notary: {
    /** Makes an HTTPS request and signs what came back. */
    notarize: 'notarize',
    /** Signs the values that queries select from a proof of this notary. */
    attestQueries: 'attestQueries',
  },
  /** The background work. */
  jobs: {
    /** Lists a page of the jobs of one state. Throws `NOT_SUPPORTED` with BullMQ. */
    list: 'listJobs',
    /** Runs a dead job again, or all dead jobs of a kind. Throws `NOT_FOUND`. */
    retry: 'retryJobs',
  },
  /** What administrators did. */
  audit: {
    /** Lists a page of the audit log, newest first. */
    list: 'listAuditLog',
  },
  /** The settings of the instance. */
  settings: {
    /** Lists all settings, without secrets. */
    list: 'listSettings',
  },
  /** API tokens. */
  tokens: {
    /** Creates a token; it is returned only here. */
    create: 'createToken',
    /** Lists all tokens, revoked ones too. */
    list: 'listTokens',
    /** Revokes a token for good. Idempotent. */
    revoke: 'revokeToken',
    /** Tells who the `caller` is, and with which role. */
    caller: 'readCaller',
    /** Counts what the `caller` used this month (UTC). */
    usage: 'readUsage',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Row['id']>>>>;

type Operations = typeof OPERATIONS;

/** Every operation of the route table: `credence.brands.create({ name, slug })`. */
export type CredenceApi = {
  readonly [Group in keyof Operations]: {
    readonly [Name in keyof Operations[Group]]: Operation<Operations[Group][Name]>;
  };
};

type RowOf<Id> = Extract<Row, { readonly id: Id }>;
type Operation<Id> = Id extends keyof Results ? OperationOf<RowOf<Id>, Results[Id]> : never;

/** The operations whose written results are not what their schemas say: a test holds that there are none. */
export type WrongResult = {
  [Id in keyof Results]: Unequal<Results[Id], ResultOf<RowOf<Id>>, Id>;
}[keyof Results];
type Unequal<A, B, Id> = [A] extends [B] ? ([B] extends [A] ? never : Id) : Id;

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
