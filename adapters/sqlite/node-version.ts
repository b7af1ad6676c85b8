import { DomainError } from '../../core/errors.ts';

/** The oldest Node.js major that better-sqlite3 supports; on older ones its addon ends the process with a segfault. */
const OLDEST_MAJOR = 22;

/**
 * Refuses to continue where loading better-sqlite3 would crash the process instead of throwing.
 *
 * @throws DomainError `NOT_SUPPORTED` on a Node.js that is too old.
 */
export function assertNodeVersion(version: string = process.versions.node): void {
  const major = Number.parseInt(version, 10);
  if (major >= OLDEST_MAJOR) return;
  throw new DomainError(
    'NOT_SUPPORTED',
    `Credence needs Node.js 22.19 or newer; on this one, ${version}, its SQLite storage would end the process. Use a newer Node.js.`,
  );
}
