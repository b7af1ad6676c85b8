import type { Attempt } from '../engagement/attempts/attempt.ts';
import type { StoredComment, StoredLiker } from '../engagement/challenge-data/comment.ts';
import type { ConnectionRequest } from '../engagement/connections/connection.ts';
import type { Creator, SocialAccount } from '../engagement/creators/creator.ts';
import type { Delivery } from '../engagement/webhooks/webhook.ts';

/** Everything that is stored about a creator, each list by id. */
export interface PersonalData {
  readonly creator: Creator;
  readonly accounts: readonly SocialAccount[];
  readonly attempts: readonly Attempt[];
  readonly connectionRequests: readonly ConnectionRequest[];
  /** Stored comments of the creator's accounts (`ownKeys`), of all challenges. */
  readonly comments: readonly StoredComment[];
  readonly likes: readonly StoredLiker[];
  /** Deliveries of events about the creator. */
  readonly deliveries: readonly Delivery[];
}

/** Whose data is erased. */
export interface Erasure {
  readonly userId: number;
  /** Random; part of the new `externalId`. */
  readonly suffix: string;
  readonly now: Date;
}

/** What was erased, or the attempts that are under way. */
export type ErasureResult =
  | {
      readonly kind: 'erased';
      readonly creator: Creator;
      readonly comments: number;
      readonly likes: number;
      readonly deliveries: number;
    }
  | { readonly kind: 'under-way'; readonly attempts: readonly Attempt[] };

/** What is stored about a person, to be handed out or erased. */
export interface PersonalDataStore {
  /** Null if there is no such creator. */
  personalData(userId: number): Promise<PersonalData | null>;
  /**
   * Erases all that `personalData` returns (`core/engagement/creators/erased.ts`). Comments and likes come first, some hundred
   * challenges at a time. Then attempts, links, creator and tokens are made anonymous, and connection requests are removed. Bodies of deliveries
   * come last, and pending ones are cancelled. Null if there is no such creator. Nothing changes while an attempt is under way.
   * A call that fails leaves the rest; repeating it completes it, also after it has completed.
   */
  erase(erasure: Erasure): Promise<ErasureResult | null>;
}
