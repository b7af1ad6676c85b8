/** The configured admin token, and the one that is made when there is none. */
import { hash } from 'node:crypto';
import { createToken, type TokenDeps } from '../../core/access/manage-tokens.ts';
import { equalText } from '../../core/security/constant-time.ts';
import type { Authenticate } from '../http/access.ts';

/** What a start tells about the admin token. */
export interface AdminTokenResult {
  /** Set when this start made the first admin token: show it to the operator, it cannot be read again. */
  readonly generatedAdminToken?: string;
}

/**
 * Lets the configured token in with admin rights, and everything that `stored` knows. The configured token is compared, not
 * stored: changing the configuration changes it, and the old one is good no longer.
 */
export function withConfiguredToken(adminToken: string | undefined, stored: Authenticate): Authenticate {
  if (adminToken === undefined) return stored;
  const digest = (token: string) => hash('sha256', token, 'hex');
  const expected = digest(adminToken);
  const configured = Promise.resolve({
    role: 'admin',
    tokenId: null,
    externalId: null,
    key: 'token:configured',
  } as const);
  return (bearerToken) => (equalText(digest(bearerToken), expected) ? configured : stored(bearerToken));
}

/** Makes an admin token when none is configured and none is stored. */
export function ensureAdminToken(deps: TokenDeps, adminToken: string | undefined) {
  return async (): Promise<AdminTokenResult> => {
    if (
      adminToken !== undefined ||
      (await deps.storage.tokens.list({ activeAdmins: true }, { page: 1, limit: 1 })).total > 0
    )
      return {};
    const { token } = await createToken(deps)({ name: 'made at the first start', role: 'admin' });
    return { generatedAdminToken: token };
  };
}
