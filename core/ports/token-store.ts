import type { ApiToken } from '../access/token.ts';
import type { Page, PageRequest } from './paging.ts';

/** Which tokens a list is about; all of them by default. */
export interface TokenFilter {
  /** At most 1,000 a call. */
  readonly ids?: readonly number[];
  /** Only admin tokens that are not revoked. */
  readonly activeAdmins?: true;
}

/** API tokens, by their hashes. */
export interface TokenStore {
  /** Stores a token. */
  create(token: Omit<ApiToken, 'id'>): Promise<ApiToken>;
  /** The token with this hash, unless revoked. */
  findByHash(hash: string): Promise<ApiToken | null>;
  /** By id, revoked ones too: a page of what the filter leaves, or all of it. */
  list(filter: TokenFilter, page?: PageRequest): Promise<Page<ApiToken>>;
  /**
   * Null when there is no such token; revoking twice keeps the first time. False, and nothing changes, if the token `by` is revoked at
   * that moment. So of tokens that revoke each other at once, one stays. `by` is not `id`.
   */
  revoke(id: number, now: Date, by?: number): Promise<ApiToken | null | false>;
}
