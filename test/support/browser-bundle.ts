/** Entries of the package as browsers and edge runtimes get them: bundled, and run without anything of Node.js. */
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export type BrowserBundle = Awaited<ReturnType<typeof bundleForBrowser>>;

/**
 * Bundles a file for browsers, as `import` in a project finds its packages. The code is a script that leaves the exports in the
 * global `bundle`.
 * @throws Error with esbuild's findings, for example that a module of Node.js is imported
 */
export async function bundleForBrowser(entry: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'bundle',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const { text: code = '', contents = new Uint8Array() } = outputFiles[0] ?? {};
  const [output] = Object.values(metafile.outputs);
  return { code, gzipBytes: gzipSync(contents).length, files: Object.keys(output?.inputs ?? {}) };
}

/** What browsers and edge runtimes have beside the language. */
const WEB_GLOBALS = {
  TextEncoder,
  TextDecoder,
  atob,
  btoa,
  URL,
  URLSearchParams,
  DecompressionStream,
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  crypto,
  setTimeout,
  clearTimeout,
  performance,
};

/** Runs the bundle, then an expression about `bundle`, in a realm without Node.js. Plain data comes back. */
export async function runWithoutNode(
  { code }: BrowserBundle,
  expression: string,
  globals: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const context = createContext({ ...WEB_GLOBALS, ...globals });
  runInContext(code, context);
  const json = await runInContext(`Promise.resolve(${expression}).then(JSON.stringify)`, context);
  return json === undefined ? undefined : JSON.parse(json as string);
}
