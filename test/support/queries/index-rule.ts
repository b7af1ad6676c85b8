/**
 * Which index serves a query, by the rule of MongoDB's planner: equality first, then the order, then ranges. Stricter than
 * what the planner makes do with: every restricted field has to be in the index, so that nothing is read in vain.
 */
import type { QueryShape } from './shape.ts';

export interface IndexKeys {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique?: true;
  readonly sparse?: true;
  /** What a document needs to be in the index. */
  readonly partialFilterExpression?: Readonly<Record<string, unknown>>;
}

export const BY_ID: IndexKeys = { name: '_id_', key: { _id: 1 }, unique: true };

/** Whether the query reads no more than what it answers with, and in its order, with this index alone. */
export function serves(index: IndexKeys, { filter, points: values, sort, limited }: QueryShape): boolean {
  if (!holdsAll(index, filter, values)) return false;
  const keys = Object.entries(index.key);
  const isPoint = (field: string) => filter.get(field) === 'equal' || filter.get(field) === 'one-of';
  const firstOpen = keys.findIndex(([field]) => !isPoint(field));
  const points = firstOpen < 0 ? keys.length : firstOpen;
  const isOne = keys.slice(0, points).every(([field]) => filter.get(field) === 'equal');
  // At most one document for each point: what else it has to be is asked of that one.
  if (index.unique === true && points === keys.length && (sort.length === 0 || isOne)) return true;

  const inIndex = keys.map(([field]) => field);
  const pointFields = inIndex.slice(0, points);
  for (const [field, restriction] of filter) {
    const found = restriction === 'equal' || restriction === 'one-of' ? pointFields : inIndex;
    if (!found.includes(field)) return false;
  }
  const order = sort.filter(([field]) => filter.get(field) !== 'equal');
  const rest = keys.slice(points);
  // Lists before the order would have to be merged: it has to begin with them.
  const listed = keys.slice(0, points).filter(([field]) => filter.get(field) === 'one-of');
  const ordered = order.length === 0 ? [] : [...listed, ...rest];
  if (!follows(order, ordered)) return false;
  const ranged = [...filter].some(([, restriction]) => restriction === 'range');
  if (order.length > 0) return points > 0 || ranged || limited;
  if (points === 0 && !ranged) return false;
  // Without an order, a range has to come right after the points to narrow what is read.
  return !ranged || filter.get(rest[0]?.[0] ?? '') === 'range';
}

function follows(order: QueryShape['sort'], keys: readonly (readonly [string, number])[]): boolean {
  if (order.length > keys.length) return false;
  const sameWay = order.every(([field, way], at) => keys[at]?.[0] === field && keys[at]?.[1] === way);
  const otherWay = order.every(([field, way], at) => keys[at]?.[0] === field && keys[at]?.[1] === -way);
  return sameWay || otherWay;
}

/** Whether every document that the filter takes is in the index. */
function holdsAll(index: IndexKeys, filter: QueryShape['filter'], values: QueryShape['points']): boolean {
  const needed = index.partialFilterExpression ?? (index.sparse === true ? index.key : {});
  return Object.entries(needed).every(
    ([field, condition]) =>
      filter.has(field) && filter.get(field) !== 'other' && allMeet(condition, [...(values.get(field) ?? [])]),
  );
}

/** Whether the values of a query meet the condition of a partial index, if it is one on values. */
function allMeet(condition: unknown, values: readonly unknown[]): boolean {
  const { $eq, $gte } = Object(condition) as { readonly $eq?: unknown; readonly $gte?: unknown };
  if ($eq === undefined && $gte === undefined) return true;
  return (
    values.length > 0 && values.every((value) => ($gte === undefined ? value === $eq : String(value) >= String($gte)))
  );
}

/** A query that no index serves whole, and why it may be asked all the same. */
export interface Allowance {
  /** The index that narrows what is read; null if the whole collection is. */
  readonly index: string | null;
  readonly because: string;
}

export interface Findings {
  /** Queries that no index serves and that are not allowed. */
  readonly unserved: readonly string[];
  /** Allowances for what nobody asks, what an index serves, or with an index that is not there. */
  readonly outdated: readonly string[];
  /** Indexes that promise nothing and that no query would miss: each costs time at every write. */
  readonly superfluous: readonly string[];
}

/** Holds the queries against the indexes of their collections; each collection has the one by `_id` besides. */
export function judge(
  shapes: readonly QueryShape[],
  indexes: Readonly<Record<string, readonly IndexKeys[]>>,
  allowed: Readonly<Record<string, Allowance>>,
): Findings {
  const serving = (shape: QueryShape) =>
    [BY_ID, ...(indexes[shape.collection] ?? [])].filter((index) => serves(index, shape)).map(({ name }) => name);
  const missing = shapes.filter((shape) => serving(shape).length === 0);
  const needed = new Set(
    shapes.flatMap((shape) => {
      const found = serving(shape);
      const only = found.length === 1 ? found[0] : (allowed[shape.text]?.index ?? undefined);
      return only === undefined ? [] : [`${shape.collection}.${only}`];
    }),
  );
  return {
    unserved: missing.flatMap(({ text }) => (text in allowed ? [] : [text])),
    outdated: Object.entries(allowed).flatMap(([text, { index }]) => {
      const shape = missing.find((one) => one.text === text);
      const isThere = index === null || indexes[shape?.collection ?? '']?.some(({ name }) => name === index);
      return shape !== undefined && isThere ? [] : [text];
    }),
    superfluous: Object.entries(indexes).flatMap(([collection, own]) =>
      own
        .filter(({ unique }) => unique !== true)
        .map(({ name }) => `${collection}.${name}`)
        .filter((name) => !needed.has(name)),
    ),
  };
}
