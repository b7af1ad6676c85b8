/** What platforms push: whether it is theirs, and how its entries are read. */
import { createHmac } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import type { PushedChange } from '../../core/ports/official-api.ts';
import { equalText } from '../../core/security/constant-time.ts';
import { asCount, asUnixTime, isObject, type JsonObject, parseJson } from '../scraping/index.ts';

const MAX_CHANGES = 1_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Whether `hex` is the HMAC-SHA256 of the parts, compared in constant time. */
export function isSigned(secret: string, hex: string | undefined, ...parts: readonly (string | Uint8Array)[]): boolean {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return hex !== undefined && equalText(mac.digest('hex'), hex.toLowerCase());
}

/** The object that a body holds. @throws DomainError `INVALID_REQUEST` for a body that is none */
export function readPushTree(body: Uint8Array): JsonObject {
  const tree = parseJson(textOf(body));
  if (isObject(tree)) return tree;
  throw new DomainError('INVALID_REQUEST', 'The body must be a JSON object.');
}

function textOf(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    return '';
  }
}

/** Unix seconds or milliseconds. */
export function readPushTime(value: unknown): Date | null {
  const count = asCount(value);
  return asUnixTime(count !== null && count > 100_000_000_000 ? Math.floor(count / 1_000) : count);
}

/** The changes that could be read, and how many entries could not, or are more than a body may hold. */
export function changesOf<E>(
  entries: readonly E[],
  read: (entry: E) => PushedChange | null,
): { readonly changes: readonly PushedChange[]; readonly unreadable: number } {
  const changes = entries.slice(0, MAX_CHANGES).flatMap((entry) => read(entry) ?? []);
  return { changes, unreadable: entries.length - changes.length };
}
