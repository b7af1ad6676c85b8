/** Comments by their authors, or by what they say. */
import type { StoredComment } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberKey, scopedKey } from '../../core/platforms/author-key.ts';
import type { DocumentOf } from './documents.ts';
import type { Database } from './items.ts';

const same = (text: string) => text;
/** By which fields comments are found, and the keys that callers know the values by. */
const KEYS = { author: same, authorId: numberKey, scopedAuthorId: scopedKey, textKey: same } as const;
export type AuthorField = Exclude<keyof typeof KEYS, 'textKey'>;

/** The first comment with each value in an order. Any number of comments may have one value: what is read follows from how many values are asked for. */
export async function firstBy(
  { comments }: Database,
  by: keyof typeof KEYS,
  values: readonly string[],
  chosen: object,
  order: { readonly [field: string]: 1 },
): Promise<(readonly [string, StoredComment])[]> {
  const firsts = new Map<string, DocumentOf<'comments'>>();
  for (let left = values; left.length > 0; ) {
    // Most values have one comment, and the few of which a page is full are not asked for again.
    const limit = 2 * left.length + 1;
    const found = await comments.raw
      .find({ ...chosen, [by]: { $in: left } }, { sort: { [by]: 1, ...order }, limit, batchSize: limit })
      .toArray();
    for (const one of found) if (!firsts.has(one[by] ?? '')) firsts.set(one[by] ?? '', one);
    left = found.length < limit ? [] : left.filter((value) => !firsts.has(value));
  }
  return [...firsts].map(([value, first]) => [KEYS[by](value), comments.toItem(first)]);
}

/** The newest 100 comments of each author, oldest first. */
export async function newestOf(
  { comments }: Database,
  by: AuthorField,
  authors: readonly string[],
  chosen: object,
): Promise<(readonly [AuthorKey, readonly StoredComment[]])[]> {
  if (authors.length === 0) return [];
  const those = { ...chosen, [by]: { $in: authors } };
  const limit = 8 * authors.length + 1;
  let found = await comments.raw.find(those, { limit, batchSize: limit }).toArray();
  if (found.length === limit) {
    // More than a few each: first only their ids, since one author may have any number of comments.
    const newest = await comments.raw
      .aggregate<{ ids: number[] }>([
        { $match: those },
        { $sort: { [by]: 1, commentedAt: 1, _id: 1 } },
        { $group: { _id: `$${by}`, ids: { $push: '$_id' } } },
        { $project: { ids: { $slice: ['$ids', -100] } } },
      ])
      .toArray();
    found = await comments.raw.find({ _id: { $in: newest.flatMap(({ ids }) => ids) } }).toArray();
  }
  const inOrder = found.sort((a, b) => a.commentedAt.getTime() - b.commentedAt.getTime() || a._id - b._id);
  const own = Map.groupBy(inOrder, (document) => document[by] ?? '');
  return [...own].map(([value, all]) => [KEYS[by](value), all.slice(-100).map((one) => comments.toItem(one))]);
}
