/**
 * The tables with their indexes, as SQLite makes them; PostgreSQL translates the types. `tables.ts` says what their columns are.
 * Count `SCHEMA_VERSION` up with every change of a released schema. A change only adds tables, indexes, and columns that may be null
 * or have a default: the version before runs beside this one.
 */
import { AWAITING_JOBS, AWAITING_RECHECK, IN_LINE, OPEN } from './attempt-states.ts';
import * as tables from './tables.ts';

/** What the tables are stamped with. */
export const SCHEMA_VERSION = 1;

const CREATORS = `
${tables.CREATORS.create()}
CREATE INDEX creators_by_name ON creators (display_name) WHERE display_name IS NOT NULL;
CREATE INDEX creators_by_email ON creators (email);
${tables.ACCOUNTS.create()}
CREATE INDEX accounts_by_handle ON social_accounts (handle, platform);
CREATE INDEX active_accounts_by_creator ON social_accounts (creator_id, id) WHERE disconnected_at IS NULL;
CREATE INDEX active_accounts_by_platform ON social_accounts (platform, creator_id, id) WHERE disconnected_at IS NULL;
CREATE INDEX accounts_by_scoped_id ON social_accounts (scoped_account_id, platform) WHERE scoped_account_id IS NOT NULL;
CREATE UNIQUE INDEX one_owner_per_account ON social_accounts (platform, platform_account_id)
  WHERE platform_account_id IS NOT NULL;
${tables.CONNECTION_REQUESTS.create()}
CREATE INDEX connection_requests_by_expiry ON connection_requests (expires_at);
CREATE INDEX open_connection_requests ON connection_requests (external_id, expires_at) WHERE status = 'pending';
CREATE INDEX unconnected_requests ON connection_requests (expires_at) WHERE status <> 'connected';
`;

const CAMPAIGNS = `
${tables.BRANDS.create()}
${tables.CAMPAIGNS.create()}
CREATE INDEX listed_campaigns ON campaigns (id, brand_id, is_active, starts_at, ends_at, created_at);
CREATE INDEX campaigns_by_title ON campaigns (title, id);
CREATE INDEX campaigns_by_end ON campaigns (ends_at) WHERE ends_at IS NOT NULL;
${tables.DRAWS.create()}
CREATE INDEX unreleased_draws ON draws (commitment) WHERE state = 'drawn';
${tables.CHALLENGES.create()}
CREATE INDEX challenges_by_post ON challenges (content_id, platform, id);
`;

const ATTEMPTS = `
${tables.ATTEMPTS.create()}
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
${tables.PLACES.create()}
${tables.PLACE_TOTALS.create()}
${tables.OUTBOX.create()}
CREATE INDEX outbox_by_owner ON outbox (owner, seq);
`;

const CHALLENGE_DATA = `
${tables.COMMENTS.create()}
CREATE INDEX comments_by_time ON comments (challenge_id, commented_at, id);
CREATE INDEX comments_by_author ON comments (challenge_id, author, commented_at, id);
CREATE INDEX comments_by_author_id ON comments (challenge_id, author_id, commented_at, id) WHERE author_id IS NOT NULL;
CREATE INDEX comments_by_scoped_id ON comments (challenge_id, scoped_author_id, commented_at, id)
  WHERE scoped_author_id IS NOT NULL;
CREATE INDEX comments_by_text ON comments (challenge_id, text_key, commented_at, id);
CREATE INDEX withheld_comments ON comments (challenge_id, visibility_at, id) WHERE withheld IS NOT NULL;
${tables.SWEEPS.create()}
${tables.METRICS.create()}
CREATE INDEX metrics_by_time ON metrics (challenge_id, fetched_at, seq);
${tables.LIKERS_FETCHES.create()}
CREATE INDEX likers_fetches_by_time ON likers_fetches (challenge_id, requested_at, id);
CREATE INDEX unfinished_likers_fetches ON likers_fetches (requested_at, id) WHERE status IN ('queued', 'running');
${tables.LIKERS.create()}
CREATE INDEX likers_by_id ON likers (fetch_id, id);
CREATE INDEX likers_by_handle ON likers (fetch_id, handle);
`;

const WEBHOOKS = `
${tables.WEBHOOKS.create()}
CREATE INDEX webhooks_by_brand ON webhooks (brand_id, id);
${tables.DELIVERIES.create()}
CREATE INDEX listed_deliveries ON deliveries (target, id, status, event, brand_id);
CREATE INDEX deliveries_by_creation ON deliveries (target, created_at, status);
CREATE INDEX deliveries_by_attempt ON deliveries (attempt_id, id) WHERE attempt_id IS NOT NULL;
CREATE INDEX failed_deliveries ON deliveries (target, finished_at, id, event) WHERE status = 'failed';
CREATE INDEX pending_deliveries ON deliveries (target, next_try_at, id, event) WHERE status = 'pending';
${tables.SUBSCRIPTIONS.create()}
`;

const JOBS = `
${tables.JOBS.create()}
CREATE UNIQUE INDEX live_jobs_by_key ON jobs (key) WHERE status <> 'dead';
CREATE INDEX due_jobs ON jobs (type, due_at, id, status) WHERE status <> 'dead';
CREATE INDEX dead_jobs ON jobs (id) WHERE status = 'dead';
CREATE TABLE purges (
  kind TEXT NOT NULL,
  target INTEGER NOT NULL,
  PRIMARY KEY (kind, target)
) STRICT, WITHOUT ROWID;
${tables.ONCE_KEYS.create()}
CREATE INDEX once_keys_by_expiry ON once_keys (expires_at);
${tables.CANARIES.create()}
`;

const ACCESS = `
${tables.TOKENS.create()}
CREATE INDEX tokens_by_role ON tokens (role, revoked_at);
${tables.USAGE.create()}
CREATE INDEX usage_by_period ON usage (period);
${tables.IDEMPOTENCY_KEYS.create()}
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
${tables.AUDIT_LOG.create()}
CREATE INDEX listed_audit_log ON audit_log (at, id, target, actor, operation);
CREATE INDEX audit_log_by_request ON audit_log (request_id, at, id);
`;

const BRAND_CONNECTIONS = `
${tables.BRAND_CONNECTIONS.create()}
CREATE INDEX brand_connections_by_brand ON brand_connections (brand_id, id);
CREATE INDEX due_brand_connections ON brand_connections (renew_at, id) WHERE renew_at IS NOT NULL;
${tables.OFFICIAL_POSTS.create()}
CREATE INDEX official_posts_by_api_id ON official_posts (platform, api_id);
`;

/** The statements that make all tables. */
export const SCHEMA = [CREATORS, CAMPAIGNS, ATTEMPTS, CHALLENGE_DATA, WEBHOOKS, JOBS, ACCESS, BRAND_CONNECTIONS].join(
  '',
);
