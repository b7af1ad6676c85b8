/** Bearer tokens: only their SHA-256 is stored; the token itself is shown once. */
export const ROLES = ['admin', 'client', 'creator', 'brand'] as const;
/**
 * What a token may use. `admin`: everything; `client`: campaigns and lookups. `creator`: its own attempts and accounts; `brand`:
 * the campaigns, webhooks and results of one brand.
 */
export type Role = (typeof ROLES)[number];

/** How much a token may be used; what is not named is not limited. */
export interface TokenQuota {
  /** Requests in each window. */
  readonly requests?: number | undefined;
  /** The window of `requests`, in seconds. */
  readonly windowSeconds?: number | undefined;
  /** Web proofs that are begun in a day; the day starts with the first one. */
  readonly webProofsPerDay?: number | undefined;
}

/** A token as it is stored: without its secret, of which there is a hash. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  /** Set for role `creator` only: whose attempts and accounts the token may see. */
  readonly externalId: string | null;
  /** Set for role `brand` only: whose campaigns, webhooks and results the token may see and run. */
  readonly brandId: number | null;
  /** Null: none. */
  readonly quota: TokenQuota | null;
  /** Lower-case hex SHA-256 of the token. */
  readonly hash: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** Who makes a request. `tokenId` is null for a caller that a host's own authentication vouches for. */
export interface Caller {
  readonly role: Role;
  readonly tokenId: number | null;
  readonly externalId: string | null;
  /** The brand of role `brand`; other roles have none. */
  readonly brandId?: number | null;
  /** Counted under `key`. None by default. */
  readonly quota?: TokenQuota | null;
  /** A stable key for limits and usage, for example `token:7`. */
  readonly key: string;
}

/** Tells people apart. A host may count many of them under one key: none of them gets what another one began. */
export function personOf(caller: Caller | null): readonly unknown[] {
  return [caller?.key ?? 'anonymous', caller?.role, caller?.externalId, caller?.brandId ?? null];
}

/**
 * Returns true if a value is a caller. The host's own code makes callers, for requests and for calls in process, and a mistake
 * there would give access to everything.
 */
export function isCaller(value: unknown): value is Caller {
  if (typeof value !== 'object' || value === null) return false;
  const { role, key, externalId, brandId, tokenId }: Partial<Caller> = value;
  if (role === undefined || !ROLES.includes(role) || typeof key !== 'string' || key === '') return false;
  const isNamed = typeof externalId === 'string' && externalId !== '';
  return (isNamed || role !== 'creator') && isIdOrNone(brandId) && isIdOrNone(tokenId);
}

function isIdOrNone(id: number | null | undefined): boolean {
  return id === undefined || id === null || (Number.isSafeInteger(id) && id > 0);
}
