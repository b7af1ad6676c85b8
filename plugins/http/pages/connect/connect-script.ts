/** The script of the connect page: `browser.js` beside this module, which the build copies. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { builtFile, type PageScript, pageScript } from '../page-script.ts';

/** The file, as browsers run it. */
export const SCRIPT_FILE = 'browser.js';

/** Loads the script; null if it is missing. The page then works as it does without JavaScript. */
export async function loadConnectScript(): Promise<PageScript | null> {
  const text = await builtFile(import.meta.url, SCRIPT_FILE);
  return text === null ? null : pageScript('connect', await promisify(gzip)(text, { level: 9 }));
}
