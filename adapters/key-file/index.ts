/** A secret key in a file of mode 0600, created on first use. */
import { chmod, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface KeyFileOptions {
  readonly path: string;
  /** Makes a fresh key when there is no file yet. */
  readonly generate: () => Uint8Array;
}

/**
 * Reads the key (lower-case hex, one line), or creates it. Several processes may start at once: all get the same key,
 * because the file appears whole and only once (written aside, then linked).
 * @throws Error when others may read the file, or when it does not hold a key of the expected length
 */
export async function loadKeyFile({ path, generate }: KeyFileOptions): Promise<Uint8Array> {
  const fresh = generate();
  if (!(await exists(path))) await create(path, fresh);
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) {
    throw new Error(`The key file ${path} can be read by others: run \`chmod 600 ${path}\`.`);
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]*$/i.test(text) || text.length !== fresh.length * 2) {
    throw new Error(`The key file ${path} does not hold a key: ${fresh.length * 2} hex digits are expected.`);
  }
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function create(path: string, key: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}.${crypto.randomUUID()}`;
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(`${Buffer.from(key).toString('hex')}\n`);
    await file.sync();
    await file.close();
    await chmod(aside, 0o600);
    await link(aside, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(aside, { force: true });
  }
}
