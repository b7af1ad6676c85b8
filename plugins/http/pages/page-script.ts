/** A script of a page, served from the package under a name that changes with its content. */
import { readFile } from 'node:fs/promises';
import { fileBeside } from '../../../adapters/package-loader/index.ts';
import type { Late } from '../../../core/late.ts';
import { contentHash, type StaticFile, staticFile } from './static-file.ts';

/** The script as it is served. */
export interface PageScript extends StaticFile {
  /** Names the content, so that a browser may keep the file forever. */
  readonly name: string;
}

/** Names a script by its content: `<kind>-<hash>.js`. */
export function pageScript(kind: string, gzipped: Uint8Array): PageScript {
  return { ...staticFile(gzipped, 'text/javascript; charset=utf-8'), name: `${kind}-${contentHash(gzipped)}.js` };
}

/** A file that the build puts beside a module; null if it is missing, as in a bundle of one file. */
export async function builtFile(moduleUrl: string, name: string): Promise<Uint8Array | null> {
  try {
    return await readFile(fileBeside(moduleUrl, name));
  } catch {
    return null;
  }
}

/** The script, if it has this name. */
export async function scriptNamed(name: string, read: Late<PageScript | null>): Promise<PageScript | undefined> {
  const script = await read();
  return script?.name === name ? script : undefined;
}
