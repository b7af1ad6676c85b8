/**
 * `npm run build:console`: builds the console's app into `plugins/console/files/`, each file compressed. With `--if-stale` only if
 * the sources have changed since; `npm start`, `npm run demo` and the tests call it so.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ENTRY_FILE } from '../plugins/console/entry-file.ts';
import { writeClientApiIfStale } from './client-api.ts';
import { hashOf } from './workspaces.ts';

const APP = fileURLToPath(new URL('../plugins/console/app/', import.meta.url));
const FILES = new URL('../plugins/console/files/', import.meta.url);
/** Names the sources that the files were built from. */
const STAMP = new URL('sources.sha256', FILES);
/** What the first page may come to over the wire: the app, and the page that an administrator sees first. */
const MOST_BYTES = 300_000;

const MAIN = 'main.tsx';
const SOURCES = [
  'plugins/console/app/**/*.*',
  'plugins/{client,csv}/*.ts',
  'core/printable.ts',
  'tools/console.ts',
  'package-lock.json',
];

/** A file that the build makes, with the names of those that a script imports. */
interface Output {
  readonly fileName: string;
  readonly imports?: readonly string[];
}

/** Builds the files. Returns how many bytes the first page has, compressed. @throws Error if they are more than `MOST_BYTES` */
async function buildConsole(): Promise<number> {
  writeClientApiIfStale();
  const { build, defaultClientConditions } = await import('vite');
  const sources = hashOf(SOURCES);
  const built = await build({
    configFile: false,
    root: APP,
    base: './',
    logLevel: 'warn',
    // Also for the tests, which run with another one.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: { conditions: ['credence-source', ...defaultClientConditions] },
    build: {
      target: 'es2022',
      write: false,
      // Styles that the app loads later are files too, not texts in a script.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: { fileName: 'LICENSES.txt' },
      rolldownOptions: {
        input: `${APP}${MAIN}`,
        // Packages mark modules for servers that render React. There is none.
        onLog: (level, log, handle) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
        },
        output: {
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: '[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
        },
      },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []));
  const next = new URL(`../.files-${process.pid}/`, FILES);
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  const first = filesOfFirstPage(outputs);
  let bytes = 0;
  for (const output of outputs) {
    const content = output.type === 'chunk' ? output.code : output.source;
    if (!['.js', '.css'].includes(extname(output.fileName))) {
      await writeFile(new URL(output.fileName, next), content);
      continue;
    }
    const compressed = await promisify(gzip)(content, { level: 9 });
    if (first.has(output.fileName)) bytes += compressed.length;
    await writeFile(new URL(`${output.fileName}.gz`, next), compressed);
  }
  const entry = outputs.find((output) => output.type === 'chunk' && output.isEntry);
  const styles = outputs.filter(({ fileName }) => /^main-.*\.css$/.test(fileName)).map(({ fileName }) => fileName);
  await writeFile(new URL(ENTRY_FILE, next), JSON.stringify({ script: entry?.fileName, styles }));
  await writeFile(new URL('sources.sha256', next), sources);
  if (bytes > MOST_BYTES) {
    await rm(next, { recursive: true });
    throw new Error(`The first page comes to ${bytes} bytes, compressed. It may have ${MOST_BYTES}: load less.`);
  }
  // In one step, as far as the file system lets us: another process may be reading.
  await rm(FILES, { recursive: true, force: true });
  await rename(next, FILES);
  return bytes;
}

/** The entry, the page that it opens first, and what these import. */
function filesOfFirstPage(outputs: readonly Output[]): ReadonlySet<string> {
  const imports = new Map(outputs.map((output) => [output.fileName, output.imports ?? []]));
  const files = new Set([...imports.keys()].filter((name) => /^(?:main|overview)-/.test(name)));
  // A set that grows is walked to its end.
  for (const name of files) for (const imported of imports.get(name) ?? []) files.add(imported);
  return files;
}

/** Builds the files if the sources have changed since, or there are none. */
export async function buildConsoleIfStale(): Promise<void> {
  writeClientApiIfStale();
  const built = await readFile(STAMP, 'utf8').catch(() => null);
  if (built !== hashOf(SOURCES)) await buildConsole();
}

if (import.meta.main) {
  try {
    if (process.argv.includes('--if-stale')) await buildConsoleIfStale();
    else console.log(`The first page has ${await buildConsole()} bytes, compressed, of at most ${MOST_BYTES}.`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
