import type { BrandConnection, BrandConnectionStatus } from '../engagement/brand-connections/brand-connection.ts';
import type { EventEntry } from '../engagement/webhooks/outbox.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import type { OfficialPost } from './official-api.ts';

/** Which connections are listed. */
export type BrandConnectionFilter =
  | { readonly brandId: number }
  | { readonly platform: PlatformName; readonly accountId: string }
  /** Those whose `renewAt` has come, the longest wait first, at most so many. */
  | { readonly dueBy: Date; readonly limit: number }
  /** The one with the highest id. */
  | { readonly newest: true };

/** What `BrandConnectionStore.update` changes. */
export type BrandConnectionChanges = Partial<
  Omit<BrandConnection, 'id' | 'brandId' | 'platform' | 'accountId' | 'handle' | 'scopes' | 'connectedAt' | 'revision'>
>;

/** Accounts that brands have connected, and how the platforms' APIs name posts. */
export interface BrandConnectionStore {
  /**
   * Stores a connection with revision 1. If the brand has connected the account before, the connection keeps its id and has the next
   * revision. `taken` if another brand has connected it: exactly one of concurrent brands succeeds.
   */
  connect(connection: Omit<BrandConnection, 'id' | 'revision'>): Promise<BrandConnection | 'taken'>;
  /** Null if there is no such connection. */
  find(id: number): Promise<BrandConnection | null>;
  /** By id, but for those that are due. */
  list(filter: BrandConnectionFilter): Promise<readonly BrandConnection[]>;
  /** How many there are of each platform and status. */
  count(): Promise<
    readonly { readonly platform: PlatformName; readonly status: BrandConnectionStatus; readonly count: number }[]
  >;
  /**
   * Sets what is given and, in the same write, stores the events that announce it (`OutboxStore`). Compare-and-set on the revision:
   * exactly one of concurrent callers gets the connection with the next revision, the others null.
   */
  update(
    before: BrandConnection,
    changes: BrandConnectionChanges,
    events?: readonly EventEntry[],
  ): Promise<BrandConnection | null>;
  /** False unless the brand had the connection. Events of it that were not handed over may go with it. */
  delete(brandId: number, id: number): Promise<boolean>;
  /** Null if it was not remembered. */
  findPost(
    platform: PlatformName,
    which: { readonly contentId: string } | { readonly apiId: string },
  ): Promise<OfficialPost | null>;
  /** A post whose content id is remembered stays as it is. */
  rememberPosts(platform: PlatformName, posts: readonly OfficialPost[]): Promise<void>;
}
