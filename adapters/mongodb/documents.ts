/**
 * What is in which collection. Objects whose keys callers choose (`metadata`, `profileData`, payloads of jobs) are JSON
 * text. Their keys may hold dots, dollars, NULs or `__proto__`, which documents cannot or should not hold.
 */
import type { Db } from 'mongodb';
import type { AuditEntry } from '../../core/access/audit.ts';
import type { ApiToken } from '../../core/access/token.ts';
import type { CanaryRecord } from '../../core/canaries/canary.ts';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import type { BrandConnection } from '../../core/engagement/brand-connections/brand-connection.ts';
import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { Campaign, Challenge } from '../../core/engagement/campaigns/campaign.ts';
import type {
  LikersFetch,
  MetricsSnapshot,
  StoredComment,
  StoredLiker,
  SweepProgress,
} from '../../core/engagement/challenge-data/comment.ts';
import type { ConnectionRequest } from '../../core/engagement/connections/connection.ts';
import type { Creator, SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { EventEntry, OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { Subscription } from '../../core/engagement/webhooks/subscriber.ts';
import type { Delivery, Webhook } from '../../core/engagement/webhooks/webhook.ts';
import type { KeptDraw } from '../../core/ports/draw-store.ts';
import type { JobRecord } from '../../core/ports/job-queue.ts';
import type { OfficialPost } from '../../core/ports/official-api.ts';
import type { UsageCounts } from '../../core/ports/usage-store.ts';

/** What is used of a database of the driver. */
export type Place = Pick<Db, 'collection' | 'command'>;

/** Items of the domain, and their documents: `Field` is the `_id`; `Own` is what the documents have besides, or as text. */
interface Kind<Item, Own extends object = object, Field extends string = 'id'> {
  readonly item: Item;
  readonly document: Omit<Item, Field | keyof Own> & { _id: Field extends keyof Item ? Item[Field] : number } & Own;
}

/** Documents that are no items. */
interface Raw<Document extends { _id: string | number }> {
  readonly item: Document;
  readonly document: Document;
}

/** What is committed with the rest of a document, in that very document. */
interface Outbox<Entry> {
  outbox: Entry[];
  /** Since when the outbox holds something; absent while it is empty. */
  outboxAt?: Date;
}

interface OwnOfAccount extends Outbox<EventEntry> {
  profileData: string;
  /** The link whose proof moves to this one, while it does; see `link-accounts.ts`. */
  follows?: { readonly link: number; readonly since: Date };
}

interface OwnOfCampaign {
  challenge: Omit<Challenge, 'campaignId'>;
  /** Guards the deletion of a campaign against the creation of attempts; see `attempt-gate.ts`. */
  gate?: { nonce: string; at: Date; settled: boolean };
  /** See `CampaignStore.fixPoints`. */
  pointsFixed: boolean;
}

interface OwnOfComment {
  /** The author's normalised handle. */
  author: string;
  /** When a sweep last met it again, after the one that stored it. */
  metAt?: Date | null;
  /** `textKeyOf` its text. */
  textKey?: string;
}

interface OwnOfLiker {
  handle: string;
  /** Another call than the one that inserted it found it as well. */
  shared?: true;
}

interface OwnOfDelivery {
  /** Counts claims; the fence. */
  lease: number;
  /** The claim that it was part of last. */
  claim?: string;
  replayedAt?: Date;
}

interface OwnOfJob {
  /** Unique: `live:<key>` while queued or running, `dead:<id>` after. */
  slot: string;
  payload: string;
  status: 'queued' | 'running' | 'dead';
  runAt: Date;
  /** Counts claims; the fence. */
  lease: number;
  /** Names the last claim, which may be one of many jobs. */
  claim?: string;
}

/** Under its key, how much is taken and by whom. */
interface PlacesDocument {
  _id: string;
  used: number;
  holders: { readonly id: number; readonly revision: number; readonly amount: number }[];
}

interface IdempotencyDocument {
  _id: string;
  fingerprint: string;
  lease: string;
  leaseUntil: Date;
  expiresAt: Date;
  /** Null while the first request runs. */
  answer: string | null;
}

export type PurgeKind = 'challenge' | 'webhook';

interface PurgeDocument {
  _id: string;
  kind: PurgeKind;
  target: number;
  at: Date;
}

interface Kinds {
  creators: Kind<Creator>;
  socialAccounts: Kind<SocialAccount, OwnOfAccount>;
  /** With a deletion that is under way; see `delete-brand.ts`. */
  brands: Kind<Brand, { deletion?: { nonce: string; at: Date } }>;
  campaigns: Kind<Campaign, OwnOfCampaign>;
  draws: Kind<KeptDraw, object, 'commitment'>;
  /** With the call that moved it last. */
  attempts: Kind<Attempt, Outbox<OutboxEntry> & { metadata: string; claim?: string }>;
  comments: Kind<StoredComment, OwnOfComment>;
  sweeps: Kind<SweepProgress, object, 'challengeId'>;
  metrics: Kind<MetricsSnapshot>;
  likersFetches: Kind<LikersFetch>;
  likers: Kind<StoredLiker, OwnOfLiker>;
  webhooks: Kind<Webhook>;
  deliveries: Kind<Delivery, OwnOfDelivery>;
  /** `<subscriber>:<event>`. */
  subscriptions: Raw<Subscription & { _id: string }>;
  /** `dueAt` is the end of the lease while a job runs. */
  jobs: Kind<Omit<JobRecord, 'runs'> & { readonly run: number }, OwnOfJob>;
  /** With revocations by this token that are under way: until then it cannot be revoked itself. */
  tokens: Kind<ApiToken, { revoking?: { readonly id: string; readonly until: Date }[] }>;
  usage: Raw<{ _id: string; callerKey: string; period: string; counts: UsageCounts }>;
  connectionRequests: Kind<ConnectionRequest>;
  onceKeys: Raw<{ _id: string; expiresAt: Date; holder?: string | null }>;
  idempotencyKeys: Raw<IdempotencyDocument>;
  auditLog: Kind<AuditEntry, { before: string | null; after: string | null; claim?: string }>;
  canaries: Kind<CanaryRecord, Outbox<EventEntry>, 'target'>;
  brandConnections: Kind<BrandConnection, Outbox<EventEntry>>;
  /** `<platform>:<contentId>`. */
  officialPosts: Raw<OfficialPost & { _id: string; platform: string }>;
  places: Raw<PlacesDocument>;
  purges: Raw<PurgeDocument>;
  counters: Raw<{ _id: string; value: number }>;
}

export type CollectionName = keyof Kinds;
export type DocumentOf<Name extends CollectionName> = Kinds[Name]['document'];
export type ItemOf<Name extends CollectionName> = Kinds[Name]['item'];

/** How a document becomes an item. */
export interface Shape {
  /** The field of the item that is the `_id`, `id` by default; null if it is not shown. */
  readonly id?: string | null;
  /** Objects that are text of JSON. */
  readonly json?: readonly string[];
  /** What items do not show. */
  readonly hidden?: readonly string[];
  /** What items do not have while it is null. */
  readonly optional?: readonly string[];
}

const RAW: Shape = { id: '_id' };

export const SHAPES: Readonly<Record<CollectionName, Shape>> = {
  creators: {},
  socialAccounts: { json: ['profileData'], hidden: ['outbox', 'outboxAt', 'follows'] },
  brands: { hidden: ['deletion'] },
  campaigns: { hidden: ['challenge', 'gate', 'pointsFixed'] },
  draws: { id: 'commitment' },
  attempts: {
    json: ['metadata'],
    hidden: ['outbox', 'outboxAt', 'claim'],
    optional: ['held', 'checkAt', 'entries', 'review', 'signals', 'unmetRules', 'removedAt'],
  },
  comments: { hidden: ['author', 'metAt', 'textKey'] },
  sweeps: { id: 'challengeId' },
  metrics: { id: null },
  likersFetches: {},
  likers: { hidden: ['handle', 'shared'] },
  webhooks: {},
  deliveries: { hidden: ['lease', 'claim', 'replayedAt'] },
  subscriptions: { id: null },
  jobs: { json: ['payload'], hidden: ['slot', 'status', 'runAt', 'lease', 'claim'] },
  tokens: { hidden: ['revoking'] },
  usage: { id: null },
  connectionRequests: {},
  onceKeys: RAW,
  idempotencyKeys: RAW,
  auditLog: { json: ['before', 'after'], hidden: ['claim'] },
  canaries: { id: 'target', hidden: ['outbox', 'outboxAt'] },
  brandConnections: { hidden: ['outbox', 'outboxAt'] },
  officialPosts: RAW,
  places: RAW,
  purges: RAW,
  counters: RAW,
};
