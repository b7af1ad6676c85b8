/**
 * The packed packages, kept on disk for the next runs: packing takes ten seconds of a processor, and Node.js keeps compiled code
 * by the path of its file. A change of anything that is packed, or decides how, makes another one.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOfSources, packageFolders, readManifest } from '../../tools/workspaces.ts';
import { installConsumer, unpack } from './install-consumer.ts';
import { packPackages } from './pack-packages.ts';
import { removeOld } from './remove-old.ts';

// Outside of the repository, whose packages would be found from a project inside it.
const KEPT = join(tmpdir(), 'credence-tests-package');
const PROJECT = 'project-';

export interface KeptPackage {
  /** A folder with what `npm publish` would upload. */
  readonly tarballs: string;
  /** What the tarballs hold, in a folder by the name of each package. */
  readonly unpacked: string;
}

/** Packs the sources as they are, if no run has done so yet. Removes packages that no run has used for a day. */
export async function keptPackage(): Promise<KeptPackage> {
  const folder = join(KEPT, await nameOfSources());
  if (!(await isThere(folder))) await make(folder);
  // In use, for another run that looks for old ones.
  await utimes(folder, new Date(), new Date());
  return { tarballs: join(folder, 'tarballs'), unpacked: join(folder, 'unpacked') };
}

/**
 * A project beside `unpacked` that has these packages, and of all peers only those that are named. Runs share it, too: a test
 * writes into a folder of its own in it.
 */
export async function keptProject(unpacked: string, packages: readonly string[]): Promise<string> {
  const name = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 16);
  const project = join(unpacked, '..', `${PROJECT}${name}`);
  if (await isThere(project)) return project;
  const making = await mkdtemp(join(unpacked, '..', 'making-'));
  await installConsumer(making, unpacked, packages);
  await moveOnce(making, project);
  return project;
}

/** Removes the folders of tests from the projects: those whose names begin so. */
export async function removeFolders({ unpacked }: KeptPackage, prefix: string): Promise<void> {
  const kept = join(unpacked, '..');
  const projects = (await readdir(kept)).filter((name) => name.startsWith(PROJECT));
  for (const project of projects) {
    const folders = (await readdir(join(kept, project))).filter((name) => name.startsWith(prefix));
    for (const name of folders) await rm(join(kept, project, name), { recursive: true, force: true });
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** In one step: a run that was cut off leaves nothing half made, and of two that make it at once one is too late. */
async function moveOnce(made: string, to: string): Promise<void> {
  try {
    await rename(made, to);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function nameOfSources(): Promise<string> {
  const folders = await packageFolders();
  const packed = await Promise.all(
    folders.map(async (folder) =>
      ['package.json', 'README.md', ...(await readManifest(folder)).files]
        .filter((name) => name !== 'dist')
        .flatMap((name) => [`${folder}/${name}`, `${folder}/${name}/**`]),
    ),
  );
  const inputs = [process.version, hashOfSources(packed.flat())];
  return createHash('sha256').update(inputs.join('\n')).digest('hex').slice(0, 32);
}

async function make(folder: string): Promise<void> {
  await mkdir(KEPT, { recursive: true });
  await removeOld(KEPT);
  const making = await mkdtemp(join(KEPT, 'making-'));
  const [tarballs, unpacked] = [join(making, 'tarballs'), join(making, 'unpacked')];
  await mkdir(tarballs);
  for (const [name, tarball] of Object.entries(await packPackages(tarballs)))
    await unpack(tarball, join(unpacked, name));
  await moveOnce(making, folder);
}
