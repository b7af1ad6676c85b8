import type { ConnectionRequest } from '../engagement/connections/connection.ts';

/** Whether a request was stored; if not, until when the creator has too many. */
export type ConnectionCreation = { readonly stored: true } | { readonly stored: false; readonly until: Date };

/** Requests to connect an account. */
export interface ConnectionStore {
  /**
   * Stores a request, unless its creator has `maxOpen` pending ones already that have not expired when it was created. Then
   * nothing is stored, and `until` is the time when the first of those expires. Of concurrent calls no more are stored than
   * `maxOpen` allows; they may all be refused.
   */
  create(request: ConnectionRequest, maxOpen?: number): Promise<ConnectionCreation>;
  /** Null if there is no such request. */
  find(id: string): Promise<ConnectionRequest | null>;
  /** Compare-and-set on `before.revision`; exactly one of concurrent callers gets true. */
  update(before: ConnectionRequest, after: ConnectionRequest): Promise<boolean>;
}
