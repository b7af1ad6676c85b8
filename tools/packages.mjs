/**
 * `node tools/packages.mjs TOOL...`: installs what tools of this folder need, each into its own `node_modules`, unless the lock file
 * has stayed the same since the last time.
 */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** npm writes it when all packages are there. */
const INSTALLED = 'node_modules/.package-lock.json';

for (const tool of process.argv.slice(2)) {
  const folder = new URL(`${tool}/`, import.meta.url);
  const writtenAt = (name) => statSync(new URL(name, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (writtenAt(INSTALLED) > writtenAt('package-lock.json')) continue;
  execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--silent'], {
    cwd: folder,
    stdio: 'inherit',
  });
}
