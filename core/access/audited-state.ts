/** What the audit log keeps of a thing, before and after a change: named fields only, so that no secret is among them. */
import type { Stores } from '../ports/storage.ts';

/** What actions of administrators are about. A challenge is read from the platform, a job from the queue: they have no state here. */
export type AuditKind =
  | 'brand'
  | 'brandConnection'
  | 'campaign'
  | 'challenge'
  | 'attempt'
  | 'webhook'
  | 'token'
  | 'creator'
  | 'job';

/** The stores of what has a state. */
export type AuditedStore = `${Exclude<AuditKind, 'challenge' | 'job'>}s`;

const MASKED = '[redacted]';

/** Returns the state of a thing; null if it is not there, or has none. */
export function auditedState(deps: Stores<AuditedStore>) {
  const { tokens, brands, brandConnections, campaigns, webhooks, attempts, creators } = deps.storage;

  const readers: Readonly<Record<AuditKind, (id: number) => Promise<unknown>>> = {
    brand: (id) => brands.find(id),
    brandConnection: async (id) => {
      const found = await brandConnections.find(id);
      if (found === null) return null;
      const { brandId, platform, accountId, handle, scopes, status } = found;
      return { brandId, platform, accountId, handle, scopes, status, tokens: MASKED };
    },
    campaign: (id) => campaigns.find(id),
    challenge: async () => null,
    job: async () => null,
    attempt: async (id) => {
      const found = await attempts.find(id);
      if (found === null) return null;
      const { challengeId, userId, state, retryCount, pointsAwarded } = found;
      return { challengeId, userId, state, retryCount, pointsAwarded };
    },
    webhook: async (id) => {
      const found = await webhooks.find(id);
      if (found === null) return null;
      const { brandId, url, events, active, description, previousSecret } = found;
      const previousSecretUntil = previousSecret?.validUntil ?? null;
      return { brandId, url: maskedUrl(url), events, active, description, secret: MASKED, previousSecretUntil };
    },
    token: async (id) => {
      const [found] = (await tokens.list({ ids: [id] })).items;
      if (found === undefined) return null;
      const { name, role, externalId, brandId, quota, revokedAt } = found;
      return { name, role, externalId, brandId, quota, revokedAt, token: MASKED };
    },
    creator: async (id) => {
      const [creator, linked] = await Promise.all([creators.find(id), creators.accountsOf(id)]);
      if (creator === null) return null;
      const accounts = linked.map((account) => {
        const { platform, platformUsername, ownershipProven, connectedAt, disconnectedAt } = account;
        return { platform, platformUsername, ownershipProven, connectedAt, disconnectedAt };
      });
      return { externalId: creator.externalId, displayName: creator.displayName, accounts };
    },
  };

  return async (kind: AuditKind, id: number | string | undefined): Promise<unknown> =>
    typeof id === 'number' ? readers[kind](id) : null;
}

/** A URL without the values of its query, which may be credentials. */
function maskedUrl(text: string): string {
  const url = new URL(text);
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted');
  return url.href;
}
