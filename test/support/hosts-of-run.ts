/**
 * The processes that tests start and kill, each bundled into few files (`globalSetup`). Half of a start is looking for a
 * thousand modules. They are bundled from the sources when the first test file asks for one.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { openDoor } from './door.ts';
import { removeOld } from './remove-old.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the processes: answers `BundledHosts` as JSON. */
    readonly hostsDoor: string;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Below the packages that the bundles import, and always the same: Node remembers what it compiled by the path. */
const FOLDER = join(ROOT, 'node_modules/.cache/credence-hosts');

/** By their sources, from the root of the repository. */
export const BUNDLED = [
  'hosts/standalone/main.ts',
  'hosts/cli/main.ts',
  'hosts/platform-simulator/main.ts',
  'test/faults/copy-process.ts',
  'test/faults/reward-process.ts',
  'test/faults/faulty-host.ts',
  'test/faults/power-loss/host.ts',
] as const;

/** The file to start, by the source. */
export type BundledHosts = Readonly<Record<(typeof BUNDLED)[number], string>>;

/** Packages of many small modules. Others stay where they are: they are native, CommonJS, or loaded late. */
const OF_MANY_MODULES = /^(credence|@credence\/[^/]+|zod|inversify|@inversifyjs\/[^/]+|p-queue|@noble\/[^/]+)(\/|$)/;

const plugin: Plugin = {
  name: 'as-from-sources',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || OF_MANY_MODULES.test(path) ? undefined : { path, external: true },
    );
    // Scripts of threads and files that are read lie beside the sources.
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(join(path, '..')));
      return { contents, loader: 'ts' };
    });
  },
};

async function bundle(): Promise<BundledHosts> {
  // Few runs of a single file need it: only they load it.
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: BUNDLED.map((source) => join(ROOT, source)),
    absWorkingDir: ROOT,
    outdir: FOLDER,
    entryNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    outExtension: { '.js': '.mjs' },
    conditions: ['credence-source'],
    plugins: [plugin],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  await mkdir(FOLDER, { recursive: true });
  // Another run may start from the same files: none is ever half-written.
  for (const { path, contents } of outputFiles) {
    const written = join(FOLDER, `.${process.pid}.${basename(path)}`);
    await writeFile(written, contents);
    await rename(written, path);
  }
  await removeOld(FOLDER);
  const started = Object.entries(metafile.outputs).flatMap(([path, { entryPoint = '' }]) =>
    BUNDLED.some((source) => source === entryPoint) ? [[entryPoint, join(ROOT, path)]] : [],
  );
  // Sound because each source is an entry point.
  return Object.fromEntries(started) as BundledHosts;
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const door = await openDoor(bundle);
  provide('hostsDoor', door.url);
  return () => door.close();
}
