import type { ConnectionRequest } from '../engagement/connection.ts';

export interface ConnectionStore {
  create(request: ConnectionRequest): Promise<void>;
  find(id: string): Promise<ConnectionRequest | null>;
  /** Compare-and-set on `before.revision`; exactly one of concurrent callers gets true. */
  update(before: ConnectionRequest, after: ConnectionRequest): Promise<boolean>;
  /**
   * Remembers a one-time key (a signed callback's id) until `expiresAt`. True for exactly one caller; false for every
   * later one until it expired.
   */
  claimOnce(key: string, expiresAt: Date, now: Date): Promise<boolean>;
}
