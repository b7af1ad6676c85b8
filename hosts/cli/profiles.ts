/** Where commands go: `--url` and `--token`, variables, or a profile that was stored with `credence profile add`. */
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { makeDirectory } from '../../adapters/file-system/index.ts';
import type { Target } from './call.ts';
import { onFile } from './output-file.ts';
import { UsageError } from './usage-error.ts';

const OWNER_ONLY = 0o600;

/** Settings of the host, in the folder in which commands run. */
export const ENVIRONMENT_FILE = '.env';

interface Profile {
  readonly url: string;
  readonly token: string;
}

export interface Profiles {
  readonly inUse: string | null;
  readonly profiles: ReadonlyMap<string, Profile>;
}

const profilesSchema = z.object({
  inUse: z.string().nullable(),
  profiles: z
    .record(z.string(), z.object({ url: z.string(), token: z.string() }))
    .transform((stored) => new Map(Object.entries(stored))),
});

export type Variables = Readonly<Record<string, string | undefined>>;

/** The file of profiles: below `XDG_CONFIG_HOME`, else `~/.config`. */
export function profilesFile(env: Variables): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'credence', 'profiles.json');
}

const ELSEWHERE = 'Set XDG_CONFIG_HOME to keep the profiles in another folder.';

/** @throws UsageError when the file cannot be read or holds something else */
export async function readProfiles(file: string): Promise<Profiles> {
  const read = () =>
    readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"inUse":null,"profiles":{}}';
      throw error;
    });
  const text = await onFile(file, 'read', read, ELSEWHERE);
  try {
    return profilesSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${file} is not a file of profiles. Remove it, then add them again.`);
  }
}

/** Replaces the file in one step; nobody but its owner may read it. @throws UsageError when it cannot be written */
export async function writeProfiles(file: string, { inUse, profiles }: Profiles): Promise<void> {
  const stored = { inUse, profiles: Object.fromEntries(profiles) };
  const write = async () => {
    makeDirectory(dirname(file));
    const aside = `${file}.${process.pid}`;
    await writeFile(aside, `${JSON.stringify(stored, null, 2)}\n`, { mode: OWNER_ONLY });
    await chmod(aside, OWNER_ONLY);
    await rename(aside, file);
  };
  await onFile(file, 'written', write, ELSEWHERE);
}

export interface TargetOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly profile?: string | undefined;
}

const DEFAULT_URL = 'http://localhost:3000';

/** Whether commands can call this URL. */
export function isTargetUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** The host that the `.env` of a folder configures, as `credence init` writes it; null without one. */
export async function hostOfFolder(folder: string, env: Variables): Promise<Target | null> {
  const text = await readFile(join(folder, ENVIRONMENT_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  // As `credence start` reads them: what is set already wins.
  const { ADMIN_TOKEN, CREDENCE_TOKEN, CREDENCE_URL, HOST, PORT } = { ...parseEnv(text), ...env };
  const url = CREDENCE_URL || `http://${isHere(HOST) ? 'localhost' : HOST}:${PORT || '3000'}`;
  return { url, token: CREDENCE_TOKEN || ADMIN_TOKEN || undefined };
}

/** True for an address that this machine reaches by the name `localhost`. */
function isHere(host: string | undefined): boolean {
  return !host || ['localhost', '127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
}

/**
 * Options come first, then `CREDENCE_URL` and `CREDENCE_TOKEN`, then the profile in use, then the `.env` of the folder; a profile that
 * `--profile` names comes before the variables. A stored token goes only to the URL that it is stored with.
 * @throws UsageError for an unknown profile or a URL that is none
 */
export async function targetOf(options: TargetOptions, env: Variables, folder: string): Promise<Target> {
  const { profiles, inUse } = await readProfiles(profilesFile(env));
  const name = options.profile ?? inUse;
  const profile = name === null ? undefined : profiles.get(name);
  if (options.profile !== undefined && profile === undefined) {
    throw new UsageError(`There is no profile ${options.profile}. \`credence profile list\` shows them.`);
  }
  const given = options.url ?? (options.profile === undefined ? env.CREDENCE_URL || undefined : undefined);
  const here = await hostOfFolder(folder, env);
  const url = given ?? profile?.url ?? here?.url ?? DEFAULT_URL;
  if (!isTargetUrl(url)) {
    throw new UsageError(`${JSON.stringify(url)} is not an http or https URL. Give one like https://credence.example.`);
  }
  const ofProfile = (profile !== undefined && url === profile.url && profile.token) || undefined;
  const ofVariable = env.CREDENCE_TOKEN || undefined;
  // Someone who names a profile in the command means its token too.
  const stored = options.profile === undefined ? (ofVariable ?? ofProfile) : (ofProfile ?? ofVariable);
  const ofFolder = here !== null && sameHost(url, here.url) ? here.token : undefined;
  return { url, token: options.token ?? stored ?? ofFolder };
}

function sameHost(one: string, other: string): boolean {
  const named = (url: string) => url.replace('://127.0.0.1', '://localhost').replace(/\/$/, '');
  return named(one) === named(other);
}
