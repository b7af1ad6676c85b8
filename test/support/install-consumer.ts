/** A project as a team has it after `npm install credence …`, without asking a registry. */
import { execFile } from 'node:child_process';
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Unpacks a tarball as `npm install` does. */
export async function unpack(tarball: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

/**
 * Makes a project that has the unpacked package in its `node_modules`, by hard links to its files. Credence's dependencies
 * and `packages` are beside it: links to those of this repository. `express@express4` is the repository's `express4` by the
 * name `express`. No peer dependency is there that is not named.
 */
export async function installConsumer(
  project: string,
  unpacked: string,
  packages: readonly string[] = [],
): Promise<void> {
  const modules = join(project, 'node_modules');
  const credence = join(modules, 'credence');
  await mkdir(credence, { recursive: true });
  // A symbolic link would lead modules to the packages beside the unpacked package.
  for (const entry of await readdir(unpacked, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const copy = join(credence, relative(unpacked, path));
    await (entry.isDirectory() ? mkdir(copy, { recursive: true }) : link(path, copy));
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const manifest = await readFile(join(credence, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(manifest) as { dependencies: Readonly<Record<string, string>> };
  for (const name of new Set([...Object.keys(dependencies), ...packages])) {
    const [, wanted = name, found = name] = /^(.+)@(.+)$/.exec(name) ?? [];
    await mkdir(dirname(join(modules, wanted)), { recursive: true });
    await symlink(join(MODULES, found), join(modules, wanted));
  }
}
