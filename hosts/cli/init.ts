/** `credence init`: a commented `.env` with fresh secrets, or an application of the gallery (`hosts/examples`). */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeEnvironment } from 'credence/host';
import { fileBeside } from '../../adapters/package-loader/file-beside.ts';
import { onFile } from './files.ts';
import { ENVIRONMENT_FILE } from './target.ts';
import { UsageError } from './usage-error.ts';

const TOKEN_BYTES = 32;
const MANIFEST = 'package.json';
const ENVIRONMENT_EXAMPLE = '.env.example';

/** The applications of the gallery; the first three are named as the packages of their frameworks. */
export const TEMPLATES = ['fastify', 'express', 'next', 'receiver'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface Initialised {
  readonly file: string;
  /** The framework that `package.json` names; null when none is known. */
  readonly framework: string | null;
  /** The file of the gallery that shows how to mount Credence in it. */
  readonly mount: string | null;
  /** Made for this file, which holds it too. */
  readonly adminToken: string;
}

/**
 * Writes `.env` into `folder`, readable by its owner only.
 * @throws UsageError when there is one already (it may hold the only copy of a secret), or when it cannot be written
 */
export async function initialise(folder: string): Promise<Initialised> {
  const adminToken = randomBytes(TOKEN_BYTES).toString('base64url');
  const file = await writeNew(folder, ENVIRONMENT_FILE, environmentFile(adminToken));
  const manifest = await manifestOf(folder).catch(() => undefined);
  const framework = TEMPLATES.find((name) => name in (manifest?.dependencies ?? {})) ?? null;
  const mount = framework === null ? null : join(folderOf(framework), ...(await sourcesOf(framework)).slice(0, 1));
  return { file, framework, mount, adminToken };
}

/**
 * Writes an application of the gallery into `folder`, and what it needs into `package.json`, in which everything stays that is there.
 * Returns the names of its files, and the command that starts it.
 * @throws UsageError when one of them is there already, or the project has no ES modules: nothing is written then
 */
export async function writeTemplate(folder: string, template: Template) {
  const from = folderOf(template);
  const [wanted = {}, own] = [await manifestOf(from), await manifestOf(folder)];
  if (own !== undefined && wanted.type !== undefined && own.type !== wanted.type) {
    throw new UsageError(
      `${MANIFEST} must say "type": "${wanted.type}". Run this first: npm pkg set type=${wanted.type}`,
    );
  }
  const files = await sourcesOf(template);
  const found = files.find((name) => existsSync(join(folder, name)));
  if (found !== undefined) throw new UsageError(`${found} exists already. Run this in another folder.`);
  for (const name of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeNew(folder, name, await readFile(join(from, name), 'utf8'));
  }
  const needsSettings = !existsSync(join(folder, ENVIRONMENT_FILE));
  if (needsSettings) {
    const adminToken = randomBytes(TOKEN_BYTES).toString('base64url');
    const text = await readFile(join(from, ENVIRONMENT_EXAMPLE), 'utf8');
    await writeNew(folder, ENVIRONMENT_FILE, text.replace('ADMIN_TOKEN=', `ADMIN_TOKEN=${adminToken}`));
  }
  const merged = { ...own, ...wanted, ...own };
  for (const field of ['scripts', 'dependencies', 'devDependencies'] as const) {
    if (wanted[field] !== undefined) merged[field] = { ...wanted[field], ...own?.[field] };
  }
  const manifest = join(folder, MANIFEST);
  await onFile(manifest, 'written', () => writeFile(manifest, `${JSON.stringify(merged, null, 2)}\n`));
  const written = [...files, MANIFEST, ...(needsSettings ? [ENVIRONMENT_FILE] : [])];
  return { files: written, start: wanted.scripts?.dev === undefined ? 'npm start' : 'npm run dev' };
}

interface Manifest {
  readonly type?: string;
  scripts?: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
}

/** The `package.json` of a folder, if there is one. @throws UsageError when it cannot be read, or is no JSON */
async function manifestOf(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) return undefined;
  const text = await onFile(file, 'read', () => readFile(file, 'utf8'));
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    throw new UsageError(`${file} is not JSON. Fix it first.`);
  }
}

const folderOf = (template: Template) => fileURLToPath(fileBeside(import.meta.url, `../examples/${template}`));

/** The files of a template that are written as they are. */
async function sourcesOf(template: Template): Promise<string[]> {
  const from = folderOf(template);
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && ![MANIFEST, ENVIRONMENT_EXAMPLE].includes(entry.name))
    .map(({ parentPath, name }) => relative(from, join(parentPath, name)));
}

/** Writes a file, settings for their owner only, and returns its path. @throws UsageError when there is one, or it cannot be written */
async function writeNew(folder: string, name: string, text: string): Promise<string> {
  const file = join(folder, name);
  const write = () =>
    writeFile(file, text, { flag: 'wx', mode: name === ENVIRONMENT_FILE ? 0o600 : 0o666 }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        throw new UsageError(`${file} exists already. Remove it or run this in another folder.`);
      },
    );
  await onFile(file, 'written', write, 'The file is written to the folder in which the command runs.');
  return file;
}

/** Every variable with its description and default, commented out; the admin token is set. */
function environmentFile(adminToken: string): string {
  const entries = describeEnvironment()
    .split('\n')
    .map((line) => /^ {2}(\w+)\s+(.*?)(?: \[(.*)\])?$/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = '', description = '', fallback = '']) =>
      name === 'ADMIN_TOKEN'
        ? `# Token with admin rights.\n${name}=${adminToken}`
        : `# ${description}\n#${name}=${fallback}`,
    );
  return `# Settings of the Credence host. \`credence start\` reads this file. Keep it secret.\n\n${entries.join('\n\n')}\n`;
}
