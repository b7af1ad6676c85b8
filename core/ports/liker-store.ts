import type { LikersFetch, NewLiker, StoredLiker } from '../engagement/challenge-data/comment.ts';
import type { AuthorKey } from '../platforms/author-key.ts';
import type { Page, PageRequest } from './paging.ts';
import type { Waiting, WaitingCursor } from './waiting.ts';

/** Who a liker is. */
export type FoundLiker = Pick<StoredLiker, 'igUserId' | 'username' | 'fetchId'>;

/** Fetches of likers, and the likers that they found. */
export interface LikerStore {
  /** Stores a fetch that was requested. @throws DomainError `NOT_FOUND` if its challenge is gone; nothing is kept then */
  createFetch(fetch: Omit<LikersFetch, 'id'>): Promise<LikersFetch>;
  /**
   * Finds one by its id, or the most recently requested one of a challenge. That can be one that succeeded, or one that was requested
   * before a time. Null if there is none.
   */
  findFetch(
    which: number | { readonly challengeId: number; readonly status?: 'succeeded'; readonly requestedBefore?: Date },
  ): Promise<LikersFetch | null>;
  /**
   * Replaces a fetch that is `queued` or `running`; false when it is over, or gone. What `succeeded` or `failed` stays so: a
   * process that lost its job and continues late undoes nothing.
   */
  updateFetch(fetch: LikersFetch): Promise<boolean>;
  /** Fetches still `queued` or `running` that were requested before, those that wait longest first, behind `after`. */
  unfinished(
    before: Date,
    limit: number,
    after?: WaitingCursor,
  ): Promise<readonly (Waiting & Pick<LikersFetch, 'challengeId'>)[]>;
  /**
   * Inserts likers that are new to the fetch by `igUserId`; returns how many. Nothing is kept for a fetch that is gone or over:
   * a process that continues late adds nobody after the creators were matched.
   */
  insertNew(fetchId: number, likers: readonly NewLiker[]): Promise<number>;
  /** By id. */
  page(fetchId: number, page: PageRequest): Promise<Page<StoredLiker>>;
  /**
   * Those of these accounts that are among the likers of a fetch. Without one: of all fetches of a challenge that succeeded and
   * started at a time or later. Handles are compared case-insensitively, numbers with `igUserId`; `UNNAMED` stands for one without a handle. At
   * most 1,000 a call.
   */
  among(
    which: { readonly fetchId: number } | { readonly challengeId: number; readonly since: Date },
    accounts: readonly AuthorKey[],
  ): Promise<ReadonlyMap<AuthorKey, FoundLiker>>;
}
