/** A secret key in a file of mode 0600, created on first use in a directory of mode 0700. */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { fileAdvice, makeDirectory, readRegularFile } from '../file-system/index.ts';
import { isModeAccepted } from './file-mode.ts';

/** What `loadKeyFile` takes. */
export interface KeyFileOptions {
  /** The file; its folder must exist. */
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
 * @throws KeyFileError when others may read a file of one's own or change any (`isModeAccepted`); when it does not hold a
 *   key of the expected length, cannot be read or made, or is missing and may not be made
 */
export function loadKeyFile({ path, generate, mayCreate = true }: KeyFileOptions): Uint8Array {
  const fresh = generate();
  if (!existsSync(path)) {
    if (!mayCreate) throw new KeyFileError(`The key file ${path} is missing.`);
    named(path, 'created', () => create(path, fresh));
  }
  return named(path, 'read', () => read(path, fresh.length));
}

function read(path: string, length: number): Uint8Array {
  const found = statSync(path);
  // Before its mode: nobody should change the mode of a folder or a device for this.
  if (!found.isFile()) throw new KeyFileError(`The key file ${path} is no regular file. Name a file for the key.`);
  const { mode, uid } = found;
  if (!isModeAccepted({ mode, uid, isReadOnly: isOnReadOnlyMount(path) }, process.geteuid?.())) {
    throw new KeyFileError(`The key file ${path} can be read or changed by others: run \`chmod 600 ${path}\`.`);
  }
  const text = readRegularFile(path).trim();
  if (!/^[0-9a-f]*$/i.test(text) || text.length !== length * 2) {
    throw new KeyFileError(`The key file ${path} does not hold a key: ${length * 2} hex digits are expected.`);
  }
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

function isOnReadOnlyMount(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === 'EROFS';
  }
}

function create(path: string, key: Uint8Array): void {
  makeDirectory(dirname(path));
  const aside = `${path}.${process.pid}.${randomUUID()}`;
  try {
    const file = openSync(aside, 'wx', 0o600);
    writeSync(file, `${Buffer.from(key).toString('hex')}\n`);
    fsyncSync(file);
    closeSync(file);
    linkSync(aside, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Says which file it was when the system refuses. */
function named<T>(path: string, verb: 'created' | 'read', work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === '') throw cause;
    throw new KeyFileError(`The key file ${path} cannot be ${verb} (${code}).${fileAdvice(code)}`, { cause });
  }
}
