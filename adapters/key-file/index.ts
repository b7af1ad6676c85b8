/** A secret key in a file of mode 0600, created on first use. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface KeyFileOptions {
  readonly path: string;
  /** Makes a fresh key when there is no file yet; its length is the length that is expected. */
  readonly generate: () => Uint8Array;
  /** False: a missing file is an error, for a key that something was sealed with already. */
  readonly mayCreate?: boolean;
}

/** Thrown for a key file that is missing, readable by others, or holds no key; the message says what to do. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/**
 * Reads the key (hex, one line), or creates it. Several processes may start at once: all get the same key, because the
 * file appears whole and only once (written aside, then linked). Synchronous: it runs once, at boot.
 * @throws KeyFileError when others may read the file, when it does not hold a key of the expected length, or when it is
 *   missing and may not be created
 */
export function loadKeyFile({ path, generate, mayCreate = true }: KeyFileOptions): Uint8Array {
  const fresh = generate();
  if (!existsSync(path)) {
    if (!mayCreate) throw new KeyFileError(`The key file ${path} is missing.`);
    create(path, fresh);
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new KeyFileError(`The key file ${path} can be read by others: run \`chmod 600 ${path}\`.`);
  }
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]*$/i.test(text) || text.length !== fresh.length * 2) {
    throw new KeyFileError(`The key file ${path} does not hold a key: ${fresh.length * 2} hex digits are expected.`);
  }
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

function create(path: string, key: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}.${randomUUID()}`;
  try {
    const file = openSync(aside, 'wx', 0o600);
    writeSync(file, `${Buffer.from(key).toString('hex')}\n`);
    fsyncSync(file);
    closeSync(file);
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
