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

/** Fields in their order, with a minus sign those that descend; `only` says which documents are in it. */
function index(name: string, fields: string, only?: IndexSpec['partialFilterExpression']): IndexSpec {
  const key = fields.split(' ').map((field) => [field.replace('-', ''), field.startsWith('-') ? -1 : 1] as const);
  return { name, key: Object.fromEntries(key), ...(only && { partialFilterExpression: only }) };
}

const unique = (...specified: Parameters<typeof index>): IndexSpec => ({ ...index(...specified), unique: true });

const OUTBOX_BY_TIME = index('outbox_by_time', 'outboxAt _id', { outboxAt: { $exists: true } });

export const INDEXES: Readonly<Partial<Record<CollectionName, readonly IndexSpec[]>>> = {
  creators: [unique('one_per_external_id', 'externalId'), index('by_name', 'displayName'), index('by_email', 'email')],
  socialAccounts: [
    unique('one_per_triple', 'creatorId platform platformUsername'),
    index('by_handle', 'platformUsername platform'),
    index('active_by_platform', 'platform disconnectedAt creatorId _id'),
    index('following', 'follows.since', { 'follows.since': { $exists: true } }),
    unique('one_owner_per_account', 'platform platformAccountId', { platformAccountId: ANY_TEXT }),
    index('by_scoped_id', 'scopedAccountId platform', { scopedAccountId: ANY_TEXT }),
    index('active_by_creator', 'disconnectedAt creatorId _id'),
    OUTBOX_BY_TIME,
  ],
  brands: [unique('one_per_slug', 'slug')],
  campaigns: [
    unique('one_per_challenge', 'challenge.id'),
    index('by_end', 'endsAt'),
    index('by_title', 'title _id'),
    index('by_brand', 'brandId -_id'),
    index('by_activity', 'isActive _id'),
    index('by_post', 'challenge.contentId -_id'),
  ],
  attempts: [
    unique('one_per_creator', 'challengeId userId'),
    index('by_challenge', 'challengeId _id'),
    index('by_change', 'challengeId updatedAt _id'),
    index('by_state', 'challengeId state _id'),
    index('by_creator', 'userId -_id'),
    index('by_creation', 'createdAt challengeId'),
    index('by_verification', 'verifiedAt challengeId', { verifiedAt: ANY_DATE }),
    index('by_reward', 'rewardedAt challengeId pointsAwarded', { rewardedAt: ANY_DATE }),
    index('deadlines', 'state verificationDeadline', { verificationDeadline: ANY_DATE }),
    index('deadlines_by_challenge', 'challengeId state verificationDeadline', { verificationDeadline: ANY_DATE }),
    // Without those that are over, which grow in number forever.
    index('unheld_jobs_awaited', 'held state updatedAt _id', { state: { $gte: FIRST_AWAITING_JOB } }),
    index('to_check', 'checkAt _id', { checkAt: ANY_DATE }),
    index('in_line', 'held.why challengeId verifiedAt _id', { 'held.why': { $eq: 'limit' } }),
    index('rechecks_by_time', 'recheck.at _id', { 'recheck.at': { $exists: true } }),
    OUTBOX_BY_TIME,
  ],
  comments: [
    unique('one_per_platform_id', 'challengeId platformCommentId'),
    index('by_time', 'challengeId -commentedAt -_id'),
    index('by_author', 'challengeId author commentedAt _id'),
    index('by_author_number', 'challengeId authorId commentedAt _id', { authorId: ANY_TEXT }),
    index('by_scoped_id', 'challengeId scopedAuthorId commentedAt _id', { scopedAuthorId: ANY_TEXT }),
    index('by_text', 'challengeId textKey commentedAt _id', { textKey: ANY_TEXT }),
    index('withheld', 'challengeId visibilityAt _id', { withheld: ANY_TEXT }),
  ],
  metrics: [index('by_time', 'challengeId -fetchedAt -_id')],
  likersFetches: [index('by_time', 'challengeId -requestedAt -_id'), index('unfinished', 'status requestedAt _id')],
  likers: [
    unique('one_per_account', 'fetchId igUserId'),
    index('by_fetch', 'fetchId _id'),
    index('by_handle', 'fetchId handle'),
  ],
  webhooks: [
    index('by_brand', 'brandId _id'),
    index('by_event', 'active events _id'),
    index('by_event_of_brand', 'brandId active events _id'),
  ],
  deliveries: [
    unique('one_per_message', 'messageId target'),
    index('by_target', 'target -_id'),
    index('by_event', 'target event _id'),
    index('by_creation', 'target createdAt status'),
    index('by_attempt', 'attemptId -_id'),
    index('failed_by_target', 'status target finishedAt _id event', { status: { $eq: 'failed' } }),
    index('due_by_target', 'status target nextTryAt _id event', { status: { $eq: 'pending' } }),
  ],
  jobs: [
    unique('one_live_per_key', 'slot'),
    index('due_by_type', 'type dueAt _id', { status: LIVE }),
    index('by_status', 'status dueAt'),
  ],
  tokens: [unique('one_per_hash', 'hash'), index('by_role', 'role revokedAt')],
  usage: [unique('one_per_period', 'callerKey period'), index('by_period', 'period')],
  connectionRequests: [
    index('by_expiry', 'expiresAt'),
    index('by_status_and_expiry', 'status expiresAt'),
    index('open_by_expiry', 'externalId status expiresAt'),
  ],
  onceKeys: [index('by_expiry', 'expiresAt')],
  idempotencyKeys: [index('by_expiry', 'expiresAt')],
  auditLog: [
    index('by_time', '-at -_id'),
    index('by_actor', 'actor -at -_id'),
    index('by_operation', 'operation -at -_id'),
    index('by_target', 'target -at -_id'),
    index('by_request', 'requestId -at -_id'),
  ],
  canaries: [OUTBOX_BY_TIME],
  brandConnections: [
    unique('one_per_account', 'platform accountId'),
    index('by_brand', 'brandId _id'),
    index('due', 'renewAt _id', { renewAt: ANY_DATE }),
    OUTBOX_BY_TIME,
  ],
  draws: [index('unreleased', '_id state', { state: { $eq: 'drawn' } })],
  officialPosts: [unique('by_content_id', 'platform contentId'), index('by_api_id', 'platform apiId')],
  purges: [index('by_target', 'target')],
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
