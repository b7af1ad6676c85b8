/** The script of the connect page: `browser.js` beside this module, which the build copies. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fileBeside } from '../../../../adapters/package-loader/index.ts';
import { type PageScript, pageScript } from '../page-script.ts';

/** The file, as browsers run it. */
export const SCRIPT_FILE = 'browser.js';

/** Loads the script; null if it is missing, as in a bundle of one file. The page then works as it does without JavaScript. */
export async function loadConnectScript(): Promise<PageScript | null> {
  const text = await builtScript();
  return text === null ? null : pageScript('connect', await promisify(gzip)(text, { level: 9 }));
}

async function builtScript(): Promise<Uint8Array | null> {
  try {
    return await readFile(fileBeside(import.meta.url, SCRIPT_FILE));
  } catch {
    return null;
  }
}
