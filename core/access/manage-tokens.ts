/** Creates, lists, revokes and recognises API tokens. */
import type { Needs } from '../engagement/use-case-parts.ts';
import { DomainError, noSuch } from '../errors.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { Stores } from '../ports/storage.ts';
import { encodeBase64Url } from '../security/base64.ts';
import { equalText } from '../security/constant-time.ts';
import { hashToken } from '../security/token-hash.ts';
import type { ApiToken, Caller, Role, TokenQuota } from './token.ts';

/** Marks our tokens, so that people and secret scanners recognise them. */
const PREFIX = 'crd_';
const TOKEN_BYTES = 32;

export type TokenDeps = Needs<'tokens' | 'brands', 'clock' | 'random'>;

export interface CreateTokenInput {
  readonly name: string;
  readonly role: Role;
  /** Required for role `creator`, refused for the others. */
  readonly externalId?: string | null | undefined;
  /** Required for role `brand`, refused for the others. */
  readonly brandId?: number | null | undefined;
  readonly quota?: TokenQuota | null | undefined;
}

/** Makes a token of 256 random bits, which is never to be had again: only its hash is stored. @throws DomainError `INVALID_REQUEST`, `NOT_FOUND` (brand) */
export function createToken(deps: TokenDeps) {
  return async (input: CreateTokenInput) => {
    const { name, role, externalId = null, brandId = null, quota = null } = input;
    if ((role === 'creator') !== (externalId !== null)) {
      throw new DomainError(
        'INVALID_REQUEST',
        'externalId is required for role "creator" and belongs to no other role.',
      );
    }
    if ((role === 'brand') !== (brandId !== null)) {
      throw new DomainError('INVALID_REQUEST', 'brandId is required for role "brand" and belongs to no other role.');
    }
    if (brandId !== null && (await deps.storage.brands.find(brandId)) === null) throw noSuch('brand', brandId);
    const token = PREFIX + encodeBase64Url(deps.random.bytes(TOKEN_BYTES));
    const stored = await deps.storage.tokens.create({
      name,
      role,
      externalId,
      brandId,
      quota,
      hash: hashToken(token),
      createdAt: deps.clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    return { stored, token };
  };
}

/** Tokens by id, revoked ones too: a page, or all of them. */
export function listTokens(deps: Stores<'tokens'>) {
  return (page?: PageRequest): Promise<Page<ApiToken>> => deps.storage.tokens.list({}, page);
}

/**
 * Revokes a token for good; idempotent. A token can revoke neither itself nor, once it is revoked, others: one admin token stays.
 * @throws DomainError `NOT_FOUND`, `CONFLICT`; `UNAUTHORIZED` if the caller's token was revoked meanwhile
 */
export function revokeToken(deps: Pick<TokenDeps, 'storage' | 'clock'>) {
  return async ({ tokenId, caller }: { tokenId: number; caller: Caller | null }): Promise<ApiToken> => {
    if (caller?.tokenId === tokenId) {
      throw new DomainError('CONFLICT', 'This token makes the request itself: revoke it with another admin token.');
    }
    const token = await deps.storage.tokens.revoke(tokenId, deps.clock.now(), caller?.tokenId ?? undefined);
    if (token === false) throw new DomainError('UNAUTHORIZED', 'The token of this request was revoked meanwhile.');
    if (token === null) throw noSuch('token', tokenId);
    return token;
  };
}

/** Who sends this bearer token; null when it is unknown or revoked. Works for tokens of any form, also configured ones. */
export function authenticate(deps: Stores<'tokens'>) {
  return async (bearerToken: string): Promise<Caller | null> => {
    const hash = hashToken(bearerToken);
    const stored = await deps.storage.tokens.findByHash(hash);
    if (stored === null || !equalText(stored.hash, hash)) return null;
    const { id, role, externalId, brandId, quota } = stored;
    const bounds = { ...(brandId === null ? {} : { brandId }), ...(quota === null ? {} : { quota }) };
    return { role, tokenId: id, externalId, ...bounds, key: `token:${id}` };
  };
}
