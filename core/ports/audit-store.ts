import type { AuditAction, AuditConclusion, AuditEntry } from '../access/audit-entry.ts';
import type { Page, PageRequest } from './paging.ts';

/** Which entries a list is about. */
export interface AuditFilter {
  /** The key of the caller. */
  readonly actor?: string | undefined;
  readonly operation?: string | undefined;
  /** For example `campaign:3`. */
  readonly target?: string | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** The log of what administrators did. Entries are added and concluded once, and removed by `RetentionStore` alone. */
export interface AuditStore {
  /** Stores an entry whose outcome is not known yet; returns its id. */
  append(action: AuditAction): Promise<number>;
  /** Adds the outcome, once: false if the entry has one already, or is gone. */
  conclude(id: number, conclusion: AuditConclusion): Promise<boolean>;
  /** Newest first, by time and id. `total` counts what the filter leaves. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
}
