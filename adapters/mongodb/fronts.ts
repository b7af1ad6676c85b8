import type { Db, Document } from 'mongodb';

/** The first documents of a collection in the order of an index. */
export interface Front {
  readonly coll: 'deliveries' | 'subscriberDeliveries';
  readonly pipeline: Document[];
}

export function front(
  coll: Front['coll'],
  $match: Document,
  $sort: Document,
  $limit: number,
  $project: Document,
): Front {
  return { coll, pipeline: [{ $match }, { $sort }, { $limit }, { $project }] };
}

/** Reads several of them, at most `most` documents together. */
export async function inOneCommand<T extends object>(
  db: Db,
  most: number,
  [first, ...others]: readonly Front[],
): Promise<T[]> {
  if (first === undefined) return [];
  const pipeline = [...first.pipeline, ...others.map(($unionWith) => ({ $unionWith }))];
  // Else a server sends the first hundred, and the rest for one more command.
  const batchSize = most + 1;
  return db.collection(first.coll).aggregate<T>(pipeline, { batchSize }).toArray();
}
