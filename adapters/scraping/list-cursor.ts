/** Cursors that say of which list a place is. */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { decodeCursor as decodeOpaque, encodeCursor as encodeOpaque } from '../../core/security/opaque-cursor.ts';

/** A cursor of the platform's own that is a text. */
export const textPosition = z.string().min(1).max(2_048);

const cursorSchema = z.strictObject({ of: z.string(), at: z.unknown() });

/** `of` names the list: the post's id, with the comment's for replies. */
export function encodeCursor(of: string, at: unknown): string {
  return encodeOpaque({ of, at });
}

/**
 * The place in the list.
 * @throws `INVALID_REQUEST` for any text that was not handed out for this list
 */
export function decodeCursor<P>(cursor: string, of: string, position: z.ZodType<P>): P {
  const place = decodeOpaque(cursor, cursorSchema);
  const at = place?.of === of ? position.safeParse(place.at) : undefined;
  if (at?.success === true) return at.data;
  throw new DomainError(
    'INVALID_REQUEST',
    'The cursor is not one that was handed out for this list; begin without one.',
  );
}
