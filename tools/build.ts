/**
 * `npm run build`: compiles the sources, and gives each package the files that its entries reach, in its `dist/`. With a folder,
 * and options for the compiler, builds into the folder instead.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createDocument, DOCUMENT_FILE } from '../hosts/cli/operations.ts';
import { packagedScript, READER_FILE } from '../plugins/http/pages/docs/reader-script.ts';
import { bundle } from './bundle.ts';
import { writeClientApi } from './client-api.ts';
import { buildConsoleIfStale } from './console.ts';
import { reachedFiles } from './reached-files.ts';
import {
  CACHE,
  hashOfSources,
  type Manifest,
  type Paths,
  packageFolders,
  ROOT,
  readManifest,
  STAMP,
} from './workspaces.ts';

/** What modules read beside themselves. A package that holds the module holds these too. */
const FILES_BESIDE: Readonly<Record<string, readonly string[]>> = {
  'adapters/groth16-prover/artifacts.js': ['artifacts', 'circuits', 'GPL-3.0.txt', 'LICENSES.md', 'README.md'],
  'hosts/cli/init.js': ['../examples'],
  'plugins/blind-notary/engine/beside.js': ['worker-thread.js'],
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

/**
 * Builds every package into the same folder below `outDir` as it has in the repository.
 * @throws Error with the compiler's findings as `stdout`
 */
async function build(outDir: string, compilerArguments: readonly string[] = []): Promise<void> {
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
  const manifest = await readManifest(folder);
  const entries = entriesOf(folder, manifest);
  if (!entries.every(({ file }) => existsSync(join(compiled, file)))) return;
  const { files, scripts } = await reachedFiles(
    compiled,
    entries.map(({ file }) => file),
  );
  const isBundled = folder === '.';
  for (const file of files) {
    const isModule = file.endsWith('.js');
    if (!isBundled || !isModule) await copyInto(dist, file, join(compiled, file));
    // A bundle's modules are all in one folder, and what they read is beside them.
    const at = isBundled ? '' : dirname(file);
    for (const name of FILES_BESIDE[file] ?? []) await copyInto(dist, join(at, name), join(ROOT, dirname(file), name));
    await WRITTEN_BESIDE[file]?.(join(dist, at));
  }
  // Each package is published with the licence; the repository has it once.
  if (!isBundled) return copyFile(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
  const modules = [
    ...entries.filter(({ file }) => file.endsWith('.js')),
    ...Array.from(scripts, (file) => ({ file, published: basename(file) })),
  ];
  const input = modules.map(({ file, published }) => [basename(published, '.js'), join(compiled, file)]);
  await bundle(Object.fromEntries(input), dist, compiled, manifest);
}

async function copyInto(folder: string, name: string, from: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await cp(from, join(folder, name), { recursive: true });
}

/** What users and Node.js load of a package: as compiled, and as it is published below `dist`. */
interface Entry {
  readonly file: string;
  readonly published: string;
}

function entriesOf(folder: string, { bin = {}, exports = {} }: Manifest): Entry[] {
  const programs = Object.values(bin).map((path): Paths => ({ default: path }));
  return [...programs, ...Object.values(exports)].flatMap((paths) => {
    if (paths === null || typeof paths === 'string') return [];
    const { 'credence-source': source, ...published } = paths;
    return Object.entries(published).flatMap(([condition, path]) => {
      if (!path.startsWith('./dist/')) return [];
      const isCompiled = condition !== 'types' && source !== undefined;
      const file = isCompiled ? join(folder, source).replace(/ts$/, 'js') : path.slice(7);
      return [{ file, published: path.slice(7) }];
    });
  });
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
    const [outDir, ...compilerArguments] = process.argv.slice(2);
    writeClientApi();
    await (outDir === undefined ? buildAll() : build(outDir, compilerArguments));
  } catch (error) {
    const { stdout = '', message } = error as { stdout?: string; message: string };
    process.stderr.write(`${stdout || message}\n`);
    process.exitCode = 1;
  }
}
