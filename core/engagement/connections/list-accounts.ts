/** A creator's linked handles. */
import type { Stores } from '../../ports/storage.ts';
import type { SocialAccount } from '../creators/creator.ts';

/** All links of a creator, disconnected ones too, by id; none for an externalId that was never registered. */
export type ListAccounts = (externalId: string) => Promise<readonly SocialAccount[]>;

export function listAccounts(deps: Stores<'creators'>): ListAccounts {
  const { creators } = deps.storage;
  return async (externalId) => {
    const creator = await creators.find({ externalId });
    return creator === null ? [] : creators.accountsOf(creator.id);
  };
}
