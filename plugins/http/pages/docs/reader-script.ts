/**
 * The script of the interactive documentation: Scalar's API reference, one file that loads nothing else. The build puts it
 * beside this module; while the sources run it comes from the development dependency that holds it.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyPluginCallback } from 'fastify';
import { builtFile, type PageScript, pageScript } from '../page-script.ts';

/** Written by the build beside the compiled module; missing when the sources run. */
export const READER_FILE = 'reader.js.gz';

const PACKAGE = '@scalar/fastify-api-reference';
type ReaderPlugin = FastifyPluginCallback<{ routePrefix: string; configuration: { url: string } }>;

/** Bundlers cannot see what it loads: nobody needs these packages in a bundle. */
const load = (name: string): Promise<unknown> => import(name);

/** Loads the script; null if neither the build nor the package is there, for example in a bundle. */
export async function loadReaderScript(): Promise<PageScript | null> {
  const gzipped = (await builtFile(import.meta.url, READER_FILE)) ?? (await packagedScript());
  return gzipped === null ? null : pageScript('reader', gzipped);
}

/**
 * Compresses the script of the installed package, followed by our repairs of what it shows; null if it is not installed. The
 * package hands it out by its Fastify plugin only.
 */
export async function packagedScript(): Promise<Uint8Array | null> {
  const loaded = await Promise.all([load(PACKAGE), load('fastify')]).catch(() => null);
  if (loaded === null) return null;
  const [{ default: plugin }, { fastify }] = loaded as [{ default: ReaderPlugin }, typeof import('fastify')];
  const app = fastify();
  await app.register(plugin, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`${PACKAGE} answered ${statusCode} instead of its script.`);
  // They are beside the source only: the built script has them in it. In a scope of its own: the reader's short names are global.
  const repairs = (await builtFile(import.meta.url, 'repairs.js')) ?? Buffer.alloc(0);
  const parts = [rawPayload, Buffer.from('\n;{\n'), repairs, Buffer.from('}\n')];
  return promisify(gzip)(Buffer.concat(parts), { level: 9 });
}
