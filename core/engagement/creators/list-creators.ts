import { inPieces } from '../../bulk.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Stores } from '../../ports/storage.ts';
import type { CreatorListRow, SocialAccount } from './creator.ts';

/** Rows in one piece. */
const PIECE = 500;

/**
 * One row per active handle, with what its creator has earned. Each piece is read when the caller asks for it; links that are made or
 * ended meanwhile may be missing or included.
 */
export function listCreators(deps: Stores<'creators'>) {
  return () =>
    inPieces<CreatorListRow>(async (last) => {
      const page = { page: 1, limit: PIECE, after: last && { id: last.account.id } };
      return (await deps.storage.creators.listPage(page)).items;
    });
}

/** A page of these rows, in the same order. */
export function listCreatorPage(deps: Stores<'creators'>) {
  return (page: PageRequest): Promise<Page<CreatorListRow>> => deps.storage.creators.listPage(page);
}

/** Whether the handle is actively linked to a registered creator, on either platform. */
export function isHandleRegistered(deps: Stores<'creators'>) {
  return async (handle: string): Promise<boolean> =>
    (await deps.storage.creators.findByHandle(null, normaliseHandle(handle))).length > 0;
}

/** All links of a creator, disconnected ones too, by id; none for an externalId that was never registered. */
export function listAccounts({ storage: { creators } }: Stores<'creators'>) {
  return async (externalId: string): Promise<readonly SocialAccount[]> => {
    const creator = await creators.find({ externalId });
    return creator === null ? [] : creators.accountsOf(creator.id);
  };
}
