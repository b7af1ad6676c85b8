/**
 * The script of the interactive documentation: Scalar's API reference, one file that loads nothing else. The build puts it
 * beside this module; while the sources run it comes from the development dependency that holds it.
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isInstalled, loadPackage } from '../../../../adapters/package-loader/index.ts';
import { type PageScript, pageScript } from '../page-script.ts';

/** Written by the build beside the compiled module; missing when the sources run. */
export const READER_FILE = 'reader.js.gz';

const PACKAGE = '@scalar/fastify-api-reference';

/** Loads the script; null if neither the build nor the package is there, for example in a bundle. */
export async function loadReaderScript(): Promise<PageScript | null> {
  const gzipped = (await builtScript()) ?? (await packagedScript());
  return gzipped === null ? null : pageScript('reader', gzipped);
}

async function builtScript(): Promise<Uint8Array | null> {
  try {
    return await readFile(new URL(READER_FILE, import.meta.url));
  } catch {
    return null;
  }
}

/**
 * Compresses the script of the installed package, followed by our repairs of what it shows; null if it is not installed. The
 * package hands it out by its Fastify plugin only.
 */
export async function packagedScript(): Promise<Uint8Array | null> {
  if (!isInstalled(PACKAGE) || !isInstalled('fastify')) return null;
  const { default: plugin } = loadPackage(PACKAGE, 'The documentation');
  const app = loadPackage('fastify', 'The documentation').fastify();
  await app.register(plugin, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`${PACKAGE} answered ${statusCode} instead of its script.`);
  // Missing in a bundle of one file.
  const repairs = await readFile(new URL('repairs.js', import.meta.url)).catch(() => Buffer.alloc(0));
  // In a scope of its own: the reader's short names are global.
  const parts = [rawPayload, Buffer.from('\n;{\n'), repairs, Buffer.from('}\n')];
  return promisify(gzip)(Buffer.concat(parts), { level: 9 });
}
