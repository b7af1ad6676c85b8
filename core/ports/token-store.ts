import type { ApiToken } from '../access/token.ts';
import type { Page, PageRequest } from './paging.ts';

/** API tokens, by their hashes. */
export interface TokenStore {
  /** Stores a token. */
  create(token: Omit<ApiToken, 'id'>): Promise<ApiToken>;
  /** The token with this hash, unless revoked. */
  findByHash(hash: string): Promise<ApiToken | null>;
  /** Revoked ones too, by id. */
  list(): Promise<readonly ApiToken[]>;
  /** Those of these that are there, revoked ones too, by id. At most 1,000 ids a call. */
  findMany(ids: readonly number[]): Promise<readonly ApiToken[]>;
  /** A page of all tokens, by id. */
  listPage(page: PageRequest): Promise<Page<ApiToken>>;
  /**
   * Null when there is no such token; revoking twice keeps the first time. False, and nothing changes, if the token `by` is revoked at
   * that moment. So of tokens that revoke each other at once, one stays. `by` is not `id`.
   */
  revoke(id: number, now: Date, by?: number): Promise<ApiToken | null | false>;
  /** Whether an admin token is there that is not revoked. */
  hasAdmin(): Promise<boolean>;
}
