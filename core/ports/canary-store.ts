import type { CanaryRecord } from '../canaries/canary.ts';
import type { EventEntry } from '../engagement/webhooks/outbox.ts';

/** What canaries showed, so that a restart does not forget it; by target. */
export interface CanaryStore {
  /** All that are stored, by target: also canaries that are configured no more. */
  list(): Promise<readonly CanaryRecord[]>;
  /**
   * Stores a record and, in the same write, the events that announce it (`OutboxStore`). A new record has revision 1; any other
   * replaces the record with the revision before. Returns true to exactly one of several concurrent callers.
   */
  save(record: CanaryRecord, events: readonly EventEntry[]): Promise<boolean>;
  /** Forgets what a canary showed, and the events that are not handed over; the next reading is its first. */
  remove(target: string): Promise<void>;
}
