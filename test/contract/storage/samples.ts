/** Plain domain objects that differ from each other; the numbers only have to be unique within a run. */

import type { AuditAction } from '../../../core/access/audit.ts';
import type { ApiToken } from '../../../core/access/token.ts';
import type { Attempt, NewAttempt } from '../../../core/engagement/attempts/attempt.ts';
import type { BrandConnection } from '../../../core/engagement/brand-connections/brand-connection.ts';
import type { Draw } from '../../../core/engagement/campaigns/draw.ts';
import { endCampaign } from '../../../core/engagement/campaigns/end-campaign.ts';
import type {
  LikersFetch,
  NewComment,
  NewLiker,
  SweepProgress,
} from '../../../core/engagement/challenge-data/comment.ts';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import type { CreatorListRow, LinkedCreator } from '../../../core/engagement/creators/creator.ts';
import { listCreators } from '../../../core/engagement/creators/list-creators.ts';
import type { EventEntry, OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import type { Delivery, DeliveryTarget } from '../../../core/engagement/webhooks/webhook.ts';
import type { CreateAttemptResult } from '../../../core/ports/attempt-store.ts';
import type { NewCampaign, NewChallenge } from '../../../core/ports/campaign-store.ts';
import type { LinkInput } from '../../../core/ports/creator-store.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { WebhookStore } from '../../../core/ports/webhook-store.ts';
import { collect } from '../../support/collect.ts';

/** Ends a campaign as at a time. */
export const endCampaignAt = (storage: Storage, campaignId: number, at: Date) =>
  endCampaign({ storage, clock: { now: () => at } })(campaignId);

let made = 0;
export function unique(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}

export const T0 = new Date('2026-03-01T12:00:00.000Z');
export function later(seconds: number): Date {
  return new Date(T0.getTime() + seconds * 1_000);
}

/** Texts that break careless storages: operators, paths, SQL, NUL, other scripts, pictographs, long ones. */
export const NASTY_TEXTS = [
  '{"$gt":""}',
  '$where',
  'a.b.c',
  "'; DROP TABLE creators; --",
  'before\u0000after',
  'żółć 漢字 \u{1F469}\u200D\u{1F680} \u202Eright to left',
  '__proto__',
  '%_\\"`?',
  'x'.repeat(70_000),
] as const;

/** Keys that break careless storages. `JSON.parse`, because an object literal would set the prototype. */
export const NASTY_OBJECT: Readonly<Record<string, unknown>> = JSON.parse(
  '{"__proto__":{"polluted":true},"constructor":1,"$set":{"a":1},"a.b":{"$gt":""},"":"empty","nul\\u0000key":"nul\\u0000value","deep":[[null,1.5,-0.25,1e21,true]]}',
);

export function linkInput(changes: Partial<LinkInput> = {}): LinkInput {
  return {
    externalId: unique('ext'),
    email: 'creator@example.com',
    displayName: 'A Creator',
    platform: 'instagram',
    handle: unique('handle'),
    profileData: {},
    ownershipProven: false,
    now: T0,
    ...changes,
  };
}

export function newCampaign(changes: Partial<NewCampaign> = {}): NewCampaign {
  return {
    brandId: 1,
    title: 'Spring launch',
    description: null,
    imageUrl: null,
    pointsReward: 50,
    isActive: true,
    startsAt: null,
    endsAt: null,
    createdAt: T0,
    ...changes,
  };
}

export function newChallenge(changes: Partial<NewChallenge> = {}): NewChallenge {
  return {
    platform: 'instagram',
    contentType: 'post',
    contentId: 'C0ffee',
    canonicalUrl: 'https://www.instagram.com/p/C0ffee/',
    instructionText: 'Comment on the post',
    action: 'comment',
    ...changes,
  };
}

export function newConnectionRequest(changes: Partial<ConnectionRequest> = {}): ConnectionRequest {
  return {
    id: unique('request'),
    externalId: 'ext',
    platform: 'tiktok',
    handle: null,
    code: 'CODE',
    status: 'pending',
    checks: 0,
    maxChecks: 5,
    accountId: null,
    createdAt: T0,
    expiresAt: later(900),
    revision: 0,
    ...changes,
  };
}

/** The rows of `CreatorStore.listPage`, all of them. */
export function allRows(storage: Pick<Storage, 'creators'>): Promise<readonly CreatorListRow[]> {
  return collect(listCreators({ storage })());
}

/** Stores a campaign and returns the id of its challenge. */
export async function storedChallenge(storage: Storage, changes: Partial<NewCampaign> = {}): Promise<number> {
  return (await storage.campaigns.create(newCampaign(changes), newChallenge())).challenge.id;
}

export function newAttempt(challengeId: number, userId: number, changes: Partial<NewAttempt> = {}): NewAttempt {
  return {
    userId,
    challengeId,
    state: 'created',
    retryCount: 0,
    maxRetries: 3,
    lastVerificationAt: null,
    verificationDeadline: null,
    stateHistory: [{ state: 'created', at: T0, reason: 'created' }],
    recheck: null,
    metadata: {},
    matchedComment: null,
    pointsAwarded: 0,
    verifiedAt: null,
    rewardedAt: null,
    createdAt: T0,
    updatedAt: T0,
    revision: 0,
    ...changes,
  };
}

/** How many comments of the challenge are stored. */
export async function countComments(comments: Storage['comments'], challengeId: number): Promise<number> {
  return (await comments.page(challengeId, { page: 1, limit: 1 })).total;
}

/** The outbox entries of one attempt. */
export async function outboxOf(outbox: Storage['outbox'], attemptId: number): Promise<readonly OutboxEntry[]> {
  const pending = await outbox.pending(100_000);
  return pending.find(({ owner }) => owner === `attempts:${attemptId}`)?.entries ?? [];
}

/** The first pending deliveries of a webhook, newest first. */
export async function pendingDeliveries(
  deliveries: Storage['deliveries'],
  webhookId: number,
): Promise<readonly Delivery[]> {
  return (await deliveries.list(webhookId, { page: 1, limit: 10 }, { status: 'pending' })).items;
}

/** Creates one attempt. */
export async function createAttempt(
  attempts: Storage['attempts'],
  attempt: NewAttempt,
  outbox: readonly OutboxEntry[],
): Promise<CreateAttemptResult> {
  const [result] = await attempts.create([{ attempt, outbox: () => outbox }]);
  if (result === undefined) throw new Error('Creating one attempt gives one result.');
  return result;
}

/** Stores an attempt; fails unless it is created. */
export async function storedAttempt(
  storage: Storage,
  challengeId: number,
  userId: number,
  changes: Partial<NewAttempt> = {},
  outbox: readonly OutboxEntry[] = [],
): Promise<Attempt> {
  const result = await createAttempt(storage.attempts, newAttempt(challengeId, userId, changes), outbox);
  if (result.kind !== 'created') throw new Error(`The attempt was not created: ${result.kind}.`);
  return result.attempt;
}

/** The attempt one revision on. */
export function advanced(before: Attempt, changes: Partial<Attempt>): Attempt {
  return { ...before, ...changes, revision: before.revision + 1 };
}

export function jobEntry(attemptId: number): OutboxEntry {
  return { id: unique('job'), kind: 'job', job: { type: 'verify-attempt', attemptId } };
}

export function eventEntry(attemptId: number, changes: { readonly username?: string } = {}): OutboxEntry {
  return {
    id: unique('event'),
    kind: 'event',
    event: {
      event: 'creator.verified',
      timestamp: later(7),
      brandId: 1,
      data: {
        challengeId: 1,
        userId: 1,
        username: 'alice',
        platform: 'instagram',
        campaignTitle: 'Spring launch',
        attemptId,
        commentText: 'nice',
        ...changes,
      },
    },
  };
}

/** The event of a link; its entry id follows from the account. */
export function announced({ creator, account }: LinkedCreator): EventEntry {
  return {
    id: `connected_${account.id}`,
    kind: 'event',
    event: {
      event: 'account.connected',
      timestamp: later(7),
      brandId: null,
      data: {
        userId: creator.id,
        externalUserId: creator.externalId,
        username: account.platformUsername,
        platform: account.platform,
        socialAccountId: account.id,
        platformAccountId: '7',
        method: 'bio_code',
        requestId: 'request',
      },
    },
  };
}

export function newComment(changes: Partial<NewComment> = {}): NewComment {
  return {
    platformCommentId: unique('comment'),
    username: 'Someone',
    authorId: null,
    commentText: 'nice',
    commentedAt: T0,
    ...changes,
  };
}

export function newLiker(changes: Partial<NewLiker> = {}): NewLiker {
  return {
    igUserId: unique('ig'),
    username: 'Someone',
    fullName: null,
    isPrivate: false,
    isVerified: true,
    profilePicUrl: null,
    ...changes,
  };
}

/** After one page of two comments, by default. */
export function newSweep(challengeId: number, changes: Partial<SweepProgress> = {}): SweepProgress {
  return {
    challengeId,
    cursor: 'next',
    pendingReplies: [],
    pagesRead: 1,
    totalFetched: 2,
    status: 'running',
    historyComplete: false,
    expectedTotal: null,
    unreadReplies: 0,
    skipped: 0,
    unnumbered: 0,
    unnamed: 0,
    confirmed: false,
    refusedSince: null,
    lease: 1,
    leasedAt: T0,
    lastSwept: null,
    startedAt: T0,
    updatedAt: T0,
    ...changes,
  };
}

export function newLikersFetch(challengeId: number, changes: Partial<LikersFetch> = {}): Omit<LikersFetch, 'id'> {
  return {
    challengeId,
    status: 'queued',
    maxCount: 100,
    fetchedCount: 0,
    totalLikes: null,
    errorMessage: null,
    warning: null,
    requestedAt: T0,
    startedAt: null,
    finishedAt: null,
    ...changes,
  };
}

/** A fetch with its likers: they can be stored only before it is over. */
export async function storedLikersFetch(
  { likers: store }: Pick<Storage, 'likers'>,
  fetch: Omit<LikersFetch, 'id'>,
  likers: readonly NewLiker[],
): Promise<LikersFetch> {
  const { id } = await store.createFetch({ ...fetch, status: 'running' });
  await store.insertNew(id, likers);
  await store.updateFetch({ ...fetch, id });
  return { ...fetch, id };
}

export function newWebhook(
  brandId: number,
  changes: Partial<Parameters<WebhookStore['create']>[0]> = {},
): Parameters<WebhookStore['create']>[0] {
  return {
    brandId,
    url: 'https://example.com/hook',
    events: ['creator.verified', 'reward.issued'],
    active: true,
    description: null,
    sealedSecret: 'sealed',
    lastTriggeredAt: null,
    createdAt: T0,
    ...changes,
  };
}

/** Of an account of its own. */
export function newConnection(
  brandId: number,
  changes: Partial<BrandConnection> = {},
): Omit<BrandConnection, 'id' | 'revision'> {
  return {
    brandId,
    platform: 'instagram',
    accountId: unique('account'),
    handle: 'acme',
    scopes: ['comments'],
    status: 'active',
    sealedTokens: 'sealed',
    expiresAt: later(600),
    refreshExpiresAt: null,
    renewAt: later(300),
    renewedAt: T0,
    subscribedAt: null,
    connectedAt: T0,
    lastFailure: null,
    ...changes,
  };
}

export function newDelivery(target: DeliveryTarget, changes: Partial<Delivery> = {}): Omit<Delivery, 'id'> {
  return {
    messageId: unique('msg'),
    target,
    brandId: 1,
    attemptId: null,
    event: 'creator.verified',
    body: '{"event":"creator.verified"}',
    status: 'pending',
    tries: [],
    nextTryAt: T0,
    createdAt: T0,
    finishedAt: null,
    ...changes,
  };
}

export function newToken(changes: Partial<ApiToken> = {}): Omit<ApiToken, 'id'> {
  return {
    name: 'a token',
    role: 'client',
    externalId: null,
    brandId: null,
    quota: null,
    hash: unique('hash'),
    createdAt: T0,
    lastUsedAt: null,
    revokedAt: null,
    ...changes,
  };
}

export function newAuditAction(changes: Partial<AuditAction> = {}): AuditAction {
  return {
    at: T0,
    actor: 'token:1',
    role: 'admin',
    operation: 'endCampaign',
    target: 'campaign:1',
    before: null,
    requestId: unique('request'),
    ...changes,
  };
}

/** Calls `work` so many times at once; results in order. */
export function parallel<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)));
}

export function newDraw(commitment: string, given: Partial<Draw> = {}): Draw {
  const [seed, beacon, beaconValue] = ['00'.repeat(32), 'drand round 5000000', NASTY_TEXTS.join()];
  const lots = { participants: [1, 2, 3, 4], winners: [2, 4] };
  return { campaignId: 7, commitment, seed, beacon, beaconValue, ...lots, drawnAt: later(9), ...given };
}
