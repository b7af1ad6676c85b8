/** Periodic work on connections: tokens are renewed before they end, and platforms are asked to push comments. */
import { isDomainError } from '../../errors.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { OfficialAccounts, OfficialApi, OfficialTokens, Refusal } from '../../ports/official-api.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import { type BrandConnection, openTokens, sealTokens } from './brand-connection.ts';
import { type EndConnectionDeps, endConnection } from './end-connection.ts';

export interface RenewConnectionsDeps extends EndConnectionDeps, Pick<UseCaseParts, 'secretBox' | 'logger'> {
  readonly officialApis: ReadonlyMap<PlatformName, OfficialApi>;
  readonly officialAccounts: OfficialAccounts;
  /** The receiver of what a platform pushes. */
  readonly pushUrl: (platform: PlatformName) => string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Tokens are renewed this long before they end, or after half of their time if that is later. */
const AHEAD_MS = 10 * DAY_MS;
/** Longer than any work on a connection takes; then another process takes it over. */
export const LEASE_MS = 5 * MINUTE_MS;
const LONGEST_DELAY_MS = 6 * 60 * MINUTE_MS;
const BATCH = 50;
/** Renewed tokens replace the ones before, which the platform may refuse by then: storing them is tried for some seconds. */
const STORE_DELAYS_MS = [200, 500, 1_000, 2_000, 4_000];
const MAX_MESSAGE = 300;

/** When tokens that came at a time are renewed; null if they do not end. */
export function renewalOf({ renewedAt, expiresAt }: Pick<BrandConnection, 'renewedAt' | 'expiresAt'>): Date | null {
  if (expiresAt === null) return null;
  const lifeMs = expiresAt.getTime() - renewedAt.getTime();
  return new Date(expiresAt.getTime() - Math.min(AHEAD_MS, lifeMs / 2));
}

/** What is noted of a failure, and when the work is tried again: after 1, 4, 16, 64 minutes, then every 6 hours. */
export function failureOf({ lastFailure }: Pick<BrandConnection, 'lastFailure'>, thrown: unknown, now: Date) {
  const times = (lastFailure?.times ?? 0) + 1;
  const error = isDomainError(thrown) ? thrown.code : 'INTERNAL_ERROR';
  // What is no refusal may hold anything.
  const message = isDomainError(thrown)
    ? thrown.message.toWellFormed().slice(0, MAX_MESSAGE)
    : 'It failed unexpectedly.';
  const delayMs = Math.min(4 ** (times - 1) * MINUTE_MS, LONGEST_DELAY_MS);
  return { lastFailure: { at: now, error, message, times }, renewAt: new Date(now.getTime() + delayMs) };
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'token-expired': 'expired',
  'token-revoked': 'revoked',
  'token-scope': 'scope',
};

/** Whether an API refuses tokens for good, and why. */
function refusalIn(error: unknown): Refusal | null {
  const reason = isDomainError(error) ? error.details?.reason : undefined;
  return typeof reason === 'string' ? (REFUSALS[reason] ?? null) : null;
}

/**
 * Works on the connections that are due, the longest wait first, at most 50 a call. To be called every now and then by any number of
 * processes: each connection is claimed by one of them. Returns how many it worked on.
 */
export function renewConnections(deps: RenewConnectionsDeps) {
  const { storage, clock, logger } = deps;
  const store = storage.brandConnections;
  const subscribeConfigured = configuredSubscriptions(deps);

  async function work(due: BrandConnection): Promise<boolean> {
    const api = deps.officialApis.get(due.platform);
    const now = clock.now();
    const claimed = await store.update(due, { renewAt: new Date(now.getTime() + LEASE_MS) });
    if (claimed === null || api === undefined) return false;
    let connection = claimed;
    try {
      const renewal = renewalOf(connection);
      if (renewal !== null && renewal <= now) connection = await renewed(deps, api, connection);
      const subscribedAt = connection.subscribedAt ?? (await subscribe(deps, api, connection));
      await store.update(connection, { subscribedAt, renewAt: renewalOf(connection), lastFailure: null });
    } catch (error) {
      await failed(connection, error);
    }
    return true;
  }

  async function failed(connection: BrandConnection, error: unknown): Promise<void> {
    const { id: connectionId, platform, expiresAt } = connection;
    logger.warn({ err: error, connectionId, platform }, 'a connection of a brand was not renewed; it is tried again');
    const now = clock.now();
    const { lastFailure, renewAt } = failureOf(connection, error, now);
    const isOver = expiresAt !== null && expiresAt <= now && !canRefresh(deps, connection, now);
    const reason = refusalIn(error) ?? (isOver ? 'expired' : null);
    if (reason === null) await store.update(connection, { lastFailure, renewAt });
    else await endConnection(deps, connection, reason, lastFailure.message);
  }

  return async (): Promise<number> => {
    await subscribeConfigured();
    let worked = 0;
    for (const due of await store.list({ dueBy: clock.now(), limit: BATCH })) if (await work(due)) worked += 1;
    return worked;
  };
}

/** Whether fresh tokens may come although the access token has ended. */
function canRefresh({ secretBox }: Pick<RenewConnectionsDeps, 'secretBox'>, connection: BrandConnection, now: Date) {
  try {
    const { refreshToken, refreshExpiresAt } = openTokens(secretBox, connection);
    return refreshToken !== null && (refreshExpiresAt === null || refreshExpiresAt > now);
  } catch {
    return false;
  }
}

async function renewed(
  { storage, secretBox, clock }: RenewConnectionsDeps,
  api: OfficialApi,
  claimed: BrandConnection,
): Promise<BrandConnection> {
  const store = storage.brandConnections;
  const tokens: OfficialTokens = await api.renew(openTokens(secretBox, claimed));
  const changes = { ...sealTokens(secretBox, claimed, tokens), status: 'active', renewedAt: clock.now() } as const;
  // The lease still holds the connection: with these tokens nothing is due before it is stored.
  let current: BrandConnection | null = claimed;
  for (const delayMs of [...STORE_DELAYS_MS, null]) {
    try {
      // Others may have marked it meanwhile. Tokens that were replaced meanwhile stay: the brand has connected again.
      while (current !== null && current.sealedTokens === claimed.sealedTokens) {
        const stored: BrandConnection | null = await store.update(current, changes);
        if (stored !== null) return stored;
        current = await store.find(claimed.id);
      }
      return current ?? claimed;
    } catch (error) {
      if (delayMs === null) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return claimed;
}

/** @returns since when comments are pushed */
export async function subscribe(
  deps: Pick<RenewConnectionsDeps, 'secretBox' | 'clock' | 'pushUrl'>,
  api: OfficialApi,
  connection: BrandConnection,
): Promise<Date> {
  const { id, brandId, platform, accountId, handle } = connection;
  const { accessToken } = openTokens(deps.secretBox, connection);
  await api.push.subscribe({ connectionId: id, brandId, accountId, handle, accessToken }, deps.pushUrl(platform));
  return deps.clock.now();
}

/** Subscribes to comments of the accounts of the configuration, once in a process; those that fail are tried again. */
function configuredSubscriptions({ officialApis, officialAccounts, logger, pushUrl }: RenewConnectionsDeps) {
  const left = [...officialApis.values()].flatMap((api) => api.accounts.map(({ accountId }) => ({ api, accountId })));
  return async (): Promise<void> => {
    for (const one of left.splice(0)) {
      const { platform, push } = one.api;
      try {
        const account = await officialAccounts.byAccountId(platform, one.accountId);
        if (account === null) left.push(one);
        else await push.subscribe(account, pushUrl(platform));
      } catch (err) {
        left.push(one);
        logger.warn({ err, platform }, 'comments of a configured account are not pushed yet; it is tried again');
      }
    }
  };
}
