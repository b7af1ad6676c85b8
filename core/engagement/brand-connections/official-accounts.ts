/** The accounts of brands as readers and receivers see them: with tokens that are opened, and marked once those are refused. */
import { keepNewest } from '../../keep-newest.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import { monotonicMs } from '../../ports/clock.ts';
import type { ConfiguredAccount, OfficialAccount, OfficialAccounts } from '../../ports/official-api.ts';
import type { Needs } from '../use-case-parts.ts';
import { type BrandConnection, openTokens } from './brand-connection.ts';
import { endConnection } from './end-connection.ts';
import { LEASE_MS } from './renew-connections.ts';

export interface OfficialAccountsDeps
  extends Needs<'brandConnections', 'secretBox' | 'relay' | 'clock' | 'random' | 'logger'> {
  /** Accounts of the configuration, by platform. */
  readonly configured: ReadonlyMap<PlatformName, readonly ConfiguredAccount[]>;
}

/** Every read of a post asks. */
const REMEMBERED_MS = 3_000;
const MOST_REMEMBERED = 1_000;
/** A token that is refused sooner than this after it was renewed is not renewed once more. */
const YOUNG_MS = 10 * 60_000;

interface Remembered {
  readonly until: number;
  readonly accounts: Promise<readonly OfficialAccount[]>;
}

export function createOfficialAccounts(deps: OfficialAccountsDeps): OfficialAccounts {
  const { storage, secretBox, clock, logger, configured } = deps;
  const store = storage.brandConnections;
  const remembered = new Map<string, Remembered>();
  /** Tokens of the configuration that were refused, by account. */
  const refusedTokens = new Map<string, string>();

  async function read(
    platform: PlatformName,
    connections: Promise<readonly BrandConnection[]>,
    isWanted: (account: ConfiguredAccount) => boolean,
  ): Promise<readonly OfficialAccount[]> {
    const now = clock.now();
    const usable = (await connections).filter((one) => one.platform === platform && isUsable(one, now));
    const given = (configured.get(platform) ?? []).filter(isWanted);
    const opened = await Promise.all([...given.map((one) => asked(platform, one)), ...usable.map(open)]);
    return opened.filter((account) => account !== null);
  }

  function open(connection: BrandConnection): OfficialAccount | null {
    const { id, brandId, accountId, handle } = connection;
    try {
      const { accessToken } = openTokens(secretBox, connection);
      return { connectionId: id, brandId, accountId, handle, accessToken };
    } catch (err) {
      logger.warn({ err, connectionId: id }, 'the tokens of a connection do not open: its brand has to connect again');
      return null;
    }
  }

  async function asked(platform: PlatformName, account: ConfiguredAccount): Promise<OfficialAccount | null> {
    const { accessToken: given, ...rest } = account;
    try {
      const accessToken = typeof given === 'string' ? given : await given();
      const isRefused = refusedTokens.get(keyOf(platform, account)) === accessToken;
      return isRefused ? null : { ...rest, connectionId: null, accessToken };
    } catch (err) {
      logger.warn({ err, platform, handle: account.handle }, 'the access token of a configured account was not given');
      return null;
    }
  }

  function recent(key: string, ask: () => Promise<readonly OfficialAccount[]>): Promise<readonly OfficialAccount[]> {
    const now = monotonicMs(clock);
    const known = remembered.get(key);
    if (known !== undefined && now < known.until) return known.accounts;
    const accounts = ask();
    keepNewest(remembered, key, { until: now + REMEMBERED_MS, accounts }, MOST_REMEMBERED);
    // What failed is asked again at once.
    accounts.catch(() => remembered.delete(key));
    return accounts;
  }

  async function mark(account: OfficialAccount, why: Parameters<OfficialAccounts['refused']>[1]): Promise<void> {
    const connection = account.connectionId === null ? null : await store.find(account.connectionId);
    if (connection === null || connection.status !== 'active') return;
    const { accessToken, refreshToken } = openTokens(secretBox, connection);
    // Renewed or connected again meanwhile.
    if (accessToken !== account.accessToken) return;
    const now = clock.now();
    const isYoung = now.getTime() - connection.renewedAt.getTime() < YOUNG_MS;
    if (why !== 'expired' || refreshToken === null || isYoung) {
      await endConnection(deps, connection, why, 'The platform refused the access token.');
    } else if (connection.renewAt === null || connection.renewAt.getTime() > now.getTime() + LEASE_MS) {
      // Unless it is being renewed.
      await store.update(connection, { renewAt: now, expiresAt: now });
    }
  }

  return {
    of: (platform, brandId) =>
      recent(`brand:${platform}:${brandId}`, () =>
        read(platform, store.list({ brandId }), (account) => account.brandId === brandId),
      ),

    async byAccountId(platform, accountId) {
      const found = recent(`account:${platform}:${accountId}`, () =>
        read(platform, store.list({ platform, accountId }), (account) => account.accountId === accountId),
      );
      return (await found)[0] ?? null;
    },

    async refused(account, why) {
      remembered.clear();
      const { connectionId, brandId, handle } = account;
      logger.warn({ connectionId, brandId, handle, why }, 'a platform refuses the token of a connected account');
      if (connectionId === null) {
        for (const [platform, accounts] of configured) {
          const isOwn = accounts.some((one) => one.brandId === brandId && one.accountId === account.accountId);
          if (isOwn) refusedTokens.set(keyOf(platform, account), account.accessToken);
        }
        return;
      }
      await mark(account, why).catch((err: unknown) => {
        logger.warn({ err, connectionId }, 'a connection whose token is refused was not marked');
      });
    },

    findPost: (platform, which) => store.findPost(platform, which),
    rememberPosts: (platform, posts) => store.rememberPosts(platform, posts),
  };
}

function isUsable({ status, expiresAt }: BrandConnection, now: Date): boolean {
  return status === 'active' && (expiresAt === null || expiresAt > now);
}

function keyOf(platform: PlatformName, { brandId, accountId }: Pick<ConfiguredAccount, 'brandId' | 'accountId'>) {
  return `${platform}:${brandId}:${accountId}`;
}
