/**
 * The package's version; the sources and the build in `dist/` are at different depths below its package.json. A bundle may have none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version that package.json of `credence` names; `0.0.0` where there is none. */
export function packageVersion(): string {
  for (
    let directory = import.meta.dirname ?? process.cwd();
    directory !== dirname(directory);
    directory = dirname(directory)
  ) {
    const file = join(directory, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version: string };
    if (name === 'credence') return version;
  }
  return '0.0.0';
}
