/** An account of a brand that the platform's own API may read. */
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { OfficialTokens, Refusal } from '../../ports/official-api.ts';
import type { SecretBox } from '../../ports/secret-box.ts';

/** `active`, or why the owner has to connect the account again. */
export type BrandConnectionStatus = 'active' | Refusal;

/** An account that a brand has connected. */
export interface BrandConnection {
  readonly id: number;
  readonly brandId: number;
  readonly platform: PlatformName;
  /** How the API names the account. Of a platform's accounts each is connected once. */
  readonly accountId: string;
  /** Normalised. */
  readonly handle: string;
  /** What the owner has allowed. */
  readonly scopes: readonly string[];
  readonly status: BrandConnectionStatus;
  /** See `sealTokens`; never the tokens themselves. */
  readonly sealedTokens: string;
  /** When the access token ends; null if the API does not say. */
  readonly expiresAt: Date | null;
  /** When renewing ends; null if it has no end. */
  readonly refreshExpiresAt: Date | null;
  /** When there is work to do: tokens to be renewed, or comments to be asked for. Null if there is none. */
  readonly renewAt: Date | null;
  /** When the tokens came. */
  readonly renewedAt: Date;
  /** Since when the platform pushes comments of the account; null if it could not be asked to yet. */
  readonly subscribedAt: Date | null;
  readonly connectedAt: Date;
  /** Why the last work failed; null once it succeeds. */
  readonly lastFailure: ConnectionFailure | null;
  /** Counts what was written. */
  readonly revision: number;
}

/** Why work on a connection failed. */
export interface ConnectionFailure {
  readonly at: Date;
  /** A code of the error catalogue. */
  readonly error: string;
  readonly message: string;
  /** Failures in a row. */
  readonly times: number;
}

/** Bound to the account: tokens that are put into another row do not open. */
function contextOf({ platform, accountId }: Pick<BrandConnection, 'platform' | 'accountId'>): string {
  return `brand-connection:${platform}:${accountId}`;
}

/** What a connection keeps of tokens: the secrets sealed, beside when they end. */
export function sealTokens(
  box: SecretBox,
  account: Pick<BrandConnection, 'platform' | 'accountId'>,
  { accessToken, refreshToken, expiresAt, refreshExpiresAt }: OfficialTokens,
): Pick<BrandConnection, 'sealedTokens' | 'expiresAt' | 'refreshExpiresAt'> {
  const sealedTokens = box.seal(JSON.stringify([accessToken, refreshToken]), contextOf(account));
  return { sealedTokens, expiresAt, refreshExpiresAt };
}

/** @throws Error if they were sealed by another key */
export function openTokens(box: SecretBox, connection: BrandConnection): OfficialTokens {
  const { sealedTokens, expiresAt, refreshExpiresAt } = connection;
  // Sound: `sealTokens` wrote it.
  const secrets = JSON.parse(box.open(sealedTokens, contextOf(connection))) as readonly [string, string | null];
  const [accessToken, refreshToken] = secrets;
  return { accessToken, refreshToken, expiresAt, refreshExpiresAt };
}
