/** Every table of which rows are read as objects of the domain. */
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
import type { OfficialPost } from '../../core/ports/official-api.ts';
import type { OutboxOwner } from '../../core/ports/outbox-store.ts';
import type { Place } from '../../core/ports/place-store.ts';
import type { UsageCounts } from '../../core/ports/usage-store.ts';
import { Table } from './table.ts';

export const CREATORS = new Table<Creator>('creators', 'id external_id email display_name avatar_url created_at:date');
export const ACCOUNTS = new Table<SocialAccount>(
  'social_accounts',
  `id creator_id platform handle=platformUsername profile_data:data ownership_proven:flag platform_account_id
    remembered_account_id connected_at:date disconnected_at:date scoped_account_id:optional`,
);
export const CONNECTION_REQUESTS = new Table<ConnectionRequest>(
  'connection_requests',
  `id external_id platform handle code status checks max_checks account_id return_url:optional created_at:date
    expires_at:date revision`,
);
export const BRANDS = new Table<Brand>('brands', 'id name slug logo_url created_at:date');
export const CAMPAIGNS = new Table<Campaign, { readonly pointsFixed: boolean }>(
  'campaigns',
  `id brand_id title description image_url points_reward -points_fixed:flag is_active:flag starts_at:date ends_at:date created_at:date
    limits:optionalJson terms:optionalJson`,
);
export const DRAWS = new Table<KeptDraw>('draws', 'commitment sealed_seed state draw:optionalJson');
export const CHALLENGES = new Table<Challenge>(
  'challenges',
  `id campaign_id platform content_type content_id canonical_url instruction_text action count_hidden:optionalFlag
    rules:optionalJson published_by:optionalJson requires:optionalJson`,
);
export const ATTEMPTS = new Table<Attempt>(
  'attempts',
  `id user_id challenge_id state retry_count max_retries last_verification_at:date verification_deadline:date
    state_history:json recheck:json metadata:data matched_comment:json points_awarded verified_at:date rewarded_at:date
    created_at:date updated_at:date revision held:optionalJson check_at:optionalDate entries:optionalJson
    review:optionalJson signals:optionalJson unmet_rules:optionalJson removed_at:optionalDate`,
);
export const PLACES = new Table<Place>('places', 'key holder revision amount', 2);
export const PLACE_TOTALS = new Table<{ readonly key: string; readonly used: number }>('place_totals', 'key used');
export const OUTBOX = new Table<{
  readonly owner: OutboxOwner;
  readonly entryId: string;
  readonly entry: OutboxEntry;
}>('outbox', '-seq owner entry_id entry:json');
export const COMMENTS = new Table<StoredComment, { readonly author: string; readonly textKey: string | null }>(
  'comments',
  `id challenge_id platform_comment_id username -author author_id comment_text commented_at:date created_at:date
    -met_at:date scoped_author_id:optional withheld:optional visibility_at:optionalDate is_reply:optionalFlag -text_key`,
);
export const SWEEPS = new Table<SweepProgress>(
  'sweeps',
  `challenge_id cursor pending_replies:json pages_read total_fetched status history_complete:flag expected_total
    unread_replies skipped unnumbered unnamed confirmed:flag refused_since:date lease leased_at:date last_swept:json
    started_at:date updated_at:date is_whole:optionalFlag`,
);
export const METRICS = new Table<MetricsSnapshot>(
  'metrics',
  '-seq challenge_id like_count comment_count share_count view_count thumbnail_url fetched_at:date',
);
export const LIKERS_FETCHES = new Table<LikersFetch>(
  'likers_fetches',
  `id challenge_id status max_count fetched_count total_likes error_message warning requested_at:date started_at:date
    finished_at:date`,
);
export const LIKERS = new Table<StoredLiker, { readonly handle: string }>(
  'likers',
  'id fetch_id ig_user_id username -handle full_name is_private:flag is_verified:flag profile_pic_url',
);
export const WEBHOOKS = new Table<Webhook>(
  'webhooks',
  `id brand_id url events:json active:flag description sealed_secret previous_secret:json activations
    last_triggered_at:date last_failure:json created_at:date`,
);
export const DELIVERIES = new Table<Delivery>(
  'deliveries',
  `id message_id target:target brand_id attempt_id event body status tries:json next_try_at:date created_at:date
    finished_at:date -lease -replayed_at:date`,
);
export const SUBSCRIPTIONS = new Table<Subscription>('subscriptions', 'subscriber event brand_id:optional', 2);
export const JOBS = new Table<object>(
  'jobs',
  `id type key payload:data status run_at:date due_at:date run lease error created_at:date finished_at:date`,
);
export const CANARIES = new Table<CanaryRecord>(
  'canaries',
  `target platform verdict since:date fields:json missing:json failure:json read_at:date last_ok_at:date duration_ms revision`,
);
export const BRAND_CONNECTIONS = new Table<BrandConnection>(
  'brand_connections',
  `id brand_id platform account_id handle scopes:json status sealed_tokens expires_at:date refresh_expires_at:date
    renew_at:date renewed_at:date subscribed_at:date connected_at:date last_failure:json revision`,
);
export const OFFICIAL_POSTS = new Table<OfficialPost, { readonly platform: string }>(
  'official_posts',
  '-platform content_id api_id account_id',
  2,
);
export const TOKENS = new Table<ApiToken>(
  'tokens',
  'id name role external_id brand_id quota:json hash created_at:date last_used_at:date revoked_at:date',
);
export const AUDIT_LOG = new Table<AuditEntry>(
  'audit_log',
  `id at:date actor role operation target outcome error state_before=before:data state_after=after:data request_id`,
);
export const USAGE = new Table<{
  readonly callerKey: string;
  readonly period: string;
  readonly counts: UsageCounts;
}>('usage', 'caller_key period counts:json', 2);
export const ONCE_KEYS = new Table<object>('once_keys', 'key expires_at:date holder');
export const IDEMPOTENCY_KEYS = new Table<object>(
  'idempotency_keys',
  'key fingerprint lease lease_until:date expires_at:date answer',
);
