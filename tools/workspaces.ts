/** The packages of this repository, and the sources that they are built from. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export const CACHE = join(ROOT, 'node_modules', '.cache', 'credence-build');
/** Names the sources that every `dist/` was built from. */
export const STAMP = join(CACHE, 'sources.sha256');
/** What a build reads, and what decides how. */
const SOURCES = [
  '{core,adapters,plugins,hosts}/**/*.*',
  'tools/*.ts',
  'test/{contract,support}/**/*.ts',
  'tsconfig*.json',
  'package.json',
  'package-lock.json',
];
/** Made by builds from what is in the others. */
const BUILT = ['**/dist/**', '**/node_modules/**', 'plugins/console/files/**'];

/** What an entry leads to; by condition, or always the same file. */
export type Paths = Readonly<Record<string, string>> | string;

/** What of a package.json decides what is built. */
export interface Manifest {
  readonly name: string;
  readonly files: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Paths | null>>;
}

export const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of all packages: the library's first. */
export async function packageFolders(): Promise<readonly string[]> {
  return ['.', ...((await readManifest('.')).workspaces ?? [])];
}

/** Tells whether `npm run build` made every `dist/` of the sources as they are. */
export async function isFreshlyBuilt(): Promise<boolean> {
  const folders = await packageFolders();
  const [built] = await Promise.all([
    readFile(STAMP, 'utf8'),
    ...folders.map((folder) => access(join(ROOT, folder, 'dist'))),
  ]).catch(() => [null]);
  return built === hashOfSources();
}

/** Of what a build reads, and of the files that further patterns name. */
export const hashOfSources = (more: readonly string[] = []): string => hashOf([...SOURCES, ...more]);

/** Of the files that patterns name, their paths and contents. */
export function hashOf(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  const found = globSync(patterns, { cwd: ROOT, withFileTypes: true, exclude: BUILT });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) hash.update(`${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}
