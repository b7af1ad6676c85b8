import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest; one that starts late would end alone. */
const SLOWEST = [
  'contract/storage/mongodb',
  'parity/parity',
  'e2e/console-fields',
  'e2e/console',
  'faults/crash-points',
  'e2e/blind-notary',
  'faults/three-hosts',
  'contract/storage/sqlite',
  'e2e/package',
  'e2e/zk-contract',
  'faults/many-workers',
  'e2e/standalone',
  'e2e/zk-ceremony',
  'security/slow-input',
  'faults/backlog',
  'e2e/package-bundle',
  'e2e/readme',
  'faults/sudden-deaths',
  'unit/maintenance/copy-store',
  'e2e/unread-answers',
  'load/load',
  'property/engagement-model',
  'e2e/zk-delegate',
  'contract/openapi/fuzz',
  'e2e/subscribers',
  'contract/job-queue/bullmq-jobs',
  'property/scraper-drift',
  'e2e/docs-reader',
  'security/patterns',
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
