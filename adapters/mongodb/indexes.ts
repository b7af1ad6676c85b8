/** The indexes, made and checked at boot: the unique ones carry the promises of the port, so a wrong one is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptState } from '../../core/engagement/attempts/states.ts';
import { DomainError } from '../../core/errors.ts';
import type { CollectionName, Place } from './documents.ts';

interface IndexSpec {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique?: true;
  /** Only these documents are in the index. */
  readonly partialFilterExpression?: Readonly<Record<string, PartialFilter>>;
}

type PartialFilter = { readonly $exists: true } | { readonly $eq: string } | { readonly $gte: string | Date };

/** Not null. A query for a text can use an index with this filter, unlike one over a type. */
const ANY_TEXT = { $gte: '' } as const;
/** As `ANY_TEXT`, for times. A query has to repeat it beside an upper bound. */
export const ANY_DATE = { $gte: new Date(0) } as const;

/** The status of jobs that are `queued` or `running`, but not `dead`, as a range: before MongoDB 6, an index cannot be over a list. */
export const LIVE = { $gte: 'queued' } as const;

/** The states that await a job are those from here on in alphabetical order. Before MongoDB 6, an index cannot be over a list of states. */
export const FIRST_AWAITING_JOB = 'verification_pending' satisfies AttemptState;

export const INDEXES: Readonly<Partial<Record<CollectionName, readonly IndexSpec[]>>> = {
  creators: [
    { name: 'one_per_external_id', key: { externalId: 1 }, unique: true },
    { name: 'by_name', key: { displayName: 1 } },
    { name: 'by_email', key: { email: 1 } },
  ],
  socialAccounts: [
    { name: 'one_per_triple', key: { creatorId: 1, platform: 1, platformUsername: 1 }, unique: true },
    { name: 'by_handle', key: { platformUsername: 1, platform: 1 } },
    { name: 'active_by_platform', key: { platform: 1, disconnectedAt: 1, creatorId: 1, _id: 1 } },
    {
      name: 'following',
      key: { 'follows.since': 1 },
      partialFilterExpression: { 'follows.since': { $exists: true } },
    },
    {
      name: 'one_owner_per_account',
      key: { platform: 1, platformAccountId: 1 },
      unique: true,
      partialFilterExpression: { platformAccountId: ANY_TEXT },
    },
    {
      name: 'by_scoped_id',
      key: { scopedAccountId: 1, platform: 1 },
      partialFilterExpression: { scopedAccountId: ANY_TEXT },
    },
    { name: 'active_by_creator', key: { disconnectedAt: 1, creatorId: 1, _id: 1 } },
    { name: 'outbox_by_time', key: { outboxAt: 1, _id: 1 }, partialFilterExpression: { outboxAt: { $exists: true } } },
  ],
  brands: [{ name: 'one_per_slug', key: { slug: 1 }, unique: true }],
  campaigns: [
    { name: 'one_per_challenge', key: { 'challenge.id': 1 }, unique: true },
    { name: 'by_end', key: { endsAt: 1 } },
    { name: 'by_title', key: { title: 1, _id: 1 } },
    { name: 'by_brand', key: { brandId: 1, _id: -1 } },
    { name: 'by_activity', key: { isActive: 1, _id: 1 } },
    { name: 'by_post', key: { 'challenge.contentId': 1, _id: -1 } },
  ],
  attempts: [
    { name: 'one_per_creator', key: { challengeId: 1, userId: 1 }, unique: true },
    { name: 'by_challenge', key: { challengeId: 1, _id: 1 } },
    { name: 'by_change', key: { challengeId: 1, updatedAt: 1, _id: 1 } },
    { name: 'by_state', key: { challengeId: 1, state: 1, _id: 1 } },
    { name: 'by_creator', key: { userId: 1, _id: -1 } },
    { name: 'by_creation', key: { createdAt: 1, challengeId: 1 } },
    {
      name: 'by_verification',
      key: { verifiedAt: 1, challengeId: 1 },
      partialFilterExpression: { verifiedAt: ANY_DATE },
    },
    {
      name: 'by_reward',
      key: { rewardedAt: 1, challengeId: 1, pointsAwarded: 1 },
      partialFilterExpression: { rewardedAt: ANY_DATE },
    },
    {
      name: 'deadlines',
      key: { state: 1, verificationDeadline: 1 },
      partialFilterExpression: { verificationDeadline: ANY_DATE },
    },
    {
      name: 'deadlines_by_challenge',
      key: { challengeId: 1, state: 1, verificationDeadline: 1 },
      partialFilterExpression: { verificationDeadline: ANY_DATE },
    },
    // Without those that are over, which grow in number forever.
    {
      name: 'jobs_awaited',
      key: { state: 1, updatedAt: 1, _id: 1 },
      partialFilterExpression: { state: { $gte: FIRST_AWAITING_JOB } },
    },
    {
      name: 'rechecks_by_time',
      key: { 'recheck.at': 1, _id: 1 },
      partialFilterExpression: { 'recheck.at': { $exists: true } },
    },
    { name: 'outbox_by_time', key: { outboxAt: 1, _id: 1 }, partialFilterExpression: { outboxAt: { $exists: true } } },
  ],
  comments: [
    { name: 'one_per_platform_id', key: { challengeId: 1, platformCommentId: 1 }, unique: true },
    { name: 'by_time', key: { challengeId: 1, commentedAt: -1, _id: -1 } },
    { name: 'by_author', key: { challengeId: 1, author: 1, commentedAt: 1, _id: 1 } },
    {
      name: 'by_author_number',
      key: { challengeId: 1, authorId: 1, commentedAt: 1, _id: 1 },
      partialFilterExpression: { authorId: ANY_TEXT },
    },
    {
      name: 'by_scoped_id',
      key: { challengeId: 1, scopedAuthorId: 1, commentedAt: 1, _id: 1 },
      partialFilterExpression: { scopedAuthorId: ANY_TEXT },
    },
    {
      name: 'withheld',
      key: { challengeId: 1, visibilityAt: 1, _id: 1 },
      partialFilterExpression: { withheld: ANY_TEXT },
    },
  ],
  metrics: [{ name: 'by_time', key: { challengeId: 1, fetchedAt: -1, _id: -1 } }],
  likersFetches: [
    { name: 'by_time', key: { challengeId: 1, requestedAt: -1, _id: -1 } },
    { name: 'unfinished', key: { status: 1, requestedAt: 1, _id: 1 } },
  ],
  likers: [
    { name: 'one_per_account', key: { fetchId: 1, igUserId: 1 }, unique: true },
    { name: 'by_fetch', key: { fetchId: 1, _id: 1 } },
    { name: 'by_handle', key: { fetchId: 1, handle: 1 } },
  ],
  webhooks: [
    { name: 'by_brand', key: { brandId: 1, _id: 1 } },
    { name: 'by_event', key: { active: 1, events: 1, _id: 1 } },
    { name: 'by_event_of_brand', key: { brandId: 1, active: 1, events: 1, _id: 1 } },
  ],
  deliveries: [
    { name: 'one_per_message', key: { messageId: 1, target: 1 }, unique: true },
    { name: 'by_target', key: { target: 1, _id: -1 } },
    { name: 'by_event', key: { target: 1, event: 1, _id: 1 } },
    { name: 'by_creation', key: { target: 1, createdAt: 1, status: 1 } },
    { name: 'by_attempt', key: { attemptId: 1, _id: -1 } },
    {
      name: 'failed_by_target',
      key: { status: 1, target: 1, finishedAt: 1, _id: 1, event: 1 },
      partialFilterExpression: { status: { $eq: 'failed' } },
    },
    {
      name: 'due_by_target',
      key: { status: 1, target: 1, nextTryAt: 1, _id: 1, event: 1 },
      partialFilterExpression: { status: { $eq: 'pending' } },
    },
  ],
  jobs: [
    { name: 'one_live_per_key', key: { slot: 1 }, unique: true },
    { name: 'due_by_type', key: { type: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { status: LIVE } },
    { name: 'by_status', key: { status: 1, dueAt: 1 } },
  ],
  tokens: [
    { name: 'one_per_hash', key: { hash: 1 }, unique: true },
    { name: 'by_role', key: { role: 1, revokedAt: 1 } },
  ],
  usage: [
    { name: 'one_per_period', key: { callerKey: 1, period: 1 }, unique: true },
    { name: 'by_period', key: { period: 1 } },
  ],
  connectionRequests: [
    { name: 'by_expiry', key: { expiresAt: 1 } },
    { name: 'by_status_and_expiry', key: { status: 1, expiresAt: 1 } },
    { name: 'open_by_expiry', key: { externalId: 1, status: 1, expiresAt: 1 } },
  ],
  onceKeys: [{ name: 'by_expiry', key: { expiresAt: 1 } }],
  idempotencyKeys: [{ name: 'by_expiry', key: { expiresAt: 1 } }],
  auditLog: [
    { name: 'by_time', key: { at: -1, _id: -1 } },
    { name: 'by_actor', key: { actor: 1, at: -1, _id: -1 } },
    { name: 'by_operation', key: { operation: 1, at: -1, _id: -1 } },
    { name: 'by_target', key: { target: 1, at: -1, _id: -1 } },
    { name: 'by_request', key: { requestId: 1, at: -1, _id: -1 } },
  ],
  canaries: [
    { name: 'outbox_by_time', key: { outboxAt: 1, _id: 1 }, partialFilterExpression: { outboxAt: { $exists: true } } },
  ],
  brandConnections: [
    { name: 'one_per_account', key: { platform: 1, accountId: 1 }, unique: true },
    { name: 'by_brand', key: { brandId: 1, _id: 1 } },
    { name: 'due', key: { renewAt: 1, _id: 1 }, partialFilterExpression: { renewAt: ANY_DATE } },
    { name: 'outbox_by_time', key: { outboxAt: 1, _id: 1 }, partialFilterExpression: { outboxAt: { $exists: true } } },
  ],
  officialPosts: [
    { name: 'by_content_id', key: { platform: 1, contentId: 1 }, unique: true },
    { name: 'by_api_id', key: { platform: 1, apiId: 1 } },
  ],
  purges: [{ name: 'by_target', key: { target: 1 } }],
};

/** Processes that start together may meet while they build; a wrong index stays wrong. */
const TRIES = 3;
const PAUSE_MS = 200;

/**
 * Makes what is missing, and checks what is there.
 *
 * @throws DomainError `SERVICE_UNAVAILABLE` naming the first index that is missing or different.
 */
export async function ensureIndexes(db: Place): Promise<void> {
  // Mostly nothing is left to do. What is left is done in turn: some engines trip over index builds side by side.
  const left = new Set((await missingIndexes(db)).map(({ name }) => name));
  for (const name of left) await ensureOn(db, name, INDEXES[name] ?? []);
}

/** Indexes that are not there, or are others. */
export async function missingIndexes(
  db: Place,
): Promise<readonly { readonly name: CollectionName; readonly spec: IndexSpec }[]> {
  const wanted = Object.entries(INDEXES).map(([name, specs]) => ({ name: name as CollectionName, specs }));
  const listed = await Promise.all(wanted.map(({ name }) => indexesOn(db, name)));
  return wanted.flatMap(({ name, specs }, nth) =>
    specs.filter((spec) => firstWrong(listed[nth] ?? [], [spec]) !== undefined).map((spec) => ({ name, spec })),
  );
}

/** As the shell of MongoDB takes it. */
export function shellCommand(
  db: Place,
  { name, spec: { key, ...options } }: { name: CollectionName; spec: IndexSpec },
) {
  const { collectionName } = db.collection(name);
  return `db.getCollection('${collectionName}').createIndex(${JSON.stringify(key)}, ${JSON.stringify(options)})`;
}

async function ensureOn(db: Place, name: CollectionName, specs: readonly IndexSpec[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let cause: unknown;
    await db
      .collection(name)
      .createIndexes(specs.map((spec) => ({ ...spec, key: { ...spec.key } })))
      .catch((error: unknown) => {
        cause = error;
      });
    const wrong = firstWrong(await indexesOn(db, name), specs);
    if (wrong === undefined) return;
    if (attempt === TRIES) throw refusal(db.collection(name).collectionName, wrong, cause);
    await sleep(PAUSE_MS);
  }
}

async function indexesOn(db: Place, name: CollectionName): Promise<readonly { readonly name?: unknown }[]> {
  // A collection that does not exist has no indexes: servers answer with an error there.
  return db
    .collection(name)
    .listIndexes()
    .toArray()
    .catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 26) return [];
      throw error;
    });
}

function firstWrong(found: readonly { readonly name?: unknown }[], specs: readonly IndexSpec[]): IndexSpec | undefined {
  return specs.find((spec) => {
    const index = found.find(({ name }) => name === spec.name);
    return !isAsSpecified(index, spec);
  });
}

function isAsSpecified(index: unknown, spec: IndexSpec): boolean {
  if (typeof index !== 'object' || index === null) return false;
  const { key, unique, partialFilterExpression } = index as Readonly<Record<string, unknown>>;
  return (
    JSON.stringify(key) === JSON.stringify(spec.key) &&
    (unique === true) === (spec.unique === true) &&
    JSON.stringify(partialFilterExpression) === JSON.stringify(spec.partialFilterExpression)
  );
}

function refusal(name: string, spec: IndexSpec, cause: unknown): DomainError {
  const kind = spec.unique === true ? 'unique index' : 'index';
  return new DomainError(
    'SERVICE_UNAVAILABLE',
    `The ${kind} "${spec.name}" on the collection "${name}" is missing or different and cannot be made: it has to be ` +
      `${JSON.stringify(spec.key)}. If the collection is another application's, set another \`collectionPrefix\`. If it is ` +
      'of Credence, make that index, then start again.',
    { cause, details: { collection: name, index: spec.name } },
  );
}
