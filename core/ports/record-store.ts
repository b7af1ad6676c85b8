/** Everything in a storage as plain records, without the rules of its stores: for a copy into a storage of another kind. */
import type { Storage } from './storage.ts';

/** What is copied, in an order in which what is named comes before what names it. */
export const RECORD_KINDS = [
  'creators',
  'socialAccounts',
  'brands',
  'campaigns',
  'attempts',
  'comments',
  'sweeps',
  'metrics',
  'likersFetches',
  'likers',
  'webhooks',
  'deliveries',
  'subscriptions',
  'jobs',
  'tokens',
  'usage',
  'connectionRequests',
  'onceKeys',
  'idempotencyKeys',
  'auditLog',
  'canaries',
  'brandConnections',
  'officialPosts',
  'draws',
  'places',
] as const;

/** The records of one collection or table. */
export type CopiedKind = (typeof RECORD_KINDS)[number];

/** Plain data and `Date`s. A field that is null is like one that is absent. */
export type CopyRecord = Readonly<Record<string, unknown>>;

/** A storage that can be read and written as a whole, while no host uses it, and that says what it lacks. */
export interface CopyableStorage extends Storage {
  /** The statements that `open` would run to make tables or indexes. It changes nothing, and needs no `open`. */
  missing(): Promise<readonly string[]>;
  readonly records: RecordStore;
}

/** Records by their keys, in an order that all storages share. */
export interface RecordStore {
  /** The records behind one of them, which may be of another storage; without it from the first. */
  read(kind: CopiedKind, after: CopyRecord | null, limit: number): Promise<readonly CopyRecord[]>;
  /** Null if there is none. */
  last(kind: CopiedKind): Promise<CopyRecord | null>;
  /** Stores new records. A call that is cut short leaves the first of them, or none. */
  write(kind: CopiedKind, records: readonly CopyRecord[]): Promise<void>;
}
