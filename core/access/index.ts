/** Binds what decides who may call, and counts what was used. */
import { type AuditDeps, listAudit, recordAction } from './audit.ts';
import { authenticate, createToken, listTokens, revokeToken, type TokenDeps } from './manage-tokens.ts';
import { createUsageMeter, type UsageMeterDeps } from './usage.ts';

export type AccessDeps = TokenDeps & UsageMeterDeps & AuditDeps;

export type Access = ReturnType<typeof createAccess>;

export function createAccess(deps: AccessDeps) {
  return {
    tokens: {
      create: createToken(deps),
      list: listTokens(deps),
      revoke: revokeToken(deps),
    },
    audit: { record: recordAction(deps), list: listAudit(deps) },
    authenticate: authenticate(deps),
    usage: createUsageMeter(deps),
  };
}
