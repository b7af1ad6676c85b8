/** What a server is asked for, without the values: the shapes of queries that MongoDB commands hold. */
import type { Document } from 'mongodb';

/** How a field is restricted, from the most to the least helpful for an index. */
export type Restriction = 'equal' | 'one-of' | 'range' | 'other';

/** One conjunctive query: an `$or` is as many of them as it has branches. */
export interface QueryShape {
  readonly collection: string;
  readonly filter: ReadonlyMap<string, Restriction>;
  /** What fields are compared with that are `equal` or `one-of`. */
  readonly points: ReadonlyMap<string, Set<unknown>>;
  readonly sort: readonly (readonly [field: string, direction: 1 | -1])[];
  readonly limited: boolean;
  /** All of the above for people, and for telling shapes apart. */
  readonly text: string;
}

/** Commands that look nothing up in a collection. */
const WITHOUT_QUERY = new Set([
  'abortTransaction',
  'commitTransaction',
  'createIndexes',
  'dropIndexes',
  'endSessions',
  'getMore',
  'insert',
  'killCursors',
  'listIndexes',
  'ping',
]);

/** Stages that work on what the stages before them found. */
const LATER_STAGES = new Set([
  '$addFields',
  '$count',
  '$group',
  '$limit',
  '$match',
  '$project',
  '$replaceRoot',
  '$set',
  '$skip',
  '$sort',
  '$unset',
  '$unwind',
]);

/** The queries of a command. @throws Error for a command or a stage that this does not know: its queries would go unseen. */
export function shapesOf(command: Document): QueryShape[] {
  const name = Object.keys(command)[0] ?? '';
  const on = String(command[name]);
  switch (name) {
    case 'find':
      return shapes(on, command.filter, command.sort, command.limit !== undefined);
    case 'findAndModify':
      return shapes(on, command.query, command.sort, true);
    case 'aggregate':
      return pipelineShapes(on, command.pipeline);
    case 'count':
      return shapes(on, command.query);
    case 'distinct':
      return shapes(on, command.query);
    case 'update':
      return (command.updates as Document[]).flatMap(({ q, multi }) => shapes(on, q, undefined, multi !== true));
    case 'delete':
      return (command.deletes as Document[]).flatMap(({ q, limit }) => shapes(on, q, undefined, limit === 1));
    default:
      if (WITHOUT_QUERY.has(name)) return [];
      throw new Error(`Teach this test the command ${name}: its queries have to be checked.`);
  }
}

function pipelineShapes(on: string, pipeline: readonly Document[]): QueryShape[] {
  const filters: Document[] = [];
  const stages = [...pipeline];
  for (let filter = stages[0]?.$match; filter !== undefined; filter = stages[0]?.$match) {
    filters.push(filter);
    stages.shift();
  }
  const sort = stages[0]?.$sort;
  if (sort !== undefined) stages.shift();
  const own = shapes(on, { $and: filters }, sort, stages[0]?.$limit !== undefined);
  return [...own, ...stages.flatMap(shapesOfStage)];
}

function shapesOfStage(stage: Document): QueryShape[] {
  const [name = '', body] = Object.entries(stage)[0] ?? [];
  if (LATER_STAGES.has(name)) return [];
  if (name === '$lookup' && body.localField !== undefined) {
    const joined = { $match: { [body.foreignField]: { $eq: null } } };
    return pipelineShapes(body.from, [joined, ...(body.pipeline ?? [])]);
  }
  if (name === '$unionWith') return pipelineShapes(body.coll, body.pipeline);
  throw new Error(`Teach this test the stage ${name}: its queries have to be checked.`);
}

function shapes(
  on: string,
  filter: Document = {},
  sort: Document | ReadonlyMap<string, unknown> = {},
  limited = false,
): QueryShape[] {
  // The driver keeps the order of a sort in a Map.
  const order = [...(sort instanceof Map ? sort : Object.entries(sort))].map(
    ([field, direction]): QueryShape['sort'][number] => [field, Number(direction) < 0 ? -1 : 1],
  );
  const points = branches(filter, pointsOf, (one, other) => (one.size > 0 ? one : other));
  return branches(filter, restrictionOf, (...both) => strongest(both)).map((fields, branch) => {
    const parts = [...fields].map(([field, restriction]) => `${field} ${restriction}`).sort();
    const text =
      `${on} { ${parts.join(', ')} }` +
      (order.length === 0 ? '' : ` by ${order.map(([field, way]) => (way < 0 ? `-${field}` : field)).join(', ')}`) +
      (limited ? ' limited' : '');
    return { collection: on, filter: fields, points: points[branch] ?? new Map(), sort: order, limited, text };
  });
}

const STRENGTH: readonly Restriction[] = ['equal', 'one-of', 'range', 'other'];

/** The filter as alternatives of what `read` says of conditions that hold together; `merge` is for two on one field. */
function branches<T>(
  filter: Document,
  read: (condition: unknown, field: string) => T,
  merge: (one: T, other: T) => T,
): ReadonlyMap<string, T>[] {
  const cross = (left: readonly ReadonlyMap<string, T>[], right: readonly ReadonlyMap<string, T>[]) =>
    left.flatMap((one) => right.map((other) => merged(one, other)));
  const merged = (one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): ReadonlyMap<string, T> => {
    const all = new Map(one);
    for (const [field, value] of other) {
      const known = all.get(field);
      all.set(field, known === undefined ? value : merge(value, known));
    }
    return all;
  };
  let found: ReadonlyMap<string, T>[] = [new Map()];
  for (const [field, condition] of Object.entries(filter)) {
    const more: ReadonlyMap<string, T>[] =
      field === '$and'
        ? (condition as Document[]).map((one) => branches(one, read, merge)).reduce(cross, [new Map()])
        : field === '$or'
          ? (condition as Document[]).flatMap((one) => branches(one, read, merge))
          : [new Map([[field, read(condition, field)]])];
    found = cross(found, more);
  }
  return found;
}

function strongest(restrictions: readonly Restriction[]): Restriction {
  return STRENGTH.find((one) => restrictions.includes(one)) ?? 'other';
}

function restrictionOf(condition: unknown, field: string): Restriction {
  if (field.startsWith('$')) return 'other';
  if (!isOperators(condition)) return 'equal';
  return strongest(Object.keys(condition).map(operatorRestriction));
}

/** The values that a condition allows; none if it does not name them. */
function pointsOf(condition: unknown): Set<unknown> {
  if (!isOperators(condition)) return new Set([condition]);
  return new Set('$eq' in condition ? [condition.$eq] : (condition.$in ?? []));
}

function isOperators(condition: unknown): condition is Document {
  return (
    typeof condition === 'object' &&
    condition !== null &&
    Object.keys(condition).length > 0 &&
    Object.keys(condition).every((key) => key.startsWith('$'))
  );
}

function operatorRestriction(operator: string): Restriction {
  if (operator === '$eq') return 'equal';
  if (operator === '$in') return 'one-of';
  return ['$gt', '$gte', '$lt', '$lte'].includes(operator) ? 'range' : 'other';
}
