/** A project as a team has it after `npm install`, without asking a registry. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
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
 * Makes a project that has these packages in its `node_modules`, and what they depend on. Packages of this repository are hard
 * links to the files of `unpacked`; others are links to those of this repository. `express@express4` is the repository's
 * `express4` by the name `express`. No peer dependency is there that is not named.
 */
export async function installConsumer(project: string, unpacked: string, packages: readonly string[]): Promise<void> {
  const modules = join(project, 'node_modules');
  await mkdir(modules, { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const waiting = [...packages];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const [, wanted = name, found = name] = /^(.+)@(.+)$/.exec(name) ?? [];
    const place = join(modules, wanted);
    if (existsSync(place)) continue;
    await mkdir(dirname(place), { recursive: true });
    const own = join(unpacked, name);
    if (!existsSync(own)) {
      await symlink(join(MODULES, found), place);
      continue;
    }
    await linkFiles(own, place);
    const manifest = await readFile(join(own, 'package.json'), 'utf8');
    const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Readonly<Record<string, string>> };
    waiting.push(...Object.keys(dependencies));
  }
}

/** Links file by file: a symbolic link would lead modules to the packages beside the unpacked one. */
async function linkFiles(folder: string, copy: string): Promise<void> {
  await mkdir(copy);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const to = join(copy, relative(folder, path));
    await (entry.isDirectory() ? mkdir(to, { recursive: true }) : link(path, to));
  }
}
