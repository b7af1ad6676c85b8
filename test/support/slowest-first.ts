import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest; one that starts late would end alone. */
const SLOWEST = [
  'e2e/blind-notary',
  'faults/many-workers',
  'parity/parity',
  'e2e/zk-contract',
  'faults/three-hosts',
  'e2e/zk-delegate',
  'faults/crash-points',
  'security/slow-input',
  'contract/storage/mongodb',
  'e2e/zk-ceremony',
  'bench/bench',
  'e2e/standalone',
  'e2e/subscribers',
  'property/engagement-model',
  'unit/zk/rapidsnark',
].map((name) => new URL(`../${name}.test.ts`, import.meta.url).pathname);

/** Starts the slowest files first, and keeps vitest's order for the others. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = SLOWEST.filter((path) => !existsSync(path));
    if (gone.length > 0)
      throw new Error(`test/support/slowest-first.ts lists files that do not exist: ${gone.join(', ')}`);
    const ordered = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOWEST.includes(moduleId);
    const slow = ordered.filter(isSlow);
    slow.sort((one, other) => SLOWEST.indexOf(one.moduleId) - SLOWEST.indexOf(other.moduleId));
    return [...slow, ...ordered.filter((file) => !isSlow(file))];
  }
}
