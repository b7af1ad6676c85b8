/** `npm run build`: compiles the sources, and gives each package the files that its entries reach, in its `dist/`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { access, copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDocument, DOCUMENT_FILE } from '../hosts/cli/operations.ts';
import { packagedScript, READER_FILE } from '../plugins/http/pages/docs/reader-script.ts';
import { buildConsoleIfStale } from './console.ts';
import { reachedFiles } from './reached-files.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const CACHE = join(ROOT, 'node_modules', '.cache', 'credence-build');
/** Names the sources that every `dist/` was built from. */
const STAMP = join(CACHE, 'sources.sha256');
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

/** What modules read beside themselves. A package that holds the module holds these too. */
const FILES_BESIDE: Readonly<Record<string, readonly string[]>> = {
  'adapters/groth16-prover/artifacts.js': ['artifacts', 'circuits', 'GPL-3.0.txt', 'LICENSES.md', 'README.md'],
  'adapters/mpc-engine/engine-thread.js': ['worker-thread.js'],
  'plugins/console/files.js': ['files'],
  'plugins/http/pages/connect/connect-script.js': ['browser.js'],
};

/** What is written beside a module when it is built. */
const WRITTEN_BESIDE: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'hosts/cli/operations.js': async (folder) =>
    writeFile(join(folder, DOCUMENT_FILE), JSON.stringify(await createDocument())),
  'plugins/http/pages/docs/reader-script.js': async (folder) => {
    const reader = await packagedScript();
    if (reader === null)
      throw new Error('The reader of /docs is not installed. Run npm ci, with development dependencies.');
    await writeFile(join(folder, READER_FILE), reader);
    const licence = join(ROOT, 'node_modules', '@scalar', 'fastify-api-reference', 'LICENSE');
    await copyFile(licence, join(folder, 'reader.LICENSE.txt'));
  },
};

type Paths = Readonly<Record<string, string>> | string;

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

/**
 * Builds every package into the same folder below `outDir` as it has in the repository.
 * @throws Error with the compiler's findings as `stdout`
 */
export async function build(outDir: string, compilerArguments: readonly string[] = []): Promise<void> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const config = join(ROOT, 'tsconfig.build.json');
  await mkdir(CACHE, { recursive: true });
  const compiled = await mkdtemp(join(CACHE, 'compiled-'));
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', config, '--outDir', compiled, ...compilerArguments]);
    await buildConsoleIfStale();
    for (const folder of await packageFolders()) await buildPackage(folder, compiled, join(outDir, folder));
  } finally {
    await rm(compiled, { recursive: true });
  }
}

async function buildPackage(folder: string, compiled: string, to: string): Promise<void> {
  const dist = join(to, 'dist');
  const entries = entriesOf(await readManifest(folder));
  if (!entries.every((file) => existsSync(join(compiled, file)))) return;
  const reached = await reachedFiles(compiled, entries);
  for (const file of reached) {
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await copyFile(join(compiled, file), join(dist, file));
    const at = dirname(file);
    for (const name of FILES_BESIDE[file] ?? [])
      await cp(join(ROOT, at, name), join(dist, at, name), { recursive: true });
    await WRITTEN_BESIDE[file]?.(join(dist, at));
  }
  // Each package is published with the licence; the repository has it once.
  if (folder !== '.') await copyFile(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
}

/** What users and Node.js load of a package, below `dist`. */
function entriesOf({ bin = {}, exports = {} }: Manifest): string[] {
  const paths = Object.values(exports).flatMap((entry) => (entry === null ? [] : Object.values(entry)));
  return [...Object.values(bin), ...paths].flatMap((path) => (path.startsWith('./dist/') ? [path.slice(7)] : []));
}

/** Tells whether `npm run build` made every `dist/` of the sources as they are. */
export async function isFreshlyBuilt(): Promise<boolean> {
  const [built] = await Promise.all([
    readFile(STAMP, 'utf8'),
    ...(await packageFolders()).map((folder) => access(join(ROOT, folder, 'dist'))),
  ]).catch(() => [null]);
  return built === hashOfSources();
}

/** Of what a build reads, and of the files that further patterns name. */
export function hashOfSources(more: readonly string[] = []): string {
  const hash = createHash('sha256');
  const found = globSync([...SOURCES, ...more], { cwd: ROOT, withFileTypes: true, exclude: BUILT });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) hash.update(`${path}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

/** `npm run build`. What an earlier one made goes first, as files of sources that are gone would be published. */
async function buildAll(): Promise<void> {
  await rm(STAMP, { force: true });
  for (const folder of await packageFolders()) await rm(join(ROOT, folder, 'dist'), { recursive: true, force: true });
  const sources = hashOfSources();
  await build(ROOT);
  await writeFile(STAMP, sources);
}

if (import.meta.main) {
  try {
    await buildAll();
  } catch (error) {
    const { stdout = '', message } = error as { stdout?: string; message: string };
    process.stderr.write(`${stdout || message}\n`);
    process.exitCode = 1;
  }
}
