/** Cursors that say which way a list is being read, of which post (and comment), and where it stands. */
import { z } from 'zod';
import { decodeCursor as decodeOpaque, encodeCursor as encodeOpaque } from '../../core/security/opaque-cursor.ts';
import { notOfThisList } from '../scraping/index.ts';

const position = z.string().min(1).max(2048);
/** Both ends of a REST list can be open: older entries follow `max`, newer ones `min`. */
const ends = z.strictObject({ max: position.nullable(), min: position.nullable() });

const cursorSchema = z.discriminatedUnion('way', [
  z.strictObject({ way: z.literal('page'), of: position, after: position }),
  z
    .strictObject({ way: z.literal('session'), of: position, ends })
    .refine((cursor) => cursor.ends.max !== null || cursor.ends.min !== null),
]);

export type ListCursor = z.output<typeof cursorSchema>;
export type ListEnds = z.output<typeof ends>;

export function encodeCursor(cursor: ListCursor): string {
  return encodeOpaque(cursor);
}

/**
 * Reads a cursor of the list named `of`.
 * @throws `INVALID_REQUEST` for any text that this adapter did not hand out for this list
 */
export function decodeCursor(text: string, of: string): ListCursor {
  const cursor = decodeOpaque(text, cursorSchema);
  if (cursor?.of !== of) throw notOfThisList();
  return cursor;
}

/**
 * What is left of a list after a page. A page says for both ends whether there is more. Once one end is being followed, only
 * that end's word counts (the other points back to where we came from). A flag whose own cursor is missing goes by the other
 * cursor, as some answers have it.
 * @returns null when the list was read to its end, `'broken'` when there is more but no cursor to it
 */
export function endsAfter(
  before: ListEnds | null,
  page: {
    readonly hasMax: boolean;
    readonly nextMax: string | null;
    readonly hasMin: boolean;
    readonly nextMin: string | null;
  },
): ListEnds | null | 'broken' {
  const hasMore = page.hasMax || page.hasMin;
  const max = page.nextMax !== null && (page.hasMax || (page.hasMin && page.nextMin === null)) ? page.nextMax : null;
  const min = page.nextMin !== null && (page.hasMin || (page.hasMax && page.nextMax === null)) ? page.nextMin : null;
  const followed = before === null ? null : before.max !== null ? 'max' : 'min';
  if (followed === null) {
    if (hasMore && max === null && min === null) return 'broken';
    return max === null && min === null ? null : { max, min };
  }
  if (hasMore && page.nextMax === null && page.nextMin === null) return 'broken';
  const isCutOff = followed === 'max' ? page.hasMax && page.nextMax === null : page.hasMin && page.nextMin === null;
  // The other end's cursor leads back, so it stands for this one's only where this end says nothing of more.
  if (isCutOff) return 'broken';
  const after = followed === 'max' ? { max, min: before?.min ?? null } : { max: null, min };
  return after.max === null && after.min === null ? null : after;
}
