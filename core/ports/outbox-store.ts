import type { OutboxEntry } from '../engagement/webhooks/outbox.ts';

/** Whose write an entry was committed with: of an attempt, a link, a canary or a connection of a brand. For example `attempts:12`. */
export type OutboxOwner = `${'attempts' | 'socialAccounts' | 'canaries' | 'brandConnections'}:${string | number}`;

/** The entries of one owner that wait to be handed over, in the order written. */
export interface PendingOutbox {
  readonly owner: OutboxOwner;
  readonly entries: readonly OutboxEntry[];
}

/** Entries that other stores have committed together with what they announce. */
export interface OutboxStore {
  /** The entries of the oldest so many owners, oldest first. Several relays may see the same ones. */
  pending(limit: number): Promise<readonly PendingOutbox[]>;
  /** Removes handed-over entries of many owners, in few round trips; unknown ones are ignored. */
  acknowledge(
    handedOver: readonly { readonly owner: OutboxOwner; readonly entryIds: readonly string[] }[],
  ): Promise<void>;
}
