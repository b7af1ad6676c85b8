/** `GET /social-accounts`: a creator's linked handles. */
import type { CreatorStore } from '../../ports/creator-store.ts';
import type { SocialAccount } from '../creators/creator.ts';

/** All links of a creator, disconnected ones too, by id; none for an externalId that was never registered. */
export type ListAccounts = (externalId: string) => Promise<readonly SocialAccount[]>;

export function listAccounts(creators: CreatorStore): ListAccounts {
  return async (externalId) => {
    const creator = await creators.findByExternalId(externalId);
    return creator === null ? [] : creators.accountsOf(creator.id);
  };
}
