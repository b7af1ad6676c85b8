/** The tarball that `npm publish` would upload. */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, freshBuild, ROOT } from '../../tools/build.ts';
import { ONE_CHECKER } from './compile-cache.ts';

/**
 * Packs what `npm run build` made of the sources as they are. Without it, builds beside the project: a `dist/` that somebody
 * works with stays as it is. Returns the tarball in `work`.
 */
export async function packPackage(work: string): Promise<string> {
  const staging = join(work, 'staging');
  await mkdir(staging);
  const dist = join(staging, 'dist');
  const fresh = await freshBuild();
  // `npm run check` has checked the types.
  const building = fresh === null ? build(dist, ['--noCheck', ...ONE_CHECKER]) : cp(fresh, dist, { recursive: true });
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
  await copyFile(join(ROOT, 'package.json'), join(staging, 'package.json'));
  for (const name of files) {
    if (name !== 'dist') await cp(join(ROOT, name), join(staging, name), { recursive: true });
  }
  await building;
  const options = { cwd: staging };
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', work];
  const { stdout } = await promisify(execFile)('npm', args, options);
  const packed = JSON.parse(stdout) as Readonly<Record<string, { readonly filename: string }>>;
  const filename = Object.values(packed)[0]?.filename;
  if (filename === undefined) throw new Error(`npm pack told no file name: ${stdout}`);
  await rm(staging, { recursive: true });
  return join(work, filename);
}
