/** Where commands go: `--url` and `--token`, variables, or the `.env` of the folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Target } from './call.ts';
import { UsageError } from './usage-error.ts';

/** Settings of the host, in the folder in which commands run. */
export const ENVIRONMENT_FILE = '.env';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface TargetOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

const DEFAULT_URL = 'http://localhost:3000';

/** Whether commands can call this URL. */
export function isTargetUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** The variables in the `.env` of a folder; null without one. @throws UsageError if it cannot be read */
export async function variablesOfFolder(folder: string): Promise<Variables | null> {
  const file = join(folder, ENVIRONMENT_FILE);
  try {
    return parseEnv(await readFile(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    const advice = 'Make it a file that your user can read, or run this in another folder.';
    throw new UsageError(`${file} cannot be read (${code}). ${advice}`);
  }
}

/** The host that the `.env` of a folder configures, as `credence init` writes it; null without one. */
async function hostOfFolder(folder: string, env: Variables): Promise<Target | null> {
  const given = await variablesOfFolder(folder);
  if (given === null) return null;
  // As `credence start` reads them: what is set already wins.
  const { ADMIN_TOKEN, CREDENCE_TOKEN, CREDENCE_URL, HOST, PORT } = { ...given, ...env };
  const url = CREDENCE_URL || `http://${isHere(HOST) ? 'localhost' : HOST}:${PORT || '3000'}`;
  return { url, token: CREDENCE_TOKEN || ADMIN_TOKEN || undefined };
}

/** True for an address that this machine reaches by the name `localhost`. */
function isHere(host: string | undefined): boolean {
  return !host || ['localhost', '127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
}

/**
 * Options come first, then `CREDENCE_URL` and `CREDENCE_TOKEN`, then the `.env` of the folder. The token of the folder goes only to
 * the host of the folder.
 * @throws UsageError for a URL that is none, and for a `.env` that is needed and cannot be read
 */
export async function targetOf(options: TargetOptions, env: Variables, folder: string): Promise<Target> {
  const isKnown = (options.url ?? env.CREDENCE_URL) && (options.token ?? env.CREDENCE_TOKEN);
  const here = isKnown ? null : await hostOfFolder(folder, env);
  const url = options.url ?? (env.CREDENCE_URL || here?.url) ?? DEFAULT_URL;
  if (!isTargetUrl(url)) {
    throw new UsageError(`${JSON.stringify(url)} is not an http or https URL. Give one like https://credence.example.`);
  }
  const ofFolder = here !== null && sameHost(url, here.url) ? here.token : undefined;
  return { url, token: options.token ?? (env.CREDENCE_TOKEN || ofFolder) };
}

function sameHost(one: string, other: string): boolean {
  const named = (url: string) => url.replace('://127.0.0.1', '://localhost').replace(/\/$/, '');
  return named(one) === named(other);
}
