/** The tarballs that `npm publish` would upload. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isFreshlyBuilt, packageFolders, ROOT, readManifest } from '../../tools/workspaces.ts';
import { ONE_CHECKER } from './compile-cache.ts';

/**
 * Packs what `npm run build` made of the sources as they are. Without it, builds beside the project: a `dist/` that somebody
 * works with stays as it is. Returns the tarballs in `work`, by the names of the packages.
 */
export async function packPackages(work: string): Promise<Readonly<Record<string, string>>> {
  const staging = join(work, 'staging');
  await mkdir(staging);
  const isFresh = await isFreshlyBuilt();
  const folders = await packageFolders();
  for (const folder of folders) {
    const packed = ['package.json', 'README.md', ...(await readManifest(folder)).files];
    const there = packed.filter((name) => existsSync(join(ROOT, folder, name)));
    for (const name of there.filter((each) => isFresh || each !== 'dist')) {
      await cp(join(ROOT, folder, name), join(staging, folder, name), { recursive: true });
    }
  }
  // `npm run check` has checked the types.
  if (!isFresh) {
    const build = ['--conditions=credence-source', join(ROOT, 'tools', 'build.ts'), staging];
    await promisify(execFile)(process.execPath, [...build, '--noCheck', ...ONE_CHECKER]);
  }
  const args = ['pack', '--json', '--ignore-scripts', '--workspaces', '--include-workspace-root'];
  const { stdout } = await promisify(execFile)('npm', [...args, '--pack-destination', work], { cwd: staging });
  const packed = Object.values(JSON.parse(stdout) as Readonly<Record<string, Packed>>);
  await rm(staging, { recursive: true });
  return Object.fromEntries(packed.map(({ name, filename }) => [name, join(work, filename)]));
}

interface Packed {
  readonly name: string;
  readonly filename: string;
}
