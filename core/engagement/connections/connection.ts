/**
 * A request to connect a social account with proof of ownership (docs/specification/engagement.md#creators-and-social-accounts).
 */
import { DomainError } from '../../errors.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';

/** A proof of the logged-in account carries the one-time code here, as the connect page says. */
export const CODE_HEADER = 'x-credence-code';
/** Or here, if the prover cannot set a header. The platforms ignore it. */
export const CODE_PARAMETER = 'credence_code';

/** What became of a request. */
export type ConnectionStatus = 'pending' | 'connected' | 'expired' | 'failed';

/** A request to connect an account, with its one-time code. */
export interface ConnectionRequest {
  /** Unguessable; part of `redirectUrl`. */
  readonly id: string;
  readonly externalId: string;
  readonly platform: PlatformName;
  readonly handle: string | null;
  /** The one-time code that has to be in the bio. */
  readonly code: string;
  readonly status: ConnectionStatus;
  readonly checks: number;
  readonly maxChecks: number;
  readonly accountId: number | null;
  /** Where the page leads back to; allowed when the request was made. */
  readonly returnUrl?: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revision: number;
}

export const noConnectionRequest = () => new DomainError('NOT_FOUND', 'There is no such connection request.');
