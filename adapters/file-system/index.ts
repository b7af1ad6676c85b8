/** Directories and files of adapters, checked against what is on the disk. */
import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents, readable by their owner only. An existing directory keeps its mode.
 *
 * Replaces `mkdir` with `recursive`: on a file system that answers `ENOENT` to every `mkdir` (`/proc`), Node's own never
 * returns.
 * @throws Error of `node:fs` with its code: `ENOENT`, `EACCES`, `EROFS`, `EEXIST` or `ENOTDIR` for a file in the way
 */
export function makeDirectory(path: string): void {
  const parent = dirname(path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Give the user of this process the right to use it and its folder, or choose another path.',
  EEXIST: 'A part of its path is a file: choose another path.',
  EISDIR: 'It is a folder: name a file.',
  ENOENT: 'Its folder cannot be made: choose another path.',
  ENOSPC: 'The disk is full: free some space.',
  ENOTDIR: 'A part of its path is a file: choose another path.',
  EPERM: 'Give the user of this process the right to use it and its folder, or choose another path.',
  EROFS: 'Its file system is read-only: choose another path.',
};

/** What to do about a file that the system refuses with this code, with a blank in front; empty if the code says no more. */
export function fileAdvice(code: string): string {
  return ADVICE[code] === undefined ? '' : ` ${ADVICE[code]}`;
}

const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/**
 * Reads a text file of at most 16 MiB. A named pipe or a device is not waited for.
 * @throws Error with a code: of `node:fs`, `EISDIR` for a folder, `EFBIG` for a larger file, `ENOTFILE` for anything else
 */
export function readRegularFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (found.isDirectory()) throw unusable('EISDIR', path);
    if (!found.isFile()) throw unusable('ENOTFILE', path);
    if (found.size > MAX_TEXT_BYTES) throw unusable('EFBIG', path);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

const UNUSABLE = {
  EISDIR: 'is a folder',
  ENOTFILE: 'is no regular file',
  EFBIG: 'is larger than 16 MiB',
} as const;

function unusable(code: keyof typeof UNUSABLE, path: string): Error {
  return Object.assign(new Error(`${path} ${UNUSABLE[code]}`), { code });
}

/**
 * Remembers which file a path leads to now.
 * @returns a check that is false once the path leads nowhere or to another file. It costs one system call.
 * @throws Error of `node:fs` if there is no such file
 */
export function rememberFile(path: string): () => boolean {
  const { dev, ino } = statSync(path, { bigint: true });
  return () => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return now?.ino === ino && now.dev === dev;
  };
}
