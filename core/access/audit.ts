/** Who did what: an entry for each action of an administrator, written before the action and concluded after it. */
import { askInPieces } from '../bulk.ts';
import type { Needs } from '../engagement/use-case-parts.ts';
import { isDomainError } from '../errors.ts';
import type { AuditFilter } from '../ports/audit-store.ts';
import { type Logger, silentLogger } from '../ports/logger.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import type { Stores } from '../ports/storage.ts';
import type { AuditConclusion, AuditEntry } from './audit-entry.ts';
import { type AuditedStore, type AuditKind, auditedState } from './audited-state.ts';
import type { Caller } from './token.ts';

export type { AuditAction, AuditConclusion, AuditEntry, AuditOutcome } from './audit-entry.ts';
export type { AuditKind } from './audited-state.ts';

/** An entry, and the name of the token that acted. */
export interface NamedAuditEntry extends AuditEntry {
  /** Null for callers that are no stored token. */
  readonly actorName: string | null;
}

export interface AuditDeps extends Needs<'audit' | AuditedStore, 'clock'> {
  /** Told of outcomes that could not be recorded. */
  readonly logger?: Logger;
}

/** What is about to be done. */
export interface AuditedAction {
  readonly caller: Caller;
  readonly operation: string;
  readonly kind: AuditKind;
  /** Undefined for something that is not there yet; a kind of jobs for all of them. */
  readonly id: number | string | undefined;
  /** Names a creator whose id is not known. */
  readonly externalId: string | undefined;
  readonly requestId: string;
}

/** Runs an action and records it. `createdId` finds the id of what a successful action made. */
export type Audit = <T>(
  action: AuditedAction,
  run: () => Promise<T>,
  createdId: (result: T) => number | undefined,
) => Promise<T>;

/** What these erase would stay in the entry. */
const ERASING: ReadonlySet<string> = new Set(['eraseCreator']);

/**
 * Records an action around `run`. No action runs without its entry: if that cannot be stored, the action is refused. Entry and
 * change are two writes, so an action whose process dies has the outcome `unknown`. `before` and `after` are read right before and
 * after it, so a change that another caller makes meanwhile is in one of them.
 * @throws what `run` and the storage throw
 */
export function recordAction(deps: AuditDeps): Audit {
  const { logger = silentLogger } = deps;
  const { audit, creators } = deps.storage;
  const stateOf = auditedState(deps);
  const targetOf = (kind: AuditKind, id: number | string | undefined) => (id === undefined ? null : `${kind}:${id}`);
  const creatorOf = async (externalId: string) => (await creators.find({ externalId }))?.id;

  return async ({ caller, operation, kind, externalId, requestId, id: given }, run, createdId) => {
    const id = given ?? (externalId === undefined ? undefined : await creatorOf(externalId));
    const target = targetOf(kind, id);
    const entryId = await audit.append({
      at: deps.clock.now(),
      actor: caller.key,
      role: caller.role,
      operation,
      target,
      before: ERASING.has(operation) ? null : await stateOf(kind, id),
      requestId,
    });
    const conclude = async (conclusion: () => Promise<AuditConclusion>): Promise<void> => {
      try {
        await audit.conclude(entryId, await conclusion());
      } catch (err) {
        logger.warn({ err, entryId, operation, requestId }, 'the outcome of an action is not in the audit log');
      }
    };
    try {
      const result = await run();
      const after = id ?? createdId(result);
      await conclude(async () => ({
        target: targetOf(kind, after),
        outcome: 'succeeded',
        error: null,
        after: await stateOf(kind, after),
      }));
      return result;
    } catch (error) {
      const code = isDomainError(error) ? error.code : 'INTERNAL_ERROR';
      await conclude(async () => ({ target, outcome: 'refused', error: code, after: null }));
      throw error;
    }
  };
}

/** How entries name a stored token. */
const TOKEN = /^token:(\d{1,15})$/;

/** The entries that a filter leaves, newest first, with the names of the tokens that acted. */
export function listAudit(deps: Stores<'audit' | 'tokens'>) {
  return async (filter: AuditFilter, page: PageRequest): Promise<Page<NamedAuditEntry>> => {
    const { items, total } = await deps.storage.audit.list(filter, page);
    const ids = new Set(items.flatMap(({ actor }) => TOKEN.exec(actor)?.[1] ?? []));
    const tokensOf = async (some: readonly number[]) => (await deps.storage.tokens.list({ ids: some })).items;
    const tokens = await askInPieces([...ids].map(Number), tokensOf);
    const names = new Map(tokens.map(({ id, name }) => [`token:${id}`, name]));
    return { items: items.map((entry) => ({ ...entry, actorName: names.get(entry.actor) ?? null })), total };
  };
}
