import type { JournalValue } from '../web-proof/extraction/journal-value.ts';

/** A value of a response, with the query that gives it. */
export type QueriedValue = readonly [query: string, value: JournalValue];

/** Computes groups of a claim tree (`core/web-proof/attested-values/claim-tree.ts`) while this thread computes others. */
export interface ClaimGroups {
  /**
   * The hashes of the groups that `values` fill, in their order; `first` is the number of the first one. Null if this thread has
   * them sooner. Rejects if they could not be computed: then this thread computes them.
   */
  hashesOf(seed: Uint8Array, first: number, values: readonly QueriedValue[]): Promise<readonly bigint[]> | null;
}
