/**
 * The tables, as SQLite makes them; PostgreSQL translates the types. Count `SCHEMA_VERSION` up with every change of a released schema.
 * A change only adds tables, indexes, and columns that may be null or have a default: the version before runs beside this one.
 */
import { AWAITING_JOBS, AWAITING_RECHECK, IN_LINE, OPEN } from './attempt-states.ts';

/** What the tables are stamped with. */
export const SCHEMA_VERSION = 1;

const CREATORS = `
CREATE TABLE creators (
  id INTEGER PRIMARY KEY,
  external_id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  display_name TEXT,
  avatar_url TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX creators_by_name ON creators (display_name) WHERE display_name IS NOT NULL;
CREATE INDEX creators_by_email ON creators (email);
CREATE TABLE social_accounts (
  id INTEGER PRIMARY KEY,
  creator_id INTEGER NOT NULL REFERENCES creators (id),
  platform TEXT NOT NULL,
  handle TEXT NOT NULL,
  profile_data TEXT NOT NULL,
  ownership_proven INTEGER NOT NULL,
  platform_account_id TEXT,
  remembered_account_id TEXT,
  scoped_account_id TEXT,
  connected_at INTEGER NOT NULL,
  disconnected_at INTEGER,
  UNIQUE (creator_id, platform, handle)
) STRICT;
CREATE INDEX accounts_by_handle ON social_accounts (handle, platform);
CREATE INDEX active_accounts_by_creator ON social_accounts (creator_id, id) WHERE disconnected_at IS NULL;
CREATE INDEX active_accounts_by_platform ON social_accounts (platform, creator_id, id) WHERE disconnected_at IS NULL;
CREATE INDEX accounts_by_scoped_id ON social_accounts (scoped_account_id, platform) WHERE scoped_account_id IS NOT NULL;
CREATE UNIQUE INDEX one_owner_per_account ON social_accounts (platform, platform_account_id)
  WHERE platform_account_id IS NOT NULL;
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
  return_url TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX connection_requests_by_expiry ON connection_requests (expires_at);
CREATE INDEX open_connection_requests ON connection_requests (external_id, expires_at) WHERE status = 'pending';
CREATE INDEX unconnected_requests ON connection_requests (expires_at) WHERE status <> 'connected';
`;

const CAMPAIGNS = `
CREATE TABLE brands (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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
  points_fixed INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL,
  starts_at INTEGER,
  ends_at INTEGER,
  created_at INTEGER NOT NULL,
  limits TEXT,
  terms TEXT
) STRICT;
CREATE INDEX listed_campaigns ON campaigns (id, brand_id, is_active, starts_at, ends_at, created_at);
CREATE INDEX campaigns_by_title ON campaigns (title, id);
CREATE INDEX campaigns_by_end ON campaigns (ends_at) WHERE ends_at IS NOT NULL;
CREATE TABLE draws (
  commitment TEXT PRIMARY KEY,
  sealed_seed TEXT NOT NULL,
  state TEXT NOT NULL,
  draw TEXT
) STRICT;
CREATE INDEX unreleased_draws ON draws (commitment) WHERE state = 'drawn';
CREATE TABLE challenges (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  content_type TEXT NOT NULL,
  content_id TEXT NOT NULL,
  canonical_url TEXT NOT NULL,
  instruction_text TEXT NOT NULL,
  action TEXT NOT NULL,
  count_hidden INTEGER,
  rules TEXT,
  published_by TEXT,
  requires TEXT
) STRICT;
CREATE INDEX challenges_by_post ON challenges (content_id, platform, id);
`;

const ATTEMPTS = `
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
  recheck TEXT,
  metadata TEXT NOT NULL,
  matched_comment TEXT,
  points_awarded INTEGER NOT NULL,
  verified_at INTEGER,
  rewarded_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  held TEXT,
  check_at INTEGER,
  entries TEXT,
  review TEXT,
  signals TEXT,
  unmet_rules TEXT,
  removed_at INTEGER,
  UNIQUE (challenge_id, user_id)
) STRICT;
CREATE INDEX attempts_by_user ON attempts (user_id, id);
CREATE INDEX attempts_by_challenge ON attempts (challenge_id, id);
CREATE INDEX attempts_by_change ON attempts (challenge_id, updated_at, id, state);
CREATE INDEX attempts_by_state ON attempts (challenge_id, state, id, verified_at, points_awarded);
CREATE INDEX open_attempts_by_deadline ON attempts (verification_deadline, state) WHERE ${OPEN};
CREATE INDEX open_claims_by_challenge ON attempts (challenge_id, id, state) WHERE verification_deadline IS NOT NULL AND ${OPEN};
CREATE INDEX attempts_by_creation ON attempts (created_at, challenge_id);
CREATE INDEX attempts_by_verification ON attempts (verified_at, challenge_id) WHERE verified_at IS NOT NULL;
CREATE INDEX attempts_by_reward ON attempts (rewarded_at, challenge_id, points_awarded) WHERE rewarded_at IS NOT NULL;
CREATE INDEX attempts_awaiting_jobs ON attempts (updated_at, id) WHERE ${AWAITING_JOBS};
CREATE INDEX unheld_attempts_awaiting_jobs ON attempts (updated_at, id) WHERE held IS NULL AND ${AWAITING_JOBS};
CREATE INDEX attempts_to_check ON attempts (check_at, id) WHERE check_at > 0;
CREATE INDEX attempts_in_line ON attempts (challenge_id, verified_at, id) WHERE ${IN_LINE};
CREATE INDEX attempts_due_for_recheck ON attempts (recheck ->> 'at', id) WHERE recheck IS NOT NULL AND ${AWAITING_RECHECK};
CREATE TABLE places (
  key TEXT NOT NULL,
  holder INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (key, holder)
) STRICT, WITHOUT ROWID;
CREATE TABLE place_totals (
  key TEXT NOT NULL PRIMARY KEY,
  used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  entry TEXT NOT NULL,
  UNIQUE (owner, entry_id)
) STRICT;
CREATE INDEX outbox_by_owner ON outbox (owner, seq);
`;

const CHALLENGE_DATA = `
CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  challenge_id INTEGER NOT NULL,
  platform_comment_id TEXT NOT NULL,
  username TEXT NOT NULL,
  author TEXT NOT NULL,
  author_id TEXT,
  comment_text TEXT NOT NULL,
  commented_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  met_at INTEGER,
  scoped_author_id TEXT,
  withheld TEXT,
  visibility_at INTEGER,
  is_reply INTEGER,
  text_key TEXT,
  UNIQUE (challenge_id, platform_comment_id)
) STRICT;
CREATE INDEX comments_by_time ON comments (challenge_id, commented_at, id);
CREATE INDEX comments_by_author ON comments (challenge_id, author, commented_at, id);
CREATE INDEX comments_by_author_id ON comments (challenge_id, author_id, commented_at, id) WHERE author_id IS NOT NULL;
CREATE INDEX comments_by_scoped_id ON comments (challenge_id, scoped_author_id, commented_at, id)
  WHERE scoped_author_id IS NOT NULL;
CREATE INDEX comments_by_text ON comments (challenge_id, text_key, commented_at, id);
CREATE INDEX withheld_comments ON comments (challenge_id, visibility_at, id) WHERE withheld IS NOT NULL;
CREATE TABLE sweeps (
  challenge_id INTEGER PRIMARY KEY,
  cursor TEXT,
  pending_replies TEXT NOT NULL,
  pages_read INTEGER NOT NULL,
  total_fetched INTEGER NOT NULL,
  status TEXT NOT NULL,
  history_complete INTEGER NOT NULL,
  expected_total INTEGER,
  unread_replies INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  unnumbered INTEGER,
  unnamed INTEGER NOT NULL DEFAULT 0,
  confirmed INTEGER NOT NULL DEFAULT 0,
  refused_since INTEGER,
  lease INTEGER NOT NULL DEFAULT 0,
  leased_at INTEGER NOT NULL DEFAULT 0,
  last_swept TEXT,
  is_whole INTEGER,
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
CREATE INDEX unfinished_likers_fetches ON likers_fetches (requested_at, id) WHERE status IN ('queued', 'running');
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
`;

const WEBHOOKS = `
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  active INTEGER NOT NULL,
  description TEXT,
  sealed_secret TEXT NOT NULL,
  previous_secret TEXT,
  activations INTEGER NOT NULL DEFAULT 0,
  last_triggered_at INTEGER,
  last_failure TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_brand ON webhooks (brand_id, id);
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  target ANY NOT NULL,
  brand_id INTEGER,
  attempt_id INTEGER,
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  tries TEXT NOT NULL,
  next_try_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  lease INTEGER NOT NULL DEFAULT 0,
  replayed_at INTEGER,
  UNIQUE (message_id, target)
) STRICT;
CREATE INDEX listed_deliveries ON deliveries (target, id, status, event, brand_id);
CREATE INDEX deliveries_by_creation ON deliveries (target, created_at, status);
CREATE INDEX deliveries_by_attempt ON deliveries (attempt_id, id) WHERE attempt_id IS NOT NULL;
CREATE INDEX failed_deliveries ON deliveries (target, finished_at, id, event) WHERE status = 'failed';
CREATE INDEX pending_deliveries ON deliveries (target, next_try_at, id, event) WHERE status = 'pending';
CREATE TABLE subscriptions (
  subscriber TEXT NOT NULL,
  event TEXT NOT NULL,
  brand_id INTEGER,
  PRIMARY KEY (subscriber, event)
) STRICT, WITHOUT ROWID;
`;

const JOBS = `
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
CREATE INDEX due_jobs ON jobs (type, due_at, id, status) WHERE status <> 'dead';
CREATE INDEX dead_jobs ON jobs (id) WHERE status = 'dead';
CREATE TABLE purges (
  kind TEXT NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (kind, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE once_keys (
  key TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL,
  holder TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX once_keys_by_expiry ON once_keys (expires_at);
CREATE TABLE canaries (
  target TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  verdict TEXT NOT NULL,
  since INTEGER NOT NULL,
  fields TEXT NOT NULL,
  missing TEXT NOT NULL,
  failure TEXT,
  read_at INTEGER NOT NULL,
  last_ok_at INTEGER,
  duration_ms INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

const ACCESS = `
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  external_id TEXT,
  brand_id INTEGER,
  quota TEXT,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX tokens_by_role ON tokens (role, revoked_at);
CREATE TABLE usage (
  caller_key TEXT NOT NULL,
  period TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (caller_key, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_period ON usage (period);
CREATE TABLE idempotency_keys (
  key TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  lease TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
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
CREATE INDEX listed_audit_log ON audit_log (at, id, target, actor, operation);
CREATE INDEX audit_log_by_request ON audit_log (request_id, at, id);
`;

const BRAND_CONNECTIONS = `
CREATE TABLE brand_connections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  brand_id INTEGER NOT NULL,
  platform TEXT NOT NULL,
  account_id TEXT NOT NULL,
  handle TEXT NOT NULL,
  scopes TEXT NOT NULL,
  status TEXT NOT NULL,
  sealed_tokens TEXT NOT NULL,
  expires_at INTEGER,
  refresh_expires_at INTEGER,
  renew_at INTEGER,
  renewed_at INTEGER NOT NULL,
  subscribed_at INTEGER,
  connected_at INTEGER NOT NULL,
  last_failure TEXT,
  revision INTEGER NOT NULL,
  UNIQUE (platform, account_id)
) STRICT;
CREATE INDEX brand_connections_by_brand ON brand_connections (brand_id, id);
CREATE INDEX due_brand_connections ON brand_connections (renew_at, id) WHERE renew_at IS NOT NULL;
CREATE TABLE official_posts (
  platform TEXT NOT NULL,
  content_id TEXT NOT NULL,
  api_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (platform, content_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX official_posts_by_api_id ON official_posts (platform, api_id);
`;

/** The statements that make all tables. */
export const SCHEMA = [CREATORS, CAMPAIGNS, ATTEMPTS, CHALLENGE_DATA, WEBHOOKS, JOBS, ACCESS, BRAND_CONNECTIONS].join(
  '',
);
