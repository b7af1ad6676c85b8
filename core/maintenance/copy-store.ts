/** Copies a whole store into an empty one of any kind, and checks the copy. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { COPIED_KINDS, type CopiedKind, type CopyEnd, type CopyKey } from '../ports/copy-end.ts';

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
  const { from, to, source } = deps;
  const begun = await to.progress();
  if (begun !== null && begun.source !== source) {
    throw new CopyTargetNotEmpty('The target holds an unfinished copy of another source. Empty it first.');
  }
  const found = begun === null ? await firstKind(to) : undefined;
  if (found === undefined) {
    const first = begun === null ? 0 : COPIED_KINDS.indexOf(begun.kind);
    for (const kind of COPIED_KINDS.slice(first)) await copyKind(deps, kind, begun?.kind === kind ? begun.after : null);
  }
  const { totals, wrong } = await compare(deps);
  if (wrong.length > 0 && found !== undefined) {
    throw new CopyTargetNotEmpty(`The target is not empty: it has ${found}. Name an empty one.`);
  }
  if (wrong.length > 0) {
    const advice = 'Stop every process that uses the source, empty the target, and copy again.';
    throw new CopyMismatch(`The copy is not like the source.\n${wrong.join('\n')}\n${advice}`);
  }
  await to.finish(await from.sequences());
  return totals;
}

async function firstKind(end: CopyEnd): Promise<CopiedKind | undefined> {
  for (const kind of COPIED_KINDS) if ((await end.read(kind, null, 1)).last !== null) return kind;
  return undefined;
}

async function copyKind({ from, to, source, ...deps }: CopyStoreDeps, kind: CopiedKind, begin: CopyKey | null) {
  await to.write(kind, [], { source, kind, after: begin });
  for (let [after, done] = [begin, 0]; ; ) {
    deps.signal?.throwIfAborted();
    const { records, last } = await from.read(kind, after, deps.pageSize ?? 500);
    if (last === null) return;
    await to.write(kind, records, { source, kind, after: last });
    after = last;
    done += records.length;
    deps.onProgress?.({ phase: 'copy', kind, done });
  }
}

/** The totals of the source, and in what the target differs. */
async function compare(deps: CopyStoreDeps) {
  const totals: CopyTotal[] = [];
  const wrong: string[] = [];
  for (const kind of COPIED_KINDS) {
    const [there, here] = [await totalOf(deps.from, kind, deps), await totalOf(deps.to, kind, deps)];
    if (there.count !== here.count) wrong.push(`${kind}: ${there.count} in the source, ${here.count} in the target`);
    else if (there.digest !== here.digest) wrong.push(`${kind}: the records differ`);
    totals.push(there);
  }
  return { totals, wrong };
}

async function totalOf(end: CopyEnd, kind: CopiedKind, deps: CopyStoreDeps): Promise<CopyTotal> {
  let [count, sum] = [0, 0n];
  for (let after: CopyKey | null = null; ; ) {
    deps.signal?.throwIfAborted();
    const { records, last } = await end.read(kind, after, deps.pageSize ?? 500);
    if (last === null) break;
    after = last;
    // The digests of all records are added up: stores have no order in common.
    for (const record of records) {
      sum += BigInt(`0x${bytesToHex(sha256(utf8ToBytes(JSON.stringify(canonical(record)))))}`);
    }
    count += records.length;
    deps.onProgress?.({ phase: 'verify', kind, done: count });
  }
  return { kind, count, digest: BigInt.asUintN(256, sum).toString(16).padStart(64, '0') };
}

/** Members in the order of their names, without those that are null; dates told from texts. */
function canonical(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}
