import type { Document } from 'mongodb';
import { BUCKET_MS, type SeriesCount, type SeriesRange } from '../../core/ports/series.ts';
import type { CollectionName, Place } from './documents.ts';
import { instant } from './values.ts';

const EPOCH = new Date(0);

/** Counts documents by one of their times and by a name, which is an expression; `count` is the expression to add up. */
export async function countByTime(
  db: Place,
  name: CollectionName,
  { from, to, by }: SeriesRange,
  counted: {
    readonly match: Document;
    readonly time: string;
    readonly name: string | Document;
    readonly count: unknown;
  },
): Promise<SeriesCount[]> {
  const { match, time, count } = counted;
  const sinceBucket = { $mod: [{ $subtract: [`$${time}`, EPOCH] }, BUCKET_MS[by]] };
  const at = { $subtract: [`$${time}`, sinceBucket] };
  return await db
    .collection(name)
    .aggregate<SeriesCount>([
      { $match: { ...match, [time]: { $gte: instant(from), $lt: instant(to) } } },
      { $group: { _id: { at, name: counted.name }, count: { $sum: count } } },
      { $project: { _id: 0, at: '$_id.at', name: '$_id.name', count: 1 } },
    ])
    .toArray();
}
