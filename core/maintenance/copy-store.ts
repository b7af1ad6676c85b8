/** Copies a whole storage into an empty one of any kind, and checks the copy. */
import { DomainError } from '../errors.ts';
import { type CopiedKind, type CopyRecord, RECORD_KINDS, type RecordStore } from '../ports/record-store.ts';

export interface CopyStoreDeps {
  readonly from: RecordStore;
  readonly to: RecordStore;
  readonly signal?: AbortSignal;
  /** Told after each page. */
  readonly onProgress?: (step: {
    readonly phase: 'copy' | 'verify';
    readonly kind: CopiedKind;
    readonly done: number;
  }) => void;
  /** Records in memory at a time; 500 by default. */
  readonly pageSize?: number;
}

/** How many records of a kind there are. */
export interface CopyTotal {
  readonly kind: CopiedKind;
  readonly count: number;
}

/**
 * Copies everything, page by page. If it is cut short, also by a kill of the process, calling it again continues. A complete
 * copy is only compared again. Jobs and deliveries keep their state and leases: what ran when the source stopped is taken up
 * when its lease is over.
 * @returns the totals, equal at both ends
 * @throws DomainError `CONFLICT` unless the target is empty, or a copy of this source; and if the ends differ: the source was used
 *   meanwhile, or something is lost
 * @throws the signal's reason if it is aborted
 */
export async function copyStore(deps: CopyStoreDeps): Promise<readonly CopyTotal[]> {
  await assertCopyOf(deps);
  for (const kind of RECORD_KINDS) await copyKind(deps, kind);
  const totals: CopyTotal[] = [];
  for (const kind of RECORD_KINDS) totals.push({ kind, count: await compared(deps, kind) });
  return totals;
}

/** A copy that was cut short has the beginning of one kind, all of the kinds before it, and nothing of those after it. */
async function assertCopyOf({ from, to }: CopyStoreDeps): Promise<void> {
  let isWhole = true;
  for (const kind of RECORD_KINDS) {
    const last = await to.last(kind);
    const isCopied =
      last === null || (isWhole && asText(await to.read(kind, null, 1)) === asText(await from.read(kind, null, 1)));
    if (!isCopied)
      throw new DomainError('CONFLICT', `The target is not empty: it has other ${kind}. Name an empty one.`);
    isWhole &&= asText([last]) === asText([await from.last(kind)]);
  }
}

async function copyKind({ from, to, pageSize = 500, ...deps }: CopyStoreDeps, kind: CopiedKind): Promise<void> {
  for (let [after, done] = [await to.last(kind), 0]; ; ) {
    deps.signal?.throwIfAborted();
    const records = await from.read(kind, after, pageSize);
    if (records.length === 0) return;
    await to.write(kind, records);
    after = records.at(-1) ?? null;
    done += records.length;
    deps.onProgress?.({ phase: 'copy', kind, done });
  }
}

/** How many records of a kind both ends have. @throws DomainError `CONFLICT` if they are not the same */
async function compared({ from, to, pageSize = 500, ...deps }: CopyStoreDeps, kind: CopiedKind): Promise<number> {
  for (let [after, count]: [CopyRecord | null, number] = [null, 0]; ; ) {
    deps.signal?.throwIfAborted();
    const records = await from.read(kind, after, pageSize);
    if (asText(records) !== asText(await to.read(kind, after, pageSize))) {
      const advice = 'Stop every process that uses the source, empty the target, and copy again.';
      throw new DomainError('CONFLICT', `The copy is not like the source: its ${kind} differ. ${advice}`);
    }
    if (records.length === 0) return count;
    after = records.at(-1) ?? null;
    count += records.length;
    deps.onProgress?.({ phase: 'verify', kind, done: count });
  }
}

/** Members in the order of their names, without those that are null; dates told from texts. */
function asText(records: readonly (CopyRecord | null)[]): string {
  return JSON.stringify(canonical(records));
}

function canonical(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}
