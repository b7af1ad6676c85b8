import { normaliseHandle } from '../../platforms/handle.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { Stores } from '../../ports/storage.ts';
import type { CreatorListRow } from './creator.ts';

/** One row per active handle, with what its creator has earned; read piece by piece. */
export function listCreators(deps: Stores<'creators'>) {
  return (): AsyncIterable<readonly CreatorListRow[]> => deps.storage.creators.listRows();
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
