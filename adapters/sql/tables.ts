/**
 * Every table, but for notes of purges, which no copy takes along. `SCHEMA` makes them, with their indexes. A column that is added
 * may be null or has a default.
 */
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
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { Subscription } from '../../core/engagement/webhooks/subscriber.ts';
import type { Delivery, Webhook } from '../../core/engagement/webhooks/webhook.ts';
import type { KeptDraw } from '../../core/ports/draw-store.ts';
import type { JobRecord } from '../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../core/ports/job-store.ts';
import type { OfficialPost } from '../../core/ports/official-api.ts';
import type { OutboxOwner } from '../../core/ports/outbox-store.ts';
import type { Place } from '../../core/ports/place-store.ts';
import type { UsageCounts } from '../../core/ports/usage-store.ts';
import type { LeasedDelivery } from '../../core/ports/webhook-store.ts';
import { Table } from './table.ts';

const ZERO = 'INTEGER NOT NULL DEFAULT 0';

/** A job as it is stored. `dueAt` is the end of its lease while it runs. */
interface Job extends Omit<ClaimedJob, 'leaseUntil'>, Omit<JobRecord, 'runs'> {
  readonly status: 'queued' | 'running' | 'dead';
  readonly runAt: Date;
}

export const CREATORS = new Table<Creator>(
  'creators',
  'id:integer external_id email display_name|null avatar_url|null created_at:date',
  { declared: { external_id: 'TEXT NOT NULL UNIQUE' } },
);
export const ACCOUNTS = new Table<SocialAccount>(
  'social_accounts',
  `id:integer creator_id:integer platform handle=platformUsername profile_data:data ownership_proven:flag
    platform_account_id|null remembered_account_id|null scoped_account_id? connected_at:date disconnected_at:date|null`,
  { declared: { creator_id: 'INTEGER NOT NULL REFERENCES creators (id)' }, unique: 'creator_id, platform, handle' },
);
export const CONNECTION_REQUESTS = new Table<ConnectionRequest>(
  'connection_requests',
  `id external_id platform handle|null code status checks:integer max_checks:integer account_id:integer|null
    return_url? created_at:date expires_at:date revision:integer`,
);
export const BRANDS = new Table<Brand>('brands', 'id:serial name slug logo_url|null created_at:date', {
  declared: { slug: 'TEXT NOT NULL UNIQUE' },
});
export const CAMPAIGNS = new Table<Campaign, { readonly pointsFixed: boolean }>(
  'campaigns',
  `id:serial brand_id:integer title description|null image_url|null points_reward:integer -points_fixed:flag
    is_active:flag starts_at:date|null ends_at:date|null created_at:date limits?:json terms?:json`,
  { declared: { points_fixed: ZERO } },
);
export const DRAWS = new Table<KeptDraw>('draws', 'commitment sealed_seed state draw?:json');
export const CHALLENGES = new Table<Challenge>(
  'challenges',
  `id:serial campaign_id:integer platform content_type content_id canonical_url instruction_text action
    count_hidden?:flag rules?:json published_by?:json requires?:json`,
  { declared: { campaign_id: 'INTEGER NOT NULL UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE' } },
);
export const ATTEMPTS = new Table<Attempt>(
  'attempts',
  `id:integer user_id:integer challenge_id:integer state retry_count:integer max_retries:integer
    last_verification_at:date|null verification_deadline:date|null state_history:json recheck:json|null metadata:data
    matched_comment:json|null points_awarded:integer verified_at:date|null rewarded_at:date|null created_at:date
    updated_at:date revision:integer held?:json check_at?:date entries?:json review?:json signals?:json
    unmet_rules?:json removed_at?:date`,
  { declared: { challenge_id: 'INTEGER NOT NULL REFERENCES challenges (id)' }, unique: 'challenge_id, user_id' },
);
export const PLACES = new Table<Place>('places', 'key holder:integer revision:integer amount:integer', {
  key: 2,
  withoutRowid: true,
});
export const PLACE_TOTALS = new Table<{ readonly key: string; readonly used: number }>(
  'place_totals',
  'key used:integer',
  { declared: { key: 'TEXT NOT NULL PRIMARY KEY' }, withoutRowid: true },
);
export const OUTBOX = new Table<{
  readonly owner: OutboxOwner;
  readonly entryId: string;
  readonly entry: OutboxEntry;
}>('outbox', '-seq:serial owner entry_id entry:json', { unique: 'owner, entry_id' });
export const COMMENTS = new Table<StoredComment, { readonly author: string; readonly textKey: string | null }>(
  'comments',
  `id:integer challenge_id:integer platform_comment_id username -author author_id|null comment_text commented_at:date
    created_at:date -met_at:date|null scoped_author_id? withheld? visibility_at?:date is_reply?:flag -text_key|null`,
  { unique: 'challenge_id, platform_comment_id' },
);
export const SWEEPS = new Table<SweepProgress>(
  'sweeps',
  `challenge_id:integer cursor|null pending_replies:json pages_read:integer total_fetched:integer status
    history_complete:flag expected_total:integer|null unread_replies:integer skipped:integer unnumbered:integer|null
    unnamed:integer confirmed:flag refused_since:date|null lease:integer leased_at:date last_swept:json|null
    is_whole?:flag started_at:date updated_at:date`,
  { declared: { unread_replies: ZERO, skipped: ZERO, unnamed: ZERO, confirmed: ZERO, lease: ZERO, leased_at: ZERO } },
);
export const METRICS = new Table<MetricsSnapshot>(
  'metrics',
  `-seq:integer challenge_id:integer like_count:integer|null comment_count:integer|null share_count:integer|null
    view_count:integer|null thumbnail_url|null fetched_at:date`,
);
export const LIKERS_FETCHES = new Table<LikersFetch>(
  'likers_fetches',
  `id:serial challenge_id:integer status max_count:integer fetched_count:integer total_likes:integer|null
    error_message|null warning|null requested_at:date started_at:date|null finished_at:date|null`,
);
export const LIKERS = new Table<StoredLiker, { readonly handle: string }>(
  'likers',
  `id:integer fetch_id:integer ig_user_id username -handle full_name|null is_private:flag is_verified:flag
    profile_pic_url|null`,
  { unique: 'fetch_id, ig_user_id' },
);
export const WEBHOOKS = new Table<Webhook>(
  'webhooks',
  `id:serial brand_id:integer url events:json active:flag description|null sealed_secret previous_secret:json|null
    activations:integer last_triggered_at:date|null last_failure:json|null created_at:date`,
  { declared: { activations: ZERO } },
);
export const DELIVERIES = new Table<Delivery, Pick<LeasedDelivery, 'lease' | 'replayedAt'>>(
  'deliveries',
  `id:serial message_id target:target brand_id:integer|null attempt_id:integer|null event body status tries:json
    next_try_at:date|null created_at:date finished_at:date|null -lease:integer -replayed_at?:date`,
  { declared: { lease: ZERO }, unique: 'message_id, target' },
);
export const SUBSCRIPTIONS = new Table<Subscription>('subscriptions', 'subscriber event brand_id?:integer', {
  key: 2,
  withoutRowid: true,
});
export const JOBS = new Table<Job>(
  'jobs',
  `id:serial type key payload:data status run_at:date due_at:date run:integer lease:integer error|null created_at:date
    finished_at:date|null`,
);
export const CANARIES = new Table<CanaryRecord>(
  'canaries',
  `target platform verdict since:date fields:json missing:json failure:json|null read_at:date last_ok_at:date|null
    duration_ms:integer revision:integer`,
  { withoutRowid: true },
);
export const BRAND_CONNECTIONS = new Table<BrandConnection>(
  'brand_connections',
  `id:serial brand_id:integer platform account_id handle scopes:json status sealed_tokens expires_at:date|null
    refresh_expires_at:date|null renew_at:date|null renewed_at:date subscribed_at:date|null connected_at:date
    last_failure:json|null revision:integer`,
  { unique: 'platform, account_id' },
);
export const OFFICIAL_POSTS = new Table<OfficialPost, { readonly platform: string }>(
  'official_posts',
  '-platform content_id api_id account_id',
  { key: 2, withoutRowid: true },
);
export const TOKENS = new Table<ApiToken>(
  'tokens',
  `id:integer name role external_id|null brand_id:integer|null quota:json|null hash created_at:date
    last_used_at:date|null revoked_at:date|null`,
  { declared: { hash: 'TEXT NOT NULL UNIQUE' } },
);
export const AUDIT_LOG = new Table<AuditEntry>(
  'audit_log',
  `id:serial at:date actor role operation target|null outcome error|null state_before=before:data|null
    state_after=after:data|null request_id`,
);
export const USAGE = new Table<{
  readonly callerKey: string;
  readonly period: string;
  readonly counts: UsageCounts;
}>('usage', 'caller_key period counts:json', { key: 2, withoutRowid: true });
export const ONCE_KEYS = new Table<object>('once_keys', 'key expires_at:date holder|null', { withoutRowid: true });
export const IDEMPOTENCY_KEYS = new Table<object>(
  'idempotency_keys',
  'key fingerprint lease lease_until:date expires_at:date answer|null',
  { declared: { key: 'TEXT NOT NULL PRIMARY KEY' } },
);
