/** `npm run build`: compiles the package into `dist/` and puts beside it what the compiler does not write. */
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
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
  await removeUnreachable(outDir, await exportedTypes());
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
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
  };
  return Object.values(manifest.exports).flatMap(({ types }) => types?.replace('./dist/', '') ?? []);
}

if (import.meta.main) {
  try {
    await build(join(ROOT, 'dist'));
  } catch (error) {
    const { stdout = '', message } = error as { stdout?: string; message: string };
    process.stderr.write(`${stdout || message}\n`);
    process.exitCode = 1;
  }
}
