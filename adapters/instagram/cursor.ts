/**
 * Cursors as callers hold them: opaque text that says which way a list is being read, of which post (and comment), and where
 * it stands. They come back from strangers, so they are checked as strictly as any input.
 */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';

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

const MAX_LENGTH = 8192;

export function encodeCursor(cursor: ListCursor): string {
  return Buffer.from(JSON.stringify(cursor), 'utf8').toString('base64url');
}

/**
 * Reads a cursor of the list named `of`.
 * @throws `INVALID_REQUEST` for any text that this adapter did not hand out for this list
 */
export function decodeCursor(text: string, of: string): ListCursor {
  const cursor =
    text.length <= MAX_LENGTH && /^[A-Za-z0-9_-]+$/.test(text) ? cursorSchema.safeParse(jsonOf(text)) : null;
  if (cursor?.success !== true || cursor.data.of !== of) {
    throw new DomainError(
      'INVALID_REQUEST',
      'The cursor is not one that was handed out for this list; begin without one.',
    );
  }
  return cursor.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * What is left of a list after a page. A page says for both ends whether there is more; once one end is being followed, only
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
  const after = followed === 'max' ? { max, min: before?.min ?? null } : { max: null, min };
  return after.max === null && after.min === null ? null : after;
}
