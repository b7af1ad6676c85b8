/** Directories and files that an adapter keeps open, checked against what is on the disk. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
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
