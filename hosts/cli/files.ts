/** Files that a command reads, keeps or writes: one that cannot be used is a wrong call. */
import { readFile } from 'node:fs/promises';
import { fileAdvice } from '../../adapters/file-system/index.ts';
import { UsageError } from './usage-error.ts';

/** Reads a file, or stdin for `-`. @throws UsageError that names the file and what is wrong with it */
export async function readInput(file: string): Promise<Buffer> {
  try {
    return await readFile(file === '-' ? '/dev/stdin' : file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Reads JSON from a file, or from stdin for `-`. @throws UsageError as `readInput`, and for what is not JSON; `what` is expected */
export async function readJson(file: string, what: string, maxBytes = 64 * 1024 * 1024): Promise<unknown> {
  const bytes = await readInput(file);
  if (bytes.length > maxBytes) throw new UsageError(`${file} is too large. Give ${what}.`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new UsageError(`${file} is not JSON. Give ${what}.`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder. Give a file.',
  EACCES: 'cannot be read: permission denied.',
};

function unreadable(file: string, error: unknown): UsageError {
  const { code = '' } = error as { readonly code?: string };
  if (code === 'ENOENT') return new UsageError(`There is no file ${file}.`);
  return new UsageError(`${file} ${REASONS[code] ?? `cannot be read (${code}).`}`);
}

/** Does work on a file. @throws UsageError that names the file and says what to do, if the system refuses it */
export async function onFile<T>(
  file: string,
  verb: 'read' | 'written',
  work: () => Promise<T>,
  hint?: string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    const advice = `${fileAdvice(code)}${hint === undefined ? '' : ` ${hint}`}`;
    throw new UsageError(`${file} cannot be ${verb} (${code}).${advice}`);
  }
}
