/** Copies a whole store into an empty one of any kind, and checks the copy. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { COPIED_KINDS, type CopiedKind, type CopyEnd, type CopyRecord } from '../ports/copy-end.ts';

export interface CopyStoreDeps {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  /** Names the source, the same at every call; a copy of another source is not continued. */
  readonly source: string;
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

/** How many records of a kind there are, and a digest that does not depend on their order. */
export interface CopyTotal {
  readonly kind: CopiedKind;
  readonly count: number;
  readonly digest: string;
}

/** The target holds something else. */
export class CopyTargetNotEmpty extends Error {
  override readonly name = 'CopyTargetNotEmpty';
}

/** Source and target differ after the copy. */
export class CopyMismatch extends Error {
  override readonly name = 'CopyMismatch';
}

/**
 * Copies everything, page by page. If it is cut short, also by a kill of the process, calling it again continues. A complete copy
 * of this source is only compared again. Jobs and deliveries keep their state and leases: what ran when the source stopped is
 * taken up when its lease is over. Both ends must be open.
 * @returns the totals, equal at both ends
 * @throws CopyTargetNotEmpty unless the target is empty, or a copy of this source
 * @throws CopyMismatch if the ends differ: the source was used meanwhile, or something is lost
 * @throws the signal's reason if it is aborted
 */
export async function copyStore(deps: CopyStoreDeps): Promise<readonly CopyTotal[]> {
  const { from, to, source, signal, onProgress, pageSize = 500 } = deps;
  const begun = await to.progress();
  if (begun === null) {
    const complete = await completeCopy(deps);
    if (complete !== null) return complete;
    await requireEmpty(to);
  } else if (begun.source !== source) {
    throw new CopyTargetNotEmpty('The target holds an unfinished copy of another source. Empty it first.');
  }
  const first = begun === null ? 0 : COPIED_KINDS.indexOf(begun.kind);
  for (const kind of COPIED_KINDS.slice(first)) {
    let after = begun?.kind === kind ? begun.after : null;
    await to.write(kind, [], { source, kind, after });
    for (let done = 0; ; ) {
      signal?.throwIfAborted();
      const { records, last } = await from.read(kind, after, pageSize);
      if (last === null) break;
      await to.write(kind, records, { source, kind, after: last });
      after = last;
      done += records.length;
      onProgress?.({ phase: 'copy', kind, done });
    }
  }
  const totals: CopyTotal[] = [];
  const wrong: string[] = [];
  for (const kind of COPIED_KINDS) {
    const [there, here] = [await totalOf(from, kind, deps), await totalOf(to, kind, deps)];
    if (there.count !== here.count) wrong.push(`${kind}: ${there.count} in the source, ${here.count} in the target`);
    else if (there.digest !== here.digest) wrong.push(`${kind}: the records differ`);
    totals.push(there);
  }
  if (wrong.length > 0) {
    const advice = 'Stop every process that uses the source, empty the target, and copy again.';
    throw new CopyMismatch(`The copy is not like the source.\n${wrong.join('\n')}\n${advice}`);
  }
  await to.finish(await from.sequences());
  return totals;
}

/**
 * The totals if the target holds exactly what the source holds, apart from what `finish` has set, else null. Reads up to the first
 * kind that differs.
 */
async function completeCopy(deps: CopyStoreDeps): Promise<readonly CopyTotal[] | null> {
  const { from, to } = deps;
  const given: Readonly<Record<string, number>> = await from.sequences();
  const kept = Object.entries(await to.sequences());
  // Ids that the source gave out and removed stay used. An end tells the sequences that it has.
  if (kept.some(([kind, last]) => last < (given[kind] ?? 0))) return null;
  const totals: CopyTotal[] = [];
  for (const kind of COPIED_KINDS) {
    const there = await totalOf(from, kind, deps);
    if (kind !== 'jobGroups') {
      const here = await totalOf(to, kind, deps);
      if (there.count !== here.count || there.digest !== here.digest) return null;
    }
    totals.push(there);
  }
  return totals.some(({ count }) => count > 0) ? totals : null;
}

async function requireEmpty(to: CopyEnd): Promise<void> {
  for (const kind of COPIED_KINDS) {
    const { records } = await to.read(kind, null, 1);
    if (records.length === 0) continue;
    throw new CopyTargetNotEmpty(`The target is not empty: it has ${kind}. Name an empty one.`);
  }
}

/** @param without a field that does not count */
async function totalOf(end: CopyEnd, kind: CopiedKind, deps: CopyStoreDeps, without?: string): Promise<CopyTotal> {
  let [count, sum] = [0, 0n];
  for (let after: readonly (string | number)[] | null = null; ; ) {
    deps.signal?.throwIfAborted();
    const { records, last } = await end.read(kind, after, deps.pageSize ?? 500);
    if (last === null) break;
    after = last;
    for (const record of records) {
      const counted = without === undefined ? record : { ...record, [without]: null };
      sum = (sum + numberOf(counted)) & MASK;
    }
    count += records.length;
    deps.onProgress?.({ phase: 'verify', kind, done: count });
  }
  return { kind, count, digest: sum.toString(16).padStart(64, '0') };
}

const MASK = (1n << 256n) - 1n;

/** The digests of all records are added up: stores have no order in common. */
function numberOf(record: CopyRecord): bigint {
  return BigInt(`0x${bytesToHex(sha256(utf8ToBytes(JSON.stringify(canonical(record)))))}`);
}

/** Members in the order of their names; dates told from texts. */
function canonical(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}
