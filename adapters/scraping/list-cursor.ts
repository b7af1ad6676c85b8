/** Cursors that say of which list the provider's own cursor is. */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { decodeCursor as decodeOpaque, encodeCursor as encodeOpaque } from '../../core/security/opaque-cursor.ts';

const text = z.string().min(1).max(2_048);
const cursorSchema = z.strictObject({ of: text, at: text });

/** `of` names the list: the post's id, with the comment's for replies. */
export function encodeCursor(of: string, at: string): string {
  return encodeOpaque({ of, at });
}

/**
 * The provider's own cursor.
 * @throws `INVALID_REQUEST` for any text that was not handed out for this list
 */
export function decodeCursor(cursor: string, of: string): string {
  const place = decodeOpaque(cursor, cursorSchema);
  if (place?.of === of) return place.at;
  throw notOfThisList();
}

/** The refusal of a cursor that was not handed out for a list. */
export function notOfThisList(): DomainError {
  return new DomainError(
    'INVALID_REQUEST',
    'The cursor is not one that was handed out for this list; begin without one.',
  );
}
