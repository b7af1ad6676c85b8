import { AUTHOR_NUMBERS } from './author-numbers.ts';
import { COMMENT_PARTS } from './comment-parts.ts';
import {
  ACTIVE_LINKS,
  COMMENTS_COUNTED_BY_WRITERS,
  DELIVERIES_AND_JOBS_COUNTED_BY_WRITERS,
  LIST_TOTALS,
} from './list-totals.ts';

/**
 * The schema, one entry a version. Append; never change an entry that was released.
 *
 * Records outside the database may name the ids of jobs, campaigns, webhooks … after their rows are gone. These ids are
 * AUTOINCREMENT, so that none is given out twice. Dates are integer milliseconds, objects JSON text.
 */
const INITIAL = `
CREATE TABLE creators (
  id INTEGER PRIMARY KEY,
  external_id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  display_name TEXT,
  avatar_url TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE social_accounts (
  id INTEGER PRIMARY KEY,
  creator_id INTEGER NOT NULL REFERENCES creators (id),
  platform TEXT NOT NULL,
  handle TEXT NOT NULL,
  profile_data TEXT NOT NULL,
  ownership_proven INTEGER NOT NULL,
  connected_at INTEGER NOT NULL,
  disconnected_at INTEGER,
  UNIQUE (creator_id, platform, handle)
) STRICT;
CREATE INDEX active_accounts_by_handle ON social_accounts (handle, platform) WHERE disconnected_at IS NULL;
CREATE INDEX active_accounts_by_platform ON social_accounts (platform, id) WHERE disconnected_at IS NULL;

CREATE TABLE brands (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  logo_url TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  image_url TEXT,
  points_reward INTEGER NOT NULL,
  is_active INTEGER NOT NULL,
  starts_at INTEGER,
  ends_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE challenges (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  content_type TEXT NOT NULL,
  content_id TEXT NOT NULL,
  canonical_url TEXT NOT NULL,
  instruction_text TEXT NOT NULL,
  action TEXT NOT NULL
) STRICT;

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  challenge_id INTEGER NOT NULL REFERENCES challenges (id),
  state TEXT NOT NULL,
  retry_count INTEGER NOT NULL,
  max_retries INTEGER NOT NULL,
  last_verification_at INTEGER,
  verification_deadline INTEGER,
  state_history TEXT NOT NULL,
  metadata TEXT NOT NULL,
  matched_comment TEXT,
  points_awarded INTEGER NOT NULL,
  verified_at INTEGER,
  rewarded_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (challenge_id, user_id)
) STRICT;
CREATE INDEX attempts_by_user ON attempts (user_id, id);
CREATE INDEX attempts_by_challenge ON attempts (challenge_id, id);
CREATE INDEX attempts_by_state ON attempts (challenge_id, state, id);
CREATE INDEX open_attempts_by_deadline ON attempts (verification_deadline)
  WHERE state NOT IN ('verified', 'rewarded', 'failed_terminal');

CREATE TABLE attempt_outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  attempt_id INTEGER NOT NULL REFERENCES attempts (id),
  entry_id TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_by_attempt ON attempt_outbox (attempt_id, seq);

CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  challenge_id INTEGER NOT NULL,
  platform_comment_id TEXT NOT NULL,
  username TEXT NOT NULL,
  author TEXT NOT NULL,
  comment_text TEXT NOT NULL,
  commented_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (challenge_id, platform_comment_id)
) STRICT;
CREATE INDEX comments_by_time ON comments (challenge_id, commented_at, id);
CREATE INDEX comments_by_author ON comments (challenge_id, author, commented_at, id);

CREATE TABLE sweeps (
  challenge_id INTEGER PRIMARY KEY,
  cursor TEXT,
  pending_replies TEXT NOT NULL,
  pages_read INTEGER NOT NULL,
  total_fetched INTEGER NOT NULL,
  status TEXT NOT NULL,
  history_complete INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE metrics (
  seq INTEGER PRIMARY KEY,
  challenge_id INTEGER NOT NULL,
  like_count INTEGER,
  comment_count INTEGER,
  share_count INTEGER,
  view_count INTEGER,
  thumbnail_url TEXT,
  fetched_at INTEGER NOT NULL
) STRICT;
CREATE INDEX metrics_by_time ON metrics (challenge_id, fetched_at, seq);

CREATE TABLE likers_fetches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  challenge_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  max_count INTEGER NOT NULL,
  fetched_count INTEGER NOT NULL,
  total_likes INTEGER,
  error_message TEXT,
  warning TEXT,
  requested_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
) STRICT;
CREATE INDEX likers_fetches_by_time ON likers_fetches (challenge_id, requested_at, id);

CREATE TABLE likers (
  id INTEGER PRIMARY KEY,
  fetch_id INTEGER NOT NULL,
  ig_user_id TEXT NOT NULL,
  username TEXT NOT NULL,
  handle TEXT NOT NULL,
  full_name TEXT,
  is_private INTEGER NOT NULL,
  is_verified INTEGER NOT NULL,
  profile_pic_url TEXT,
  UNIQUE (fetch_id, ig_user_id)
) STRICT;
CREATE INDEX likers_by_id ON likers (fetch_id, id);
CREATE INDEX likers_by_handle ON likers (fetch_id, handle);

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  active INTEGER NOT NULL,
  description TEXT,
  sealed_secret TEXT NOT NULL,
  last_triggered_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_brand ON webhooks (brand_id, id);

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  webhook_id INTEGER NOT NULL,
  brand_id INTEGER NOT NULL,
  attempt_id INTEGER,
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  tries TEXT NOT NULL,
  next_try_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  UNIQUE (message_id, webhook_id)
) STRICT;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL,
  run_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  run INTEGER NOT NULL,
  lease INTEGER NOT NULL,
  error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE UNIQUE INDEX live_jobs_by_key ON jobs (key) WHERE status <> 'dead';
CREATE INDEX live_jobs_by_time ON jobs (run_at, id) WHERE status <> 'dead';
CREATE INDEX live_jobs_by_due ON jobs (type, due_at) WHERE status <> 'dead';

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  external_id TEXT,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE usage (
  caller_key TEXT NOT NULL,
  period TEXT NOT NULL,
  counter TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (caller_key, period, counter)
) STRICT, WITHOUT ROWID;

CREATE TABLE connection_requests (
  id TEXT PRIMARY KEY,
  external_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  handle TEXT,
  code TEXT NOT NULL,
  status TEXT NOT NULL,
  checks INTEGER NOT NULL,
  max_checks INTEGER NOT NULL,
  account_id INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;

CREATE TABLE once_keys (
  key TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX once_keys_by_expiry ON once_keys (expires_at);

CREATE TABLE purges (
  kind TEXT NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (kind, target)
) STRICT, WITHOUT ROWID;
`;

/** Jobs are looked for by type: in a long queue of one type, those of another were found only after all of it. */
const JOBS_BY_TYPE = `
DROP INDEX live_jobs_by_time;
DROP INDEX live_jobs_by_due;
CREATE INDEX queued_jobs_by_time ON jobs (type, run_at, id) WHERE status = 'queued';
CREATE INDEX running_jobs_by_due ON jobs (type, due_at) WHERE status = 'running';
`;

/** What waits for a job, and what is purged by its age. */
const UPKEEP = `
CREATE INDEX attempts_awaiting_jobs ON attempts (updated_at, id) WHERE state IN ('verification_pending', 'verified');
CREATE INDEX pending_deliveries ON deliveries (next_try_at, id) WHERE status = 'pending';
CREATE INDEX connection_requests_by_expiry ON connection_requests (expires_at);
CREATE INDEX usage_by_period ON usage (period);
`;

/** Claimed attempts run out with their campaign. */
const CAMPAIGN_ENDS = `
CREATE INDEX campaigns_by_end ON campaigns (ends_at) WHERE ends_at IS NOT NULL;
CREATE INDEX open_claims_by_challenge ON attempts (challenge_id, id)
  WHERE verification_deadline IS NOT NULL AND state NOT IN ('verified', 'rewarded', 'failed_terminal');
`;

/** What was done under a handle is found after it was disconnected. */
const PAST_HANDLES = `
DROP INDEX active_accounts_by_handle;
CREATE INDEX accounts_by_handle ON social_accounts (handle, platform);
`;

/** Those of paused webhooks are passed over, without looking at their rows. */
const PAUSED_DELIVERIES = `
DROP INDEX pending_deliveries;
CREATE INDEX pending_deliveries ON deliveries (next_try_at, id, webhook_id) WHERE status = 'pending';
`;

/** A process that died after it claimed a key may claim it again. */
const KEY_HOLDERS = `
ALTER TABLE once_keys ADD COLUMN holder TEXT;
`;

/** Fetches of likers whose job is lost get another one. */
const UNFINISHED_LIKERS = `
CREATE INDEX unfinished_likers_fetches ON likers_fetches (requested_at, id) WHERE status IN ('queued', 'running');
`;

/** A webhook is not paused for what its receiver answered before somebody activated it. */
const WEBHOOK_ACTIVATIONS = `
ALTER TABLE webhooks ADD COLUMN activations INTEGER NOT NULL DEFAULT 0;
`;

/** Ownership is of an account, whose handle may change. Which one the earlier proofs were about is not known. */
const PROVEN_ACCOUNTS = `
ALTER TABLE social_accounts ADD COLUMN platform_account_id TEXT;
CREATE UNIQUE INDEX one_owner_per_account ON social_accounts (platform, platform_account_id)
  WHERE platform_account_id IS NOT NULL;
`;

/** A creator has a bounded number of requests open, and what led to nothing is removed early. */
const OPEN_CONNECTIONS = `
CREATE INDEX open_connection_requests ON connection_requests (external_id, expires_at) WHERE status = 'pending';
CREATE INDEX unconnected_requests ON connection_requests (expires_at) WHERE status <> 'connected';
`;

/** How much a sweep has seen of what there is, and undecided claims that are checked again. */
const UNDECIDED_CLAIMS = `
ALTER TABLE sweeps ADD COLUMN expected_total INTEGER;
ALTER TABLE sweeps ADD COLUMN unread_replies INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN recheck_at INTEGER;
ALTER TABLE attempts ADD COLUMN recheck_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN recheck_why TEXT;
CREATE INDEX attempts_due_for_recheck ON attempts (recheck_at, id)
  WHERE recheck_at IS NOT NULL AND state IN ('awaiting_claim', 'target_opened');
`;

/** A sweep that another way of reading has confirmed proves who is absent. */
const CONFIRMED_SWEEPS = `
ALTER TABLE sweeps ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
`;

/** Subscribers of the host's own process. A pending delivery is its own job. */
const SUBSCRIBERS = `
CREATE TABLE subscriptions (
  subscriber TEXT NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (subscriber, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE subscriber_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  subscriber TEXT NOT NULL,
  brand_id INTEGER NOT NULL,
  attempt_id INTEGER,
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  tries TEXT NOT NULL,
  next_try_at INTEGER,
  lease INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  UNIQUE (message_id, subscriber)
) STRICT;
CREATE INDEX subscriber_deliveries_by_subscriber ON subscriber_deliveries (subscriber, id);
CREATE INDEX pending_subscriber_deliveries ON subscriber_deliveries (subscriber, next_try_at, id) WHERE status = 'pending';
`;

/** While a webhook's secret is rotated, two secrets sign. */
const PREVIOUS_SECRETS = `
ALTER TABLE webhooks ADD COLUMN previous_sealed_secret TEXT;
ALTER TABLE webhooks ADD COLUMN previous_secret_until INTEGER;
`;

/** The list of creators, paused webhooks and admin tokens, each without reading the whole table. */
const MISSING_INDEXES = `
CREATE INDEX active_accounts_by_creator ON social_accounts (creator_id, id) WHERE disconnected_at IS NULL;
CREATE INDEX webhooks_by_active ON webhooks (active);
CREATE INDEX tokens_by_role ON tokens (role, revoked_at);
`;

/** What verify-and-reward has yet to compare: comments by batches, links by their number. */
const MATCHING_NEWS = `
CREATE TABLE comment_batches (
  challenge_id INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  PRIMARY KEY (challenge_id, first_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE matching_progress (
  challenge_id INTEGER PRIMARY KEY,
  rule TEXT NOT NULL,
  linked_up_to INTEGER NOT NULL,
  handles_after TEXT,
  revision INTEGER NOT NULL
) STRICT;
ALTER TABLE social_accounts ADD COLUMN link_number INTEGER NOT NULL DEFAULT 0;
UPDATE social_accounts SET link_number = id;
DROP INDEX active_accounts_by_platform;
CREATE INDEX accounts_by_link ON social_accounts (platform, link_number, disconnected_at);
`;

/** A long backlog of one receiver holds no other up: jobs of a group are claimed by its turn, which is one row. */
const JOB_GROUPS = `
ALTER TABLE jobs ADD COLUMN job_group TEXT;
UPDATE jobs SET job_group = (
    SELECT 'webhook:' || webhook_id FROM deliveries WHERE deliveries.id = json_extract(jobs.payload, '$.deliveryId'))
  WHERE type = 'deliver-webhook' AND status <> 'dead';
DROP INDEX queued_jobs_by_time;
CREATE INDEX queued_jobs_by_time ON jobs (type, run_at, id) WHERE status = 'queued' AND job_group IS NULL;
CREATE INDEX grouped_jobs_by_time ON jobs (type, job_group, run_at, id) WHERE status = 'queued' AND job_group IS NOT NULL;
CREATE TABLE job_groups (
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  turn_at INTEGER NOT NULL,
  paused_until INTEGER NOT NULL DEFAULT 0,
  ready_at INTEGER NOT NULL AS (max(turn_at, paused_until)) VIRTUAL,
  PRIMARY KEY (type, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX ready_job_groups ON job_groups (type, ready_at);
INSERT INTO job_groups (type, name, turn_at)
  SELECT type, job_group, min(run_at) FROM jobs WHERE status = 'queued' AND job_group IS NOT NULL GROUP BY type, job_group;
CREATE INDEX pending_deliveries_by_webhook ON deliveries (webhook_id, id) WHERE status = 'pending';
`;

/** Answers to requests with an idempotency key. */
const IDEMPOTENCY_KEYS = `
CREATE TABLE idempotency_keys (
  key TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  lease TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
`;

/** Tokens and subscribers of one brand, quotas of tokens, and the lists of a brand's own. */
const BRAND_TOKENS = `
ALTER TABLE tokens ADD COLUMN brand_id INTEGER;
ALTER TABLE tokens ADD COLUMN quota TEXT;
CREATE INDEX campaigns_by_brand ON campaigns (brand_id, id);
ALTER TABLE subscriptions ADD COLUMN brand_id INTEGER;
CREATE INDEX subscriber_deliveries_by_brand ON subscriber_deliveries (subscriber, brand_id, id);
`;

/** What canaries showed, with the events that are not handed over. */
const CANARIES = `
CREATE TABLE canaries (
  target TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  verdict TEXT NOT NULL,
  since INTEGER NOT NULL,
  fields TEXT NOT NULL,
  missing TEXT NOT NULL,
  failure TEXT NOT NULL,
  read_at INTEGER NOT NULL,
  last_ok_at INTEGER,
  duration_ms INTEGER NOT NULL,
  outbox TEXT NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** Entries are added and concluded once; the database itself refuses to rewrite one. */
const AUDIT_LOG = `
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  role TEXT NOT NULL,
  operation TEXT NOT NULL,
  target TEXT,
  outcome TEXT NOT NULL,
  error TEXT,
  state_before TEXT,
  state_after TEXT,
  request_id TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_by_actor ON audit_log (actor, at, id);
CREATE INDEX audit_log_by_operation ON audit_log (operation, at, id);
CREATE INDEX audit_log_by_target ON audit_log (target, at, id);
CREATE TRIGGER audit_log_is_final BEFORE UPDATE ON audit_log
  WHEN OLD.outcome <> 'unknown' OR (OLD.id, OLD.at, OLD.actor, OLD.role, OLD.operation, OLD.state_before, OLD.request_id)
    IS NOT (NEW.id, NEW.at, NEW.actor, NEW.role, NEW.operation, NEW.state_before, NEW.request_id)
BEGIN SELECT RAISE(ABORT, 'an entry of the audit log is final'); END;
`;

const RETURN_URLS = 'ALTER TABLE connection_requests ADD COLUMN return_url TEXT;';

/** Campaigns that run, and the deliveries of a webhook by status and by event. */
const LIST_FILTERS = `
CREATE INDEX campaigns_by_activity ON campaigns (is_active, id);
DROP INDEX pending_deliveries_by_webhook;
CREATE INDEX deliveries_by_status ON deliveries (webhook_id, status, id);
CREATE INDEX deliveries_by_event ON deliveries (webhook_id, event, id);
`;

/** One process at a time sweeps a challenge; what the last complete sweep saw stays while the next one runs. */
const SWEEP_LEASES = `
ALTER TABLE sweeps ADD COLUMN lease INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN leased_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN last_swept TEXT;
UPDATE sweeps SET leased_at = started_at;
`;

/** Events that were committed with accounts. */
const ACCOUNT_OUTBOX = `
CREATE TABLE account_outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES social_accounts (id),
  entry_id TEXT NOT NULL,
  entry TEXT NOT NULL,
  UNIQUE (account_id, entry_id)
) STRICT;
`;

/** The deliveries of a subscriber by status and by event. */
const SUBSCRIBER_FILTERS = `
CREATE INDEX subscriber_deliveries_by_status ON subscriber_deliveries (subscriber, status, id);
CREATE INDEX subscriber_deliveries_by_event ON subscriber_deliveries (subscriber, event, id);
`;

/** One relay at a time sends the events of an outbox entry. */
const OUTBOX_LEASES = `
ALTER TABLE attempt_outbox ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;
`;

/** A subscriber's events may wait by the million while no process handles them: each event has an order of its own. */
const PENDING_BY_EVENT = `
DROP INDEX pending_subscriber_deliveries;
CREATE INDEX pending_subscriber_deliveries ON subscriber_deliveries (subscriber, event, next_try_at, id) WHERE status = 'pending';
`;

/** A sweep gives up a place that is refused for too long. */
const REFUSED_SWEEPS = `
ALTER TABLE sweeps ADD COLUMN refused_since INTEGER;
`;

/** A sweep that is continued counts no comment that an earlier part of it has met. */
const MET_COMMENTS = `
ALTER TABLE comments ADD COLUMN met_at INTEGER;
`;

/** Which active webhooks want an event: an event reads them, and not all others of its brand. */
const SUBSCRIBED_WEBHOOKS = `
CREATE TABLE subscribed_webhooks (
  event TEXT NOT NULL,
  owner_id INTEGER NOT NULL,
  webhook_id INTEGER NOT NULL,
  PRIMARY KEY (event, owner_id, webhook_id)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO subscribed_webhooks (event, owner_id, webhook_id)
  SELECT wanted.value, webhooks.brand_id, webhooks.id FROM webhooks, json_each(webhooks.events) AS wanted
  WHERE webhooks.active = 1;
CREATE TRIGGER webhooks_subscribed AFTER INSERT ON webhooks WHEN NEW.active = 1 BEGIN
  INSERT OR IGNORE INTO subscribed_webhooks (event, owner_id, webhook_id)
    SELECT value, NEW.brand_id, NEW.id FROM json_each(NEW.events);
END;
CREATE TRIGGER webhooks_resubscribed AFTER UPDATE OF brand_id, events, active ON webhooks
  WHEN (OLD.brand_id, OLD.events, OLD.active) IS NOT (NEW.brand_id, NEW.events, NEW.active)
BEGIN
  DELETE FROM subscribed_webhooks WHERE (event, owner_id, webhook_id) IN
    (SELECT value, OLD.brand_id, OLD.id FROM json_each(OLD.events));
  INSERT OR IGNORE INTO subscribed_webhooks (event, owner_id, webhook_id)
    SELECT value, NEW.brand_id, NEW.id FROM json_each(NEW.events) WHERE NEW.active = 1;
END;
CREATE TRIGGER webhooks_unsubscribed AFTER DELETE ON webhooks BEGIN
  DELETE FROM subscribed_webhooks WHERE (event, owner_id, webhook_id) IN
    (SELECT value, OLD.brand_id, OLD.id FROM json_each(OLD.events));
END;
`;

/** Entries that a relay took in the order of the outbox are leased by one row. */
const OUTBOX_LEASE_RANGES = `
CREATE TABLE outbox_leases (
  last_seq INTEGER PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  leased_until INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_leases_by_end ON outbox_leases (leased_until);
CREATE INDEX outbox_leased_alone ON attempt_outbox (leased_until) WHERE leased_until > 0;
`;

export const MIGRATIONS: readonly string[] = [
  INITIAL,
  JOBS_BY_TYPE,
  UPKEEP,
  CAMPAIGN_ENDS,
  PAST_HANDLES,
  PAUSED_DELIVERIES,
  KEY_HOLDERS,
  UNFINISHED_LIKERS,
  WEBHOOK_ACTIVATIONS,
  PROVEN_ACCOUNTS,
  OPEN_CONNECTIONS,
  UNDECIDED_CLAIMS,
  CONFIRMED_SWEEPS,
  SUBSCRIBERS,
  PREVIOUS_SECRETS,
  MISSING_INDEXES,
  LIST_TOTALS,
  MATCHING_NEWS,
  JOB_GROUPS,
  IDEMPOTENCY_KEYS,
  BRAND_TOKENS,
  CANARIES,
  AUDIT_LOG,
  RETURN_URLS,
  LIST_FILTERS,
  SWEEP_LEASES,
  ACCOUNT_OUTBOX,
  ACTIVE_LINKS,
  SUBSCRIBER_FILTERS,
  COMMENTS_COUNTED_BY_WRITERS,
  DELIVERIES_AND_JOBS_COUNTED_BY_WRITERS,
  OUTBOX_LEASES,
  PENDING_BY_EVENT,
  REFUSED_SWEEPS,
  MET_COMMENTS,
  SUBSCRIBED_WEBHOOKS,
  COMMENT_PARTS,
  OUTBOX_LEASE_RANGES,
  AUTHOR_NUMBERS,
];
