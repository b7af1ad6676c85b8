/**
 * Projects of teams that use Credence, for tests of the packed packages. They are built and packed once for the same
 * sources. The files of a test get a folder of their own in a project that all tests share.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type ChildOptions, startChild } from './child-host.ts';
import { askDoor } from './door.ts';
import { keptProject } from './kept-package.ts';
import type { PackedPackage } from './package-of-run.ts';

export type Consumer = ReturnType<typeof consumerIn>;

let asking: Promise<PackedPackage> | undefined;

/** The packed packages of this run. @throws Error with what the compiler or npm wrote if it cannot be made */
export function packedPackage(): Promise<PackedPackage> {
  asking ??= askDoor(inject('packageDoor'), 'The package cannot be packed');
  return asking;
}

/** A folder in the shared project, which has Credence, the frameworks and vitest. */
export async function createConsumer() {
  const { project, prefix } = await packedPackage();
  return consumerIn(project, await mkdtemp(join(project, prefix)));
}

/**
 * A folder in a project that has these packages and what they depend on, in the form `installConsumer` takes. Of all peers it
 * has only those that are named.
 */
export async function createBareConsumer(packages: readonly string[] = ['credence', 'better-sqlite3']) {
  const { unpacked, prefix } = await packedPackage();
  const project = await keptProject(unpacked, packages);
  return consumerIn(project, await mkdtemp(join(project, prefix)));
}

function consumerIn(project: string, folder: string) {
  /** The unpacked packages, each in a folder by its name. */
  const modules = join(project, 'node_modules');
  return {
    /** Where the files of this test are; relative paths of a started process begin here. */
    folder,
    /** The unpacked library. */
    credence: join(modules, 'credence'),
    modules,
    /** Writes a file into the folder and returns its path. */
    async write(name: string, text: string | readonly string[]) {
      const file = join(folder, name);
      await writeFile(file, typeof text === 'string' ? text : `${text.join('\n')}\n`);
      return file;
    },
    /** Runs a file of the folder with plain Node, outside the repository. */
    start: (name: string, options: Pick<ChildOptions, 'env' | 'args' | 'nodeArgs'> = {}) =>
      startChild({ ...options, script: join(folder, name), cwd: folder }),
  };
}
