/**
 * Every method of every store with honest arguments, and the places among them by which it finds its records. The type of the
 * table is made of the ports: a method that is new there has to be listed here, or nothing compiles.
 */
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { BrandConnection } from '../../core/engagement/brand-connections/brand-connection.ts';
import { textKeyOf } from '../../core/engagement/rules/comment-text.ts';
import type { ClaimedJob } from '../../core/ports/job-store.ts';
import type { Storage } from '../../core/ports/storage.ts';
import * as sample from '../contract/storage/samples.ts';
import { later, T0 } from '../contract/storage/samples.ts';

type Stores = Omit<Storage, 'open' | 'ping' | 'close'>;

/** One call of a store's method. */
export interface Call<Arguments> {
  readonly with: Arguments;
  /** Where it looks records up, as `0.handle`; everywhere when left out. The rest is stored, or only measures. */
  readonly at?: readonly string[];
}

type CallOf<Method> = Method extends (...given: infer Arguments) => unknown ? Call<Required<Arguments>> : never;

/** Null for what is asked without arguments. */
export type StorageCalls = {
  readonly [Store in keyof Stores]: {
    readonly [Method in keyof Stores[Store]]: Stores[Store][Method] extends () => unknown
      ? null
      : CallOf<Stores[Store][Method]>;
  };
};

/** What is stored before the attacks. */
export interface Victims {
  readonly creatorId: number;
  readonly accountId: number;
  readonly challengeId: number;
  readonly auditId: number;
  readonly campaignId: number;
  readonly attemptId: number;
  readonly brandId: number;
  readonly webhookId: number;
  readonly connection: BrandConnection;
  readonly deliveryId: number;
  readonly fetchId: number;
  readonly queuedFetchId: number;
  readonly tokenId: number;
  /** Of another admin. */
  readonly revokerId: number;
  /** Claimed, each of them. */
  readonly jobs: readonly [ClaimedJob, ClaimedJob, ClaimedJob];
  readonly deadJobId: number;
}

const PAGE = { page: 1, limit: 10 };
/** Stored by `storeVictims`. */
const HANDLE = 'victim';
const SUBSCRIBER = 'victim-ledger';
const EXTERNAL_ID = 'victim-id';
const COMMENT_ID = 'victim-comment';
const TOKEN_HASH = 'secret-hash';
const COMMITMENT = 'c0ffee';
const ONCE_KEY = 'once';
const CALLER = 'token:1';
const PERIOD = '2026-03';
const REQUEST_ID = 'request';
const ACCOUNT = { accountId: 'victim-account' };
const POST = { contentId: 'victim-post', apiId: 'victim-api-id', accountId: 'victim-account' };

const connectionRequest = {
  id: REQUEST_ID,
  externalId: EXTERNAL_ID,
  platform: 'instagram',
  handle: HANDLE,
  code: 'CODE',
  status: 'pending',
  checks: 0,
  maxChecks: 5,
  accountId: null,
  createdAt: T0,
  expiresAt: later(600),
  revision: 0,
} as const;

const canary: CanaryRecord = {
  target: 'tiktok:somebody',
  platform: 'tiktok',
  verdict: 'ok',
  since: T0,
  fields: ['bio'],
  missing: [],
  failure: null,
  readAt: T0,
  lastOkAt: T0,
  durationMs: 5,
  revision: 1,
};

const snapshot = {
  challengeId: 0,
  likeCount: 1,
  commentCount: null,
  shareCount: null,
  viewCount: null,
  thumbnailUrl: null,
  fetchedAt: T0,
};

const progress = sample.newSweep(0);

const idempotencyClaim = {
  key: 'key',
  fingerprint: 'fingerprint',
  lease: 'lease',
  leaseUntil: later(600),
  expiresAt: later(600),
};

const auditAction = sample.newAuditAction();
const auditConclusion = { target: 'campaign:1', outcome: 'succeeded', error: null, after: null } as const;

const likersFetch = sample.newLikersFetch(0);

const job = (key: string) => ({ type: 'sweep-comments', key, payload: { challengeId: 1 }, runAt: T0 }) as const;

/** Fills an empty storage with one of each. */
export async function storeVictims(storage: Storage): Promise<Victims> {
  const token = await storage.tokens.create(sample.newToken({ hash: TOKEN_HASH, role: 'admin' }));
  const revoker = await storage.tokens.create(sample.newToken({ role: 'admin' }));
  const proven = { ownershipProven: true, platformAccountId: '7', announce: sample.announced };
  const input = sample.linkInput({ externalId: EXTERNAL_ID, handle: HANDLE, ...proven });
  const { creator, account } = await storage.creators.link(input);
  await storage.creators.link(sample.linkInput({ handle: HANDLE }));
  const brand = await storage.brands.create({ name: 'B', slug: 'b', logoUrl: null, createdAt: T0 });
  const { campaign, challenge } = await storage.campaigns.create(sample.newCampaign(), sample.newChallenge());
  const outbox = [sample.eventEntry(1)];
  const pending = { state: 'verification_pending', verificationDeadline: T0 } as const;
  await sample.storedAttempt(storage, challenge.id, creator.id + 1_000, {
    state: 'awaiting_claim',
    recheck: { at: T0, count: 1, why: 'undecided' },
  });
  const inLine = { state: 'verified', verifiedAt: T0, held: { why: 'limit', since: T0 } } as const;
  await sample.storedAttempt(storage, challenge.id, creator.id + 2_000, inLine);
  const attempt = await sample.storedAttempt(storage, challenge.id, creator.id, pending, outbox);
  const ofBrand = await sample.storedChallenge(storage, { brandId: brand?.id ?? 0 });
  await sample.storedAttempt(storage, ofBrand, creator.id, { state: 'rewarded', rewardedAt: T0, pointsAwarded: 5 });
  const comment = sample.newComment({ username: HANDLE, platformCommentId: COMMENT_ID });
  await storage.comments.insertNew(challenge.id, [comment], T0, { ...progress, challengeId: challenge.id });
  await storage.metrics.add({ ...snapshot, challengeId: challenge.id });
  const over = { ...likersFetch, challengeId: challenge.id, status: 'succeeded' } as const;
  const done = await sample.storedLikersFetch(storage, over, [sample.newLiker({ username: HANDLE })]);
  const queued = await storage.likers.createFetch({ ...likersFetch, challengeId: challenge.id });
  const webhook = await storage.webhooks.create(sample.newWebhook(brand?.id ?? 0));
  const [delivery] = await storage.deliveries.createMany([1, 2].map(() => sample.newDelivery(webhook.id)));
  await storage.deliveries.claim({ total: 1, each: 1, of: new Map() }, T0, later(600));
  const [failed] = await storage.deliveries.createMany([sample.newDelivery(webhook.id)]);
  const failure = { at: T0, durationMs: 1, status: 500, error: 'The receiver answered 500.' };
  await storage.deliveries.recordTry(failed?.id ?? 0, failure, { status: 'failed', nextTryAt: null, finishedAt: T0 });
  await storage.jobs.enqueue([job('first'), job('second'), job('third'), job('dead')], T0);
  const running = await storage.jobs.claim(['sweep-comments'], 10, T0, later(600));
  const [first, second, third, dead] = ['first', 'second', 'third', 'dead'].map((key) =>
    running.find((claimed) => claimed.key === key),
  );
  if (dead) await storage.jobs.deadLetter(dead, 'error', T0);
  await storage.jobs.enqueue([job('queued')], T0);
  await storage.subscribers.subscribe([{ subscriber: SUBSCRIBER, event: '*' }]);
  await storage.deliveries.createMany([sample.newDelivery(SUBSCRIBER)]);
  await storage.usage.add(CALLER, PERIOD, { lookups: 1 });
  await storage.connections.create(connectionRequest);
  await storage.canaries.save(canary, []);
  const connection = await storage.brandConnections.connect(sample.newConnection(brand?.id ?? 0, ACCOUNT));
  await storage.brandConnections.rememberPosts('instagram', [POST]);
  await storage.draws.keep({ commitment: COMMITMENT, sealedSeed: 'sealed' });
  await storage.places.take({ ...PLACE, amount: 1, atMost: 9 });
  await storage.locks.claimOnce(ONCE_KEY, later(600), T0, 'holder');
  await storage.idempotency.claim(idempotencyClaim, T0);
  const auditId = await storage.audit.append(auditAction);
  if (brand === null || !delivery || !first || !second || !third || !dead || connection === 'taken')
    throw new Error('A victim is missing.');
  return {
    creatorId: creator.id,
    accountId: account.id,
    challengeId: challenge.id,
    campaignId: campaign.id,
    attemptId: attempt.id,
    brandId: brand.id,
    auditId,
    webhookId: webhook.id,
    connection,
    deliveryId: delivery.id,
    fetchId: done.id,
    queuedFetchId: queued.id,
    tokenId: token.id,
    revokerId: revoker.id,
    jobs: [first, second, third],
    deadJobId: dead.id,
  };
}

/** A cursor before all that waits, and where it and the other arguments are. */
const RANGE = { from: T0, to: later(60), by: 'hour' } as const;
const LONG_AGO = { id: 0, since: new Date(0) };
const PLACE = { key: 'victim-place', holder: 1, revision: 1 };
const WAITING = ['0', '1', '2.id', '2.since'];
const CLAIM = ['0.id', '0.lease'];

/** In an order in which each, called as it stands, still finds what it is about. */
export function callsOn(victims: Victims): StorageCalls {
  const { creatorId, accountId, challengeId, campaignId, attemptId, brandId, webhookId, deliveryId, fetchId } = victims;
  const handled = new Map([[SUBSCRIBER, ['creator.verified'] as const]]);
  const attempt = { ...sample.newAttempt(challengeId, creatorId), id: attemptId };
  const webhook = sample.newWebhook(brandId);
  const [first, second, third] = victims.jobs;
  const outcome = { status: 'succeeded', nextTryAt: null, finishedAt: T0 } as const;
  return {
    tokens: {
      create: { with: [sample.newToken({ hash: 'another' })], at: ['0.hash'] },
      findByHash: { with: [TOKEN_HASH] },
      list: { with: [{ ids: [victims.tokenId] }, PAGE], at: ['0.ids.0'] },
      revoke: { with: [victims.tokenId, T0, victims.revokerId] },
    },
    creators: {
      link: {
        with: [sample.linkInput({ externalId: EXTERNAL_ID, handle: HANDLE })],
        at: ['0.externalId', '0.platform', '0.handle'],
      },
      rememberAccounts: {
        with: [[{ linkId: accountId, accountId: 'app/5' }], 'scoped'],
        at: ['0.0.linkId', '0.0.accountId'],
      },
      linksOf: { with: ['instagram', [HANDLE, '~app/5'], { ended: true }], at: ['0', '1.0'] },
      find: { with: [{ externalId: EXTERNAL_ID }], at: ['0.externalId'] },
      search: {
        with: [{ text: HANDLE, platform: 'instagram', email: true, limit: 10 }],
        at: ['0.text', '0.platform', '0.limit'],
      },
      accountsOf: { with: [creatorId] },
      findByHandle: { with: ['instagram', HANDLE, { ended: true }], at: ['0', '1'] },
      activeLinks: { with: ['instagram', creatorId - 1, 10] },
      listPage: { with: [PAGE] },
      replaceProfile: { with: [accountId, { followers: 1 }, null], at: ['0'] },
      followHandle: {
        with: [
          {
            link: { id: accountId, creatorId, platform: 'instagram' },
            accountId: '7',
            handle: 'renamed',
            seenAt: later(1),
            now: later(1),
          },
        ],
      },
      disconnect: { with: [{ externalId: EXTERNAL_ID, platform: 'instagram', handle: 'renamed' }, T0] },
      personalData: { with: [creatorId] },
      erase: { with: [{ userId: creatorId, suffix: 'suffix', now: T0 }], at: ['0.userId'] },
    },
    brands: {
      create: { with: [{ name: 'B', slug: 'another', logoUrl: null, createdAt: T0 }], at: ['0.slug'] },
      find: { with: [brandId] },
      list: null,
      update: { with: [brandId, { slug: 'renamed' }], at: ['0', '1.slug'] },
      delete: { with: [brandId] },
    },
    campaigns: {
      create: { with: [sample.newCampaign({ brandId }), sample.newChallenge()], at: ['0.brandId'] },
      find: { with: [{ challengeId }], at: ['0.challengeId'] },
      ofPost: { with: [sample.newChallenge()], at: ['0.contentId', '0.platform'] },
      list: { with: [PAGE, { brandId, attemptOf: creatorId, text: 'a' }], at: ['1.brandId', '1.attemptOf', '1.text'] },
      update: {
        with: [{ ...sample.newCampaign({ brandId }), id: campaignId }, { title: 'Changed' }],
        at: ['0.id', '0.pointsReward', '0.startsAt', '0.endsAt'],
      },
      fixPoints: { with: [challengeId] },
      delete: { with: [campaignId] },
    },
    attempts: {
      create: {
        with: [[{ attempt: sample.newAttempt(challengeId, creatorId), outbox: () => [] }]],
        at: ['0.0.attempt.challengeId', '0.0.attempt.userId'],
      },
      find: { with: [{ challengeId, userId: creatorId }], at: ['0.challengeId', '0.userId'] },
      creatorsWithAttempt: { with: [challengeId, [creatorId]] },
      participants: { with: [challengeId, 'instagram', { state: 'verification_pending', userIds: [creatorId] }, PAGE] },
      ofCreator: { with: [creatorId, PAGE, { rewardedBy: { brandId } }], at: ['0', '2.rewardedBy.brandId'] },
      pointsByBrand: { with: [creatorId, { rewardedBy: { brandId } }], at: ['0', '1.rewardedBy.brandId'] },
      leaderboard: { with: [brandId, PAGE] },
      summary: { with: [challengeId] },
      series: { with: [RANGE, { challengeId, brandId }], at: ['0.from', '0.to', '1.challengeId', '1.brandId'] },
      inLine: { with: [challengeId, 10] },
      challengesInLine: { with: [0, 10] },
      due: { with: ['job', later(86_400), 10, LONG_AGO], at: ['1', '2', '3.id', '3.since'] },
      transition: { with: [attempt, sample.advanced(attempt, {}), []], at: ['0.id', '0.revision'] },
    },
    outbox: {
      pending: { with: [10] },
      acknowledge: {
        with: [[{ owner: `attempts:${attemptId}`, entryIds: ['unknown'] }]],
        at: ['0.0.owner', '0.0.entryIds.0'],
      },
    },
    places: {
      take: {
        with: [{ ...PLACE, amount: 1, atMost: 9 }],
        at: ['0.key', '0.holder', '0.revision', '0.amount', '0.atMost'],
      },
      used: { with: [PLACE.key] },
      release: { with: [PLACE], at: ['0.key', '0.holder', '0.revision'] },
    },
    comments: {
      insertNew: {
        with: [challengeId, [sample.newComment()], T0, { ...progress, challengeId }],
        at: ['0', '1.0.platformCommentId'],
      },
      page: { with: [challengeId, PAGE, { metSince: T0 }] },
      knownAmong: { with: [challengeId, [COMMENT_ID], T0] },
      earliestByAuthors: { with: [challengeId, [HANDLE], 'unnumbered', true], at: ['0', '1.0'] },
      ofAuthors: { with: [challengeId, [HANDLE], true], at: ['0', '1.0'] },
      firstOfTexts: { with: [challengeId, [textKeyOf('nice') ?? '']], at: ['0', '1.0'] },
      countAround: { with: [challengeId, [T0], 5_000, 9], at: ['0', '1.0', '2', '3'] },
      withhold: {
        with: [challengeId, [{ platformCommentId: COMMENT_ID, withheld: 'hidden', at: later(1) }]],
        at: ['0', '1.0.platformCommentId', '1.0.at'],
      },
      withheldSince: { with: [challengeId, T0, 0] },
      sweep: { with: [challengeId] },
      beginSweep: {
        with: [
          { ...progress, challengeId },
          { ...progress, challengeId },
        ],
        at: ['0.challengeId'],
      },
      saveSweep: { with: [{ ...progress, challengeId }], at: ['0.challengeId'] },
    },
    metrics: { add: { with: [{ ...snapshot, challengeId }], at: ['0.challengeId'] }, latest: { with: [challengeId] } },
    likers: {
      createFetch: { with: [{ ...likersFetch, challengeId }], at: ['0.challengeId'] },
      findFetch: {
        with: [{ challengeId, status: 'succeeded', requestedBefore: later(86_400) }],
        at: ['0.challengeId', '0.status', '0.requestedBefore'],
      },
      updateFetch: { with: [{ ...likersFetch, challengeId, id: victims.queuedFetchId }], at: ['0.id'] },
      unfinished: { with: [later(86_400), 10, LONG_AGO], at: WAITING },
      insertNew: { with: [victims.queuedFetchId, [sample.newLiker()]], at: ['0', '1.0.igUserId'] },
      page: { with: [fetchId, PAGE] },
      among: { with: [{ challengeId, since: new Date(0) }, [HANDLE]], at: ['0.challengeId', '0.since', '1.0'] },
    },
    deliveries: {
      createMany: { with: [[sample.newDelivery(webhookId)]], at: ['0.0.messageId', '0.0.target'] },
      find: { with: [deliveryId] },
      extend: { with: [[{ id: deliveryId, lease: 1 }], later(600)], at: ['0.0.id', '0.0.lease', '1'] },
      claim: {
        with: [{ total: 10, each: 10, of: new Map(), handled }, later(1), later(600)],
        at: ['0.total', '0.each', '1', '2'],
      },
      afterSetBack: { with: [T0, 1, webhookId] },
      replay: {
        with: [webhookId, { failedSince: later(-1), exceptEvents: [HANDLE] }, T0],
        at: ['0', '1.exceptEvents.0'],
      },
      health: { with: [[webhookId]] },
      list: {
        with: [webhookId, PAGE, { brandId, status: 'pending', event: 'creator.verified' }],
        at: ['0', '2.brandId', '2.status', '2.event'],
      },
      search: { with: [{ messageId: 'msg' }, 10] },
      series: {
        with: [webhookId, RANGE, { exceptEvents: ['webhook.test'] }],
        at: ['0', '1.from', '1.to', '2.exceptEvents.0'],
      },
      recordTry: { with: [deliveryId, { at: T0, durationMs: 1, status: 200, error: null }, outcome], at: ['0'] },
      cancelPending: { with: [webhookId, T0], at: ['0', '1'] },
    },
    subscribers: {
      subscribe: { with: [[{ subscriber: 'another', event: '*' }]], at: ['0.0.subscriber', '0.0.event'] },
      list: null,
      unsubscribe: { with: [SUBSCRIBER] },
    },
    jobs: {
      enqueue: { with: [[job('another')], T0], at: ['0.0.key', '0.0.runAt', '1'] },
      list: {
        with: [{ state: 'dead', type: 'sweep-comments', id: victims.deadJobId }, PAGE, T0],
        at: ['0.type', '0.id'],
      },
      removeDead: { with: [[victims.deadJobId]] },
      nextDue: { with: [['sweep-comments']] },
      stats: { with: [T0] },
      extend: { with: [[first], later(600)], at: ['0.0.id', '0.0.lease', '1'] },
      complete: { with: [first], at: CLAIM },
      release: { with: [second, T0, null, false], at: [...CLAIM, '1'] },
      deadLetter: { with: [third, 'error', T0], at: [...CLAIM, '2'] },
      claim: { with: [['sweep-comments'], 10, later(86_400), later(90_000)] },
      remove: { with: ['queued'] },
    },
    usage: { add: { with: [CALLER, PERIOD, { lookups: 1 }] }, between: { with: [CALLER, PERIOD, '2099-01'] } },
    connections: {
      create: { with: [{ ...connectionRequest, id: 'another' }, 100], at: ['0.id', '0.externalId'] },
      find: { with: [REQUEST_ID] },
      update: { with: [connectionRequest, { ...connectionRequest, revision: 1 }], at: ['0.id', '0.revision'] },
    },
    canaries: {
      list: null,
      save: { with: [{ ...canary, revision: 2 }, []], at: ['0.target', '0.revision'] },
      remove: { with: [canary.target] },
    },
    brandConnections: {
      connect: { with: [sample.newConnection(brandId, ACCOUNT)], at: ['0.brandId', '0.platform', '0.accountId'] },
      find: { with: [victims.connection.id] },
      list: { with: [{ brandId }] },
      count: null,
      update: { with: [{ ...victims.connection, revision: 2 }, {}, []], at: ['0.id', '0.revision'] },
      findPost: { with: ['instagram', { apiId: POST.apiId }] },
      rememberPosts: { with: ['instagram', [POST]], at: ['0', '1.0.contentId'] },
      delete: { with: [brandId, victims.connection.id] },
    },
    draws: {
      keep: { with: [{ commitment: 'another', sealedSeed: 'sealed' }], at: ['0.commitment'] },
      find: { with: [COMMITMENT] },
      decide: { with: [COMMITMENT, sample.newDraw(COMMITMENT)], at: ['0'] },
      unreleased: { with: [10] },
      markReleased: { with: [COMMITMENT] },
    },
    locks: { claimOnce: { with: [ONCE_KEY, later(900), T0, 'holder'] }, holderOf: { with: [ONCE_KEY, T0] } },
    idempotency: {
      claim: { with: [idempotencyClaim, T0], at: ['0.key', '0.fingerprint', '0.lease'] },
      renew: { with: ['key', 'lease', later(900)], at: ['0', '1'] },
      end: { with: ['key', 'lease', 'answer'], at: ['0', '1'] },
    },
    audit: {
      append: { with: [auditAction], at: ['0.actor', '0.operation', '0.target', '0.requestId'] },
      conclude: { with: [victims.auditId, auditConclusion], at: ['0', '1.target'] },
      list: {
        with: [
          {
            actor: 'token:1',
            operation: 'endCampaign',
            target: 'campaign:1',
            requestId: auditAction.requestId,
            from: T0,
          },
          PAGE,
        ],
        at: ['0.actor', '0.operation', '0.target', '0.requestId'],
      },
    },
    retention: { purge: { with: ['deliveries', later(86_400), 0] } },
    webhooks: {
      create: { with: [webhook], at: ['0.brandId'] },
      find: { with: [webhookId, brandId] },
      list: { with: [{ brandId, subscribedTo: 'creator.verified' }] },
      update: {
        with: [
          { brandId, id: webhookId, url: webhook.url, activations: 0 },
          { active: false, secret: { sealed: 'sealed', previousUntil: later(60) } },
          [],
        ],
        at: ['0.brandId', '0.id', '0.url', '0.activations', '1.secret.sealed'],
      },
      delete: { with: [brandId, webhookId] },
      markTriggered: { with: [webhookId, T0, { at: T0, status: 500, error: HANDLE }], at: ['0', '1'] },
    },
  };
}

/** All that the victims are made of, and how much there is of each kind, as far as reading it shows. */
export async function contentOf(storage: Storage, victims: Victims): Promise<unknown> {
  const { brandId, challengeId, creatorId, fetchId, webhookId } = victims;
  return {
    tokens: await storage.tokens.list({}),
    creators: [await storage.creators.find(creatorId), await sample.allRows(storage)],
    accounts: await storage.creators.accountsOf(creatorId),
    brands: await storage.brands.list(),
    campaigns: await storage.campaigns.list(PAGE),
    attempts: await storage.attempts.participants(challengeId, 'instagram', {}, PAGE),
    outbox: (await storage.outbox.pending(10)).toSorted((one, other) => (one.owner < other.owner ? -1 : 1)),
    comments: [await storage.comments.page(challengeId, PAGE), await storage.comments.sweep(challengeId)],
    metrics: await storage.metrics.latest(challengeId),
    fetches: [
      await storage.likers.findFetch({ challengeId }),
      await storage.likers.findFetch({ challengeId, status: 'succeeded' }),
    ],
    likers: await storage.likers.page(fetchId, PAGE),
    webhooks: [
      (await storage.webhooks.list({ newest: true }))[0],
      await storage.webhooks.list({ brandId }),
      await storage.webhooks.list({ brandId, subscribedTo: 'reward.issued' }),
    ],
    deliveries: await storage.deliveries.list(webhookId, PAGE),
    subscribers: [await storage.subscribers.list(), await storage.deliveries.list(SUBSCRIBER, PAGE)],
    jobs: [await storage.jobs.stats(T0), await storage.jobs.nextDue(['sweep-comments'])],
    usage: await storage.usage.between(CALLER, PERIOD, `${PERIOD}~`),
    request: await storage.connections.find(REQUEST_ID),
    canaries: await storage.canaries.list(),
    connections: [
      await storage.brandConnections.list({ brandId }),
      await storage.brandConnections.findPost('instagram', { apiId: POST.apiId }),
    ],
    draws: await storage.draws.find(COMMITMENT),
    audit: await storage.audit.list({}, PAGE),
    holder: await storage.locks.holderOf(ONCE_KEY, T0),
  };
}
