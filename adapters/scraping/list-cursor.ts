/**
 * Cursors as callers hold them: opaque text that says of which list the provider's own cursor is. They come back from
 * strangers, so they are checked as strictly as any input.
 */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';

const MAX_LENGTH = 8_192;
const text = z.string().min(1).max(2_048);
const cursorSchema = z.strictObject({ of: text, at: text });

/** `of` names the list: the post's id, with the comment's for replies. */
export function encodeCursor(of: string, at: string): string {
  return Buffer.from(JSON.stringify({ of, at }), 'utf8').toString('base64url');
}

/**
 * The provider's own cursor.
 * @throws `INVALID_REQUEST` for any text that was not handed out for this list
 */
export function decodeCursor(cursor: string, of: string): string {
  const isPlausible = cursor.length <= MAX_LENGTH && /^[A-Za-z0-9_-]+$/.test(cursor);
  const parsed = isPlausible ? cursorSchema.safeParse(jsonOf(cursor)) : null;
  if (parsed?.success === true && parsed.data.of === of) return parsed.data.at;
  throw new DomainError(
    'INVALID_REQUEST',
    'The cursor is not one that was handed out for this list; begin without one.',
  );
}

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
