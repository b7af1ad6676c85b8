import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest; one that starts late would end alone. */
const SLOWEST = [
  'contract/storage/mongodb',
  'parity/parity',
  'e2e/console-lost-answers',
  'e2e/console-failures',
  'e2e/console-fields',
  'e2e/console',
  'faults/three-hosts',
  'e2e/quick-start',
  'e2e/zk-ceremony',
  'e2e/console-by-hand',
  'e2e/blind-notary',
  'contract/storage/postgres',
  'e2e/console-support',
  'faults/storage-outage',
  'property/kept-rewards',
  'faults/postgres',
  'e2e/zk-contract',
  'faults/last-places',
  'faults/rolling-upgrade',
  'faults/many-workers',
  'e2e/cli',
  'e2e/standalone',
  'e2e/cli-process',
  'e2e/docs-reader',
  'e2e/console-accounts',
  'contract/job-queue/bullmq-jobs',
  'faults/backlog',
  'e2e/readme',
  'e2e/subscribers',
  'security/injection',
  'e2e/examples',
].map((name) => new URL(`../${name}.test.ts`, import.meta.url).pathname);

/** A worker ends if the next file is of another project: with the small projects first, few do, and early. */
const PROJECTS = ['memory', 'arch', 'credence'];

/** Starts the slowest files of a project first, and keeps vitest's order for the others. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = SLOWEST.filter((path) => !existsSync(path));
    if (gone.length > 0)
      throw new Error(`test/support/slowest-first.ts lists files that do not exist: ${gone.join(', ')}`);
    const ordered = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const index = SLOWEST.indexOf(moduleId);
      return PROJECTS.indexOf(project.name) * 1_000 + (index === -1 ? SLOWEST.length : index);
    };
    return ordered.sort((one, other) => rank(one) - rank(other));
  }
}
