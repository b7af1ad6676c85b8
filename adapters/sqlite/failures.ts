import { codeOf, DomainError } from '../../core/errors.ts';
import { fileAdvice } from '../file-system/index.ts';

/** True when another process holds the lock; the same work may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** True when the disk has no room for what was to be written. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

/** The error that callers of the port see: `SERVICE_UNAVAILABLE` when the file cannot be used, else the error itself. */
export function toPortError(error: unknown): unknown {
  const code = codeOf(error);
  if (!/^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|FULL|READONLY|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH|NOMEM)/.test(code))
    return error;
  return unavailable(`The SQLite storage cannot be used (${code}); try again.`, error);
}

export function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', message, { cause, ...(isBusy(cause) && { retryAfterSeconds: 1 }) });
}

/** By the beginning of a code of SQLite. */
const OPENING_ADVICE: readonly (readonly [code: string, advice: string])[] = [
  ['SQLITE_NOTADB', 'It is no SQLite database: name another file.'],
  ['SQLITE_CANTOPEN', 'Name a file that this process may read and write, in a folder in which it may write.'],
  ['SQLITE_READONLY', 'Let the user of this process write to it, to its -wal and -shm files, and in its folder.'],
  ['SQLITE_CORRUPT', 'It is damaged: restore a backup.'],
  ['SQLITE_FULL', 'The disk is full: free some space.'],
  ['SQLITE_BUSY', 'Another process holds its lock: end that process, or try again.'],
];

function openingAdvice(code: string): string {
  const [, advice] = OPENING_ADVICE.find(([each]) => code.startsWith(each)) ?? [];
  return advice === undefined ? fileAdvice(code) : ` ${advice}`;
}

const SYSTEM_CODE = /^E[A-Z]+$/;

/** For `open()`: names the file and what to do. */
export function notOpened(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (!SYSTEM_CODE.test(code) && toPortError(error) === error) return error;
  return unavailable(`The SQLite database ${path} cannot be opened (${code}).${openingAdvice(code)}`, error);
}

/** For a database whose file disappeared from under the open connection. */
export function fileGone(path: string): DomainError {
  return unavailable(
    `The SQLite database ${path} was deleted or replaced, or its log was cut short, while it was open. Restore the file, then restart.`,
  );
}
