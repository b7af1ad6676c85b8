/** One end of a copy of a whole store: what an adapter reads and writes without the rules of the stores. */

/** Everything that is copied, in an order in which what is named comes before what names it. */
export const COPIED_KINDS = [
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
  'purges',
] as const;

/** The records of one collection or table. */
export type CopiedKind = (typeof COPIED_KINDS)[number];

/** Plain data and `Date`s. A field that is null is like one that is absent. */
export type CopyRecord = Readonly<Record<string, unknown>>;

/** Where a page of a source ends; only the end that made it understands it. */
export type CopyKey = readonly (string | number)[];

/** How far an unfinished copy is. */
export interface CopyProgress {
  /** Names the source. */
  readonly source: string;
  readonly kind: CopiedKind;
  /** The last key that was copied of this kind; null if none was. */
  readonly after: CopyKey | null;
}

/** The highest numbers that were given out, by kind; `challenges` has its own. Ids are never given out twice. */
export type CopySequences = Readonly<Partial<Record<CopiedKind | 'challenges', number>>>;

/** A store that is read from or written to as a whole. No host may use it meanwhile. */
export interface CopyEnd {
  open(): Promise<void>;
  /** Reads up to about `limit` records behind a key, in the order of keys. `last` is null at the end. */
  read(
    kind: CopiedKind,
    after: CopyKey | null,
    limit: number,
  ): Promise<{ readonly records: readonly CopyRecord[]; readonly last: CopyKey | null }>;
  /** Stores records that are not there, then the progress. Repeating it after a crash changes nothing. */
  write(kind: CopiedKind, records: readonly CopyRecord[], progress: CopyProgress): Promise<void>;
  /** Null unless a copy into this store is unfinished. */
  progress(): Promise<CopyProgress | null>;
  sequences(): Promise<CopySequences>;
  /** Raises the sequences to these, and forgets the progress. */
  finish(sequences: CopySequences): Promise<void>;
  close(): Promise<void>;
}
