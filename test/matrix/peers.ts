/**
 * `npm run matrix:peers [-- PACKAGE@VERSION …]`: runs the contract suites over drivers of the major version before, which a host may
 * bring too. Asks the registry, so that it is no part of `npm test`. BullMQ before 5.49 does not tell of runs whose process died.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OLDER = ['mongodb@6', 'ioredis@5', 'bullmq@5'];
const SUITES = ['test/contract/storage/mongodb', 'test/contract/job-queue', 'test/contract/rate-limiter'];
const ROOT = new URL('../../', import.meta.url).pathname;

const given = process.argv.slice(2);
const packages = given.length === 0 ? OLDER : given;
const folder = mkdtempSync(join(tmpdir(), 'credence-peers-'));
const copy = join(folder, 'credence');
const run = (cwd: string, command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { cwd, stdio: 'inherit' });
try {
  run(folder, 'npm', 'init', '-y');
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', ...packages);
  run(folder, 'git', 'clone', '--quiet', ROOT, copy);
  run(ROOT, 'cp', '-al', 'node_modules', copy);
  // What the copy does not have is looked for in the folder around it.
  for (const name of packages)
    rmSync(join(copy, 'node_modules', name.slice(0, name.lastIndexOf('@'))), { recursive: true });
  run(copy, 'npm', 'run', 'generate:client');
  run(copy, 'npm', 'test', '--', '--project', 'credence', ...SUITES);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
