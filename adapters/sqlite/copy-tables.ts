/** How rows are records of a copy: which columns are which fields. Every column of every table is here, or among those left out. */
import type { CopiedKind } from '../../core/ports/copy-end.ts';
import type { Value } from './values.ts';

/**
 * `date`: milliseconds. `flag`: 0 and 1. `json`: text whose fields in `DATES` are dates. `id`: 0 is null.
 */
type ColumnKind = 'plain' | 'date' | 'flag' | 'json' | 'id';

interface Column {
  readonly column: string;
  readonly field: string;
  readonly kind: ColumnKind;
}

export interface CopiedTable {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}

/** Progress of a copy, and leases: no process of the new storage has any. */
export const DERIVED: readonly string[] = ['copy_progress', 'outbox_leases'];

/** Columns that are not copied: no process of the new storage has leased anything. */
export const NOT_COPIED: Readonly<Record<string, readonly string[]>> = {
  attempt_outbox: ['leased_until'],
};

/** `name:kind`, or `column=field:kind` where the field is not the column in camel case. */
function table(name: string, key: string, columns: string): CopiedTable {
  return {
    table: name,
    key: key.split(' '),
    columns: columns.split(/\s+/).map((text) => {
      const [names = '', kind = 'plain'] = text.split(':');
      const [column = '', field = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())] =
        names.split('=');
      return { column, field, kind: kind as ColumnKind };
    }),
  };
}

const DELIVERY = `id=_id message_id attempt_id event body status tries:json next_try_at:date created_at:date finished_at:date`;

export const COPIED_TABLES: Readonly<
  Record<CopiedKind | 'challenges' | 'attemptOutbox' | 'accountOutbox', CopiedTable>
> = {
  creators: table('creators', 'id', 'id=_id external_id email display_name avatar_url created_at:date'),
  socialAccounts: table(
    'social_accounts',
    'id',
    `id=_id creator_id platform handle profile_data ownership_proven:flag connected_at:date disconnected_at:date
      platform_account_id remembered_account_id`,
  ),
  accountOutbox: table('account_outbox', 'seq', 'seq account_id entry_id entry:json'),
  brands: table('brands', 'id', 'id=_id name slug logo_url created_at:date'),
  campaigns: table(
    'campaigns',
    'id',
    `id=_id brand_id title description image_url points_reward is_active:flag starts_at:date ends_at:date created_at:date`,
  ),
  challenges: table(
    'challenges',
    'id',
    'id campaign_id platform content_type content_id canonical_url instruction_text action',
  ),
  attempts: table(
    'attempts',
    'id',
    `id=_id user_id challenge_id state retry_count max_retries last_verification_at:date verification_deadline:date
      state_history:json metadata matched_comment:json points_awarded verified_at:date rewarded_at:date created_at:date
      updated_at:date revision recheck:json`,
  ),
  attemptOutbox: table('attempt_outbox', 'seq', 'seq attempt_id entry_id entry:json'),
  comments: table(
    'comments',
    'id',
    'id=_id challenge_id platform_comment_id username author author_id comment_text commented_at:date created_at:date met_at:date',
  ),
  sweeps: table(
    'sweeps',
    'challenge_id',
    `challenge_id=_id cursor pending_replies:json pages_read total_fetched status history_complete:flag started_at:date
      updated_at:date expected_total unread_replies skipped confirmed:flag lease leased_at:date last_swept:json
      refused_since:date unnumbered unnamed`,
  ),
  metrics: table(
    'metrics',
    'seq',
    'seq=_id challenge_id like_count comment_count share_count view_count thumbnail_url fetched_at:date',
  ),
  likersFetches: table(
    'likers_fetches',
    'id',
    `id=_id challenge_id status max_count fetched_count total_likes error_message warning requested_at:date started_at:date
      finished_at:date`,
  ),
  likers: table(
    'likers',
    'id',
    `id=_id fetch_id ig_user_id username handle full_name is_private:flag is_verified:flag profile_pic_url`,
  ),
  webhooks: table(
    'webhooks',
    'id',
    `id=_id brand_id url events:json active:flag description sealed_secret last_triggered_at:date created_at:date activations
      previous_secret:json`,
  ),
  deliveries: table('deliveries', 'id', `${DELIVERY} webhook_id brand_id`),
  subscriptions: table('subscriptions', 'subscriber event', 'subscriber event brand_id'),
  subscriberDeliveries: table('subscriber_deliveries', 'id', `${DELIVERY} subscriber brand_id:id lease`),
  jobs: table(
    'jobs',
    'id',
    `id=_id type key payload status run_at:date due_at:date run lease error created_at:date finished_at:date job_group=group`,
  ),
  jobGroups: table('job_groups', 'type name', 'type name turn_at:date paused_until:date'),
  tokens: table(
    'tokens',
    'id',
    'id=_id name role external_id hash created_at:date last_used_at:date revoked_at:date brand_id quota:json',
  ),
  usage: table('usage', 'caller_key period counter', 'caller_key period counter value'),
  connectionRequests: table(
    'connection_requests',
    'id',
    `id=_id external_id platform handle code status checks max_checks account_id created_at:date expires_at:date revision
      return_url`,
  ),
  onceKeys: table('once_keys', 'key', 'key=_id expires_at:date holder'),
  idempotencyKeys: table(
    'idempotency_keys',
    'key',
    'key=_id fingerprint lease lease_until:date expires_at:date answer',
  ),
  auditLog: table(
    'audit_log',
    'id',
    `id=_id at:date actor role operation target outcome error state_before=before state_after=after request_id`,
  ),
  canaries: table(
    'canaries',
    'target',
    `target=_id platform verdict since:date fields:json missing:json failure:json read_at:date last_ok_at:date duration_ms
      outbox:json revision`,
  ),
  purges: table('purges', 'kind target', 'kind target'),
};

type Row = Readonly<Record<string, Value>>;

const DATES = new Set(['at', 'validUntil', 'commentedAt', 'timestamp', 'leasedAt', 'startedAt', 'updatedAt']);

export function toFields({ columns }: CopiedTable, row: Row): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ column, field, kind }) => [field, fromColumn(row[column] ?? null, kind)]));
}

export function toValues({ columns }: CopiedTable, fields: Readonly<Record<string, unknown>>): Value[] {
  return columns.map(({ field, kind }) => toColumn(fields[field] ?? null, kind));
}

function fromColumn(value: Value, kind: ColumnKind): unknown {
  if (kind === 'id') return value === 0 ? null : value;
  if (value === null || kind === 'plain') return value;
  if (kind === 'date') return new Date(Number(value));
  if (kind === 'flag') return value === 1;
  return JSON.parse(String(value), (name, member: unknown) =>
    DATES.has(name) && typeof member === 'string' ? new Date(member) : member,
  );
}

function toColumn(value: unknown, kind: ColumnKind): Value {
  if (kind === 'id') return value === null ? 0 : (value as Value);
  if (kind === 'json') return value === null ? null : JSON.stringify(value);
  if (value === null || kind === 'plain') return value as Value;
  return kind === 'date' ? (value as Date).getTime() : Number(value);
}
