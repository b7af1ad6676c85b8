import { normaliseHandle } from '../../platforms/handle.ts';
import type { CreatorStore } from '../../ports/creator-store.ts';
import type { CreatorListRow } from './creator.ts';

/** One row per active handle, with what its creator has earned. */
export function listCreators(deps: { readonly creators: CreatorStore }) {
  return (): Promise<readonly CreatorListRow[]> => deps.creators.listRows();
}

/** Whether the handle is actively linked to a registered creator, on either platform. */
export function isHandleRegistered(deps: { readonly creators: CreatorStore }) {
  return async (handle: string): Promise<boolean> =>
    (await deps.creators.findByHandle(null, normaliseHandle(handle))).length > 0;
}
