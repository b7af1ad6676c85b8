import type { Stores } from '../../ports/storage.ts';
import type { SocialAccount } from '../creators/creator.ts';

/** All links of a creator, disconnected ones too, by id; none for an externalId that was never registered. */
export function listAccounts({ storage: { creators } }: Stores<'creators'>) {
  return async (externalId: string): Promise<readonly SocialAccount[]> => {
    const creator = await creators.find({ externalId });
    return creator === null ? [] : creators.accountsOf(creator.id);
  };
}
