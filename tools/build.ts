/** `npm run build`: compiles the package into `dist/` and puts beside it what the compiler does not write. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { access, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDocument, DOCUMENT_FILE } from '../hosts/cli/operations.ts';
import { SCRIPT_FILE } from '../plugins/http/pages/connect/connect-script.ts';
import { packagedScript, READER_FILE } from '../plugins/http/pages/docs/reader-script.ts';
import { buildConsoleIfStale } from './console.ts';
import { removeUnreachable } from './declarations.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const DIST = join(ROOT, 'dist');
/** Names the sources that `dist/` was built from. Outside of it, as what is in it is published. */
const STAMP = join(ROOT, 'node_modules', '.cache', 'credence-build', 'sources.sha256');
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
const BUILT = join(ROOT, 'plugins', 'console', 'files');

const PROVER = join('adapters', 'groth16-prover');
/** What the prover reads when it runs, and the licences of it. */
const ASSETS = ['artifacts', 'circuits', 'GPL-3.0.txt', 'LICENSES.md', 'README.md'];

/**
 * Builds the package into a folder.
 * @throws Error with the compiler's findings as `stdout`
 */
export async function build(outDir: string, compilerArguments: readonly string[] = []): Promise<void> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const config = join(ROOT, 'tsconfig.build.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', config, '--outDir', outDir, ...compilerArguments]);
  await removeUnreachable(outDir, await exportedTypes(), await hiddenFolders());
  for (const asset of ASSETS) await cp(join(ROOT, PROVER, asset), join(outDir, PROVER, asset), { recursive: true });
  await writeFile(join(outDir, 'hosts', 'cli', DOCUMENT_FILE), JSON.stringify(await createDocument()));
  const connect = join('plugins', 'http', 'pages', 'connect', SCRIPT_FILE);
  await cp(join(ROOT, connect), join(outDir, connect));
  const thread = join('adapters', 'mpc-engine', 'worker-thread.js');
  await cp(join(ROOT, thread), join(outDir, thread));
  await buildConsoleIfStale();
  const console = join('plugins', 'console', 'files');
  await cp(join(ROOT, console), join(outDir, console), { recursive: true });
  const reader = await packagedScript();
  if (reader === null)
    throw new Error('The reader of /docs is not installed. Run npm ci, with development dependencies.');
  const docs = join(outDir, 'plugins', 'http', 'pages', 'docs');
  await writeFile(join(docs, READER_FILE), reader);
  await cp(join(ROOT, 'node_modules', '@scalar', 'fastify-api-reference', 'LICENSE'), join(docs, 'reader.LICENSE.txt'));
}

/** `types` of the package's `exports`, relative to the folder that is built. */
async function exportedTypes(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string } | null>>;
  };
  return Object.values(manifest.exports).flatMap((entry) => entry?.types?.replace('./dist/', '') ?? []);
}

/** Folders that a pattern of the package's `exports` would reach and an entry of their own hides. */
async function hiddenFolders(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: object };
  return Object.entries(manifest.exports).flatMap(([path, entry]) => (entry === null ? [path.replace('./', '')] : []));
}

/** The folder that `npm run build` made, if neither it nor a source has gone since; null if it must be built again. */
export async function freshBuild(): Promise<string | null> {
  const [built] = await Promise.all([readFile(STAMP, 'utf8'), access(DIST)]).catch(() => [null]);
  return built !== null && built === hashOfSources() ? DIST : null;
}

/** Of what a build reads, and of the files that further patterns name. */
export function hashOfSources(more: readonly string[] = []): string {
  const hash = createHash('sha256');
  const found = globSync([...SOURCES, ...more], { cwd: ROOT, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) {
    if (!path.startsWith(BUILT)) hash.update(`${path}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** `npm run build`. What an earlier one made goes first, as files of sources that are gone would be published. */
async function buildDist(): Promise<void> {
  await Promise.all([STAMP, DIST].map((path) => rm(path, { recursive: true, force: true })));
  const sources = hashOfSources();
  await build(DIST);
  await mkdir(dirname(STAMP), { recursive: true });
  await writeFile(STAMP, sources);
}

if (import.meta.main) {
  try {
    await buildDist();
  } catch (error) {
    const { stdout = '', message } = error as { stdout?: string; message: string };
    process.stderr.write(`${stdout || message}\n`);
    process.exitCode = 1;
  }
}
