/** Comments by their authors, or by what they say. */
import type { StoredComment } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberKey, scopedKey } from '../../core/platforms/author-key.ts';
import type { DocumentOf } from './documents.ts';
import type { Database } from './items.ts';

const same = (text: string) => text;
/** By which fields comments are found, and the keys that callers know the values by. */
const KEYS = { author: same, authorId: numberKey, scopedAuthorId: scopedKey, textKey: same } as const;

/** The first comment with each value in an order. */
export async function firstBy(
  { comments }: Database,
  by: keyof typeof KEYS,
  values: readonly string[],
  chosen: object,
  order: object,
): Promise<(readonly [string, StoredComment])[]> {
  if (values.length === 0) return [];
  const found = await comments.raw
    .aggregate<{ first: DocumentOf<'comments'> }>([
      { $match: { ...chosen, [by]: { $in: values } } },
      // In the order of the index: sorted by time alone, all of them would be sorted in memory.
      { $sort: { [by]: 1, ...order } },
      { $group: { _id: `$${by}`, first: { $first: '$$ROOT' } } },
    ])
    .toArray();
  return found.map(({ first }) => [KEYS[by](first[by] ?? ''), comments.toItem(first)]);
}

/** The newest 100 comments of each author, oldest first. First only their ids: one author may have any number of comments. */
export async function newestOf(
  { comments }: Database,
  by: Exclude<keyof typeof KEYS, 'textKey'>,
  authors: readonly string[],
  chosen: object,
): Promise<(readonly [AuthorKey, readonly StoredComment[]])[]> {
  if (authors.length === 0) return [];
  const newest = await comments.raw
    .aggregate<{ ids: number[] }>([
      { $match: { ...chosen, [by]: { $in: authors } } },
      { $sort: { [by]: 1, commentedAt: 1, _id: 1 } },
      { $group: { _id: `$${by}`, ids: { $push: '$_id' } } },
      { $project: { ids: { $slice: ['$ids', -100] } } },
    ])
    .toArray();
  const ids = newest.flatMap((one) => one.ids);
  const found = await comments.raw.find({ _id: { $in: ids } }, { sort: { commentedAt: 1, _id: 1 } }).toArray();
  const own = Map.groupBy(found, (document) => document[by] ?? '');
  return [...own].map(([value, documents]) => [KEYS[by](value), documents.map((one) => comments.toItem(one))]);
}
