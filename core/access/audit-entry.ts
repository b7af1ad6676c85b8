/** An entry of the audit log: what is known before an action, and what after it. */
import type { Role } from './token.ts';

/** `unknown`: the process ended, or the storage failed, before the outcome was recorded. */
export type AuditOutcome = 'succeeded' | 'refused' | 'unknown';

/** What is known before an action. */
export interface AuditAction {
  readonly at: Date;
  /** The key of the caller: `token:7`, `token:configured`, `in-process`, or what the host says. */
  readonly actor: string;
  readonly role: Role;
  /** The id of the operation, for example `endCampaign`. */
  readonly operation: string;
  /** What it was about, for example `campaign:3`. Null for something that is not there yet. */
  readonly target: string | null;
  /** The target before, without secrets; null if there was none. */
  readonly before: unknown;
  readonly requestId: string;
}

/** What is known after it. */
export interface AuditConclusion {
  readonly target: string | null;
  readonly outcome: Exclude<AuditOutcome, 'unknown'>;
  /** The code of a refusal. */
  readonly error: string | null;
  /** The target after, without secrets; null if it is gone, and after a refusal. */
  readonly after: unknown;
}

export interface AuditEntry extends AuditAction {
  readonly id: number;
  readonly outcome: AuditOutcome;
  readonly error: string | null;
  readonly after: unknown;
}
