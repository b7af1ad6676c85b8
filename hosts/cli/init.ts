/** `credence init`: a commented `.env` with fresh secrets, and how to mount Credence in the project that is here. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEnvironment } from 'credence/host';
import { onFile } from './output-file.ts';
import { ENVIRONMENT_FILE } from './profiles.ts';
import { UsageError } from './usage-error.ts';

const TOKEN_BYTES = 32;

const MOUNTS: Readonly<Record<string, string>> = {
  fastify: `import { createCredence } from 'credence';
import { credenceFastify } from 'credence/fastify';

const credence = createCredence({ storage: 'sqlite:./data/credence.db' });
await app.register(credenceFastify(credence), { prefix: '/credence' });
await credence.start();`,
  express: `import { createCredence } from 'credence';
import { credenceExpress } from 'credence/express';

const credence = createCredence({ storage: 'sqlite:./data/credence.db' });
app.use('/credence', credenceExpress(credence));
await credence.start();`,
  next: `// app/api/[...path]/route.ts; credence.fetch serves Hono and other fetch handlers too.
import { createCredence } from 'credence';

const credence = createCredence({ storage: 'sqlite:./data/credence.db' });
const started = credence.start();
const handler = async (request: Request) => (await started, credence.fetch(request));
export { handler as GET, handler as POST, handler as PATCH, handler as DELETE };`,
};

export interface Initialised {
  readonly file: string;
  /** The framework that `package.json` names; null when none is known. */
  readonly framework: string | null;
  readonly mount: string | null;
  /** Made for this file, which holds it too. */
  readonly adminToken: string;
}

/**
 * Writes `.env` into `folder`, readable by its owner only.
 * @throws UsageError when there is one already (it may hold the only copy of a secret), or when it cannot be written
 */
export async function initialise(folder: string): Promise<Initialised> {
  const file = join(folder, ENVIRONMENT_FILE);
  const adminToken = randomBytes(TOKEN_BYTES).toString('base64url');
  const write = () =>
    writeFile(file, environmentFile(adminToken), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      throw new UsageError(`${file} exists already. Remove it or run this in another folder.`);
    });
  await onFile(file, 'written', write, 'The file is written to the folder in which the command runs.');
  const framework = await frameworkOf(folder);
  return { file, framework, mount: framework === null ? null : (MOUNTS[framework] ?? null), adminToken };
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

async function frameworkOf(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  let manifest: { dependencies?: Record<string, string> };
  try {
    manifest = JSON.parse(text) as typeof manifest;
  } catch {
    return null;
  }
  return Object.keys(MOUNTS).find((name) => name in (manifest.dependencies ?? {})) ?? null;
}
