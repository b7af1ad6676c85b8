/** Begins the flow by which a creator proves that a profile is theirs. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';
import type { Needs } from '../use-case-parts.ts';
import type { ConnectionRequest } from './connection.ts';
import { allowedReturnUrl } from './return-url.ts';

export const CONNECTION_LIFETIME_MS = 30 * 60_000;
export const CONNECTION_MAX_CHECKS = 10;
/** Requests of one creator that may be open at a time. */
export const MAX_OPEN_CONNECTIONS = 10;

export interface StartConnectionInput {
  readonly externalId: string;
  readonly platform: PlatformName;
  /** The handle when the caller knows it; otherwise the page asks for it. */
  readonly handle: string | null;
  /** Where the page leads back to. */
  readonly returnUrl?: string | undefined;
}

export interface StartConnectionDeps extends Needs<'connections', 'clock' | 'random'> {
  readonly platforms: PlatformRegistry;
  /** Origins that the page may lead back to; none by default. */
  readonly returnOrigins?: readonly string[];
}

/**
 * @throws DomainError `INVALID_REQUEST` if the handle cannot exist on the platform or the origin of `returnUrl` is not listed; `SCRAPING_RATE_LIMITED` if the creator has
 * `MAX_OPEN_CONNECTIONS` requests open, with the seconds until the first of them expires
 */
export function startConnection(deps: StartConnectionDeps) {
  const { platforms, clock, random, returnOrigins = [] } = deps;
  return async ({ externalId, platform, handle, returnUrl }: StartConnectionInput): Promise<ConnectionRequest> => {
    const normalised = handle === null ? null : platforms.parseHandle(platform, handle);
    if (handle !== null && normalised === null) {
      throw new DomainError('INVALID_REQUEST', `inputs.handle: not a handle of ${platforms.labelOf(platform)}.`);
    }
    const now = clock.now();
    const request: ConnectionRequest = {
      id: bytesToHex(random.bytes(24)),
      externalId,
      platform,
      handle: normalised,
      code: `credence-${readable(random.bytes(10))}`,
      status: 'pending',
      checks: 0,
      maxChecks: CONNECTION_MAX_CHECKS,
      accountId: null,
      ...(returnUrl === undefined ? {} : { returnUrl: allowedReturnUrl(returnUrl, returnOrigins) }),
      createdAt: now,
      expiresAt: new Date(now.getTime() + CONNECTION_LIFETIME_MS),
      revision: 0,
    };
    const creation = await deps.storage.connections.create(request, MAX_OPEN_CONNECTIONS);
    if (!creation.stored) throw tooManyOpen(creation.until, now);
    return request;
  };
}

function tooManyOpen(until: Date, now: Date): DomainError {
  return new DomainError(
    'SCRAPING_RATE_LIMITED',
    `This creator has ${MAX_OPEN_CONNECTIONS} connection requests open: finish one, or wait until one expires.`,
    {
      details: { limit: 'open-connections', max: MAX_OPEN_CONNECTIONS },
      retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)),
    },
  );
}

/** Letters and digits that are not mistaken for one another; 32 of them, so no byte is favoured. */
function readable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => 'abcdefghjkmnpqrstuvwxyz123456789'[byte % 32]).join('');
}
