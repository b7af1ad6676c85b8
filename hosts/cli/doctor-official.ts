/** What `credence doctor` says about official APIs: whether they are set up, and whether a connected account can be read. */
import { type Credence, isDomainError, PARTS, partOf, TOKENS } from 'credence/kit';
import type { OfficialAccount, OfficialApi } from '../../core/ports/official-api.ts';

/** What one check of `credence doctor` says. */
export interface Finding extends Outcome {
  readonly name: string;
}
export interface Outcome {
  readonly outcome: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
}

const ASK_TIMEOUT_MS = 15_000;
/** A well-formed id on every platform, and nobody's post: a platform that answers says that the account has none. */
const NO_POST = '1000000000000000001';
/** Connections among which one is looked for. */
const MOST_CONNECTIONS = 100;
const FAR_FUTURE = new Date('9999-01-01');

/** One finding for each platform whose official API is set up. Stores nothing, and announces nothing. */
export async function checkOfficialApis(
  credence: Credence,
  publicUrl: unknown,
  record: (finding: Finding) => void,
): Promise<void> {
  const { checks } = await credence.health();
  for (const api of partOf(credence, PARTS.officialApis).values()) {
    const lost = checks[`${api.platform}-connections`] ?? 'ok';
    const warnings = [
      ...(publicUrl === undefined ? ['set PUBLIC_URL: the platform pushes comments there'] : []),
      ...(api.redirectUris.length + api.accounts.length === 0
        ? [`set platforms.${api.platform}.official.redirectUris: without one no account can be connected`]
        : []),
      ...(lost === 'ok' ? [] : [lost]),
    ];
    const account = await accountOf(credence, api);
    const asked = account === null ? NOBODY : await readAs(credence, api, account);
    const outcome = warnings.length > 0 && asked.outcome !== 'failed' ? 'warning' : asked.outcome;
    record({ name: `${api.platform} accounts`, outcome, detail: [asked.detail, ...warnings].join('\n') });
  }
}

const NOBODY = { outcome: 'skipped', detail: 'no account is connected that could be read' } as const;

/** An account that the platform should let us read. */
async function accountOf(credence: Credence, { platform, accounts }: OfficialApi): Promise<OfficialAccount | null> {
  const { brandConnections } = partOf(credence, TOKENS.storage);
  const connected = [
    ...(await brandConnections.list({ dueBy: FAR_FUTURE, limit: MOST_CONNECTIONS })),
    // Those that are never renewed are due at no time.
    ...(await brandConnections.list({ newest: true })),
  ].filter((each) => each.platform === platform && each.status === 'active');
  for (const { accountId } of [...accounts, ...connected]) {
    const account = await partOf(credence, PARTS.officialAccounts).byAccountId(platform, accountId);
    if (account !== null) return account;
  }
  return null;
}

async function readAs(credence: Credence, api: OfficialApi, account: OfficialAccount): Promise<Outcome> {
  const [clock, random, logger] = [TOKENS.clock, TOKENS.random, TOKENS.logger] as const;
  const reader = api.createReader(
    { clock: partOf(credence, clock), random: partOf(credence, random), logger: partOf(credence, logger) },
    // The host that runs notes a refusal, and announces it.
    {
      of: async () => [account],
      byAccountId: async () => account,
      refused: async () => {},
      findPost: async () => null,
      rememberPosts: async () => {},
    },
  );
  const post = { platform: api.platform, contentType: 'post', contentId: NO_POST, canonicalUrl: '' } as const;
  const { brandId, handle } = account;
  try {
    await reader.getPost(post, { brandId, signal: AbortSignal.timeout(ASK_TIMEOUT_MS) });
  } catch (error) {
    if (!isDomainError(error)) throw error;
    if (error.code !== 'NOT_SUPPORTED')
      return { outcome: 'failed', detail: `${handle}: ${error.code}: ${error.message}` };
  } finally {
    await reader.close();
  }
  return { outcome: 'ok', detail: `the platform answers for ${handle}` };
}
