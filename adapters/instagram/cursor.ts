/** Where a list of comments continues. */
import { z } from 'zod';
import { asText, textPosition } from '../scraping/index.ts';
import { drifted, unavailable } from './refusals.ts';

/** Both ends of a REST list can be open: older entries follow `max`, newer ones `min`. */
const ends = z
  .strictObject({ max: textPosition.nullable(), min: textPosition.nullable() })
  .refine(({ max, min }) => max !== null || min !== null);

/** The cursor of the logged-out query, or the open ends of a list that a session reads: they mean nothing to the other way. */
export const position = z.union([textPosition, ends]);

export type ListEnds = z.output<typeof ends>;
export type Position = z.output<typeof position>;

type FlagAndPosition = readonly [flag: unknown, position: unknown];

/**
 * What is left of a list after a page, which says for both ends whether there is more; null when it was read to its end. Once one
 * end is being followed, only that end's word counts (the other points back to where we came from). A flag whose own cursor is
 * missing goes by the other cursor, as some answers have it.
 * @throws `drifted` when it gives a place to continue at without a word whether there is more: that is not the list's end;
 *   `missing-cursor` when there is more but no cursor to it
 */
export function endsAfter(before: ListEnds | null, max: FlagAndPosition, min: FlagAndPosition): ListEnds | null {
  const [hasMax, hasMin] = [readFlag(max[0]), readFlag(min[0])];
  const [nextMax, nextMin] = [readPosition(max[1]), readPosition(min[1])];
  const hasMore = hasMax || hasMin;
  const isUnsaid = (max[0] == null && nextMax !== null) || (min[0] == null && nextMin !== null);
  if (!hasMore && isUnsaid) throw drifted('comments');
  const isAtMax = before?.max != null;
  // The other end's cursor leads back, so it stands for this one's only where this end says nothing of more.
  const isCutOff = before !== null && (isAtMax ? hasMax && nextMax === null : hasMin && nextMin === null);
  if (isCutOff || (hasMore && nextMax === null && nextMin === null)) throw missingCursor();
  const older = hasMax || (hasMin && nextMin === null) ? nextMax : null;
  const newer = hasMin || (hasMax && nextMax === null) ? nextMin : null;
  const left = { max: before === null || isAtMax ? older : null, min: isAtMax ? before.min : newer };
  return left.max === null && left.min === null ? null : left;
}

/** Left out means false. @throws `drifted` for anything but a boolean */
function readFlag(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw drifted('comments');
  return value;
}

/** A cursor, as text; null for the end of a list. */
export function readPosition(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : asText(value, 2048);
  return text === '' ? null : text;
}

export function missingCursor() {
  return unavailable('missing-cursor', 'Instagram says there are more comments, but not where');
}
