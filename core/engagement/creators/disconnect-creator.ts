import { DomainError } from '../../errors.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import type { SocialAccount } from './creator.ts';

export interface DisconnectCreatorDeps {
  readonly storage: Pick<Storage, 'creators'>;
  readonly platforms: Pick<PlatformRegistry, 'labelOf'>;
  readonly clock: Clock;
}

export interface DisconnectInput {
  readonly externalId: string;
  readonly platform: PlatformName;
  /** With or without `@`; upper and lower case are the same. */
  readonly handle: string;
}

export type EndedLink = SocialAccount & { readonly disconnectedAt: Date };

/**
 * Ends a link; attempts, matched comments and rewards stay.
 * @throws DomainError `NOT_FOUND` when no active link matches, also for all but one of concurrent calls
 */
export function disconnectCreator(deps: DisconnectCreatorDeps) {
  return async ({ externalId, platform, handle }: DisconnectInput): Promise<EndedLink> => {
    const link = { externalId, platform, handle: normaliseHandle(handle) };
    const now = deps.clock.now();
    const account = await deps.storage.creators.disconnect(link, now);
    if (account === null) {
      const label = deps.platforms.labelOf(platform);
      throw new DomainError('NOT_FOUND', `No active ${label} link of this externalId has this handle.`);
    }
    return { ...account, disconnectedAt: account.disconnectedAt ?? now };
  };
}
