/** Pieces of what waits, in the order of `core/ports/waiting.ts`. */
import type { Document } from 'mongodb';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { instant, integer } from './values.ts';

/** Matches what has waited in `field` since before a time, behind the cursor. */
export function waitingIn(field: string, before: Date, after: WaitingCursor | undefined): Document {
  const $lt = instant(before);
  if (after === undefined) return { [field]: { $lt } };
  const since = instant(after.since);
  return {
    [field]: { $gte: since, $lt },
    $or: [{ [field]: { $gt: since } }, { _id: { $gt: integer(after.id) } }],
  };
}
