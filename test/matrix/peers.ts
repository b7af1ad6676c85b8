/**
 * `npm run matrix:peers [PACKAGE@VERSION …]`: runs the contract suites over the oldest drivers that a host may bring. Asks the registry,
 * so that it is no part of `npm test`, which runs them over the newest. BullMQ before 5.49 does not tell of runs whose process died.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OLDEST = ['mongodb@6.0.0', 'ioredis@5.4.1', 'bullmq@5.49.0'];
const SUITES = ['test/contract/storage/mongodb', 'test/contract/job-queue', 'test/contract/rate-limiter'];
const ROOT = new URL('../../', import.meta.url).pathname;

const given = process.argv.slice(2);
const packages = given.length === 0 ? OLDEST : given;
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
