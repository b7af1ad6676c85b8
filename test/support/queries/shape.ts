/** What a server is asked for, without the values: the shapes of queries that MongoDB commands hold. */
import type { Document } from 'mongodb';

/** How a field is restricted, from the most to the least helpful for an index. */
export type Restriction = 'equal' | 'one-of' | 'range' | 'other';

/** One conjunctive query: an `$or` is as many of them as it has branches. */
export interface QueryShape {
  readonly collection: string;
  readonly filter: ReadonlyMap<string, Restriction>;
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
  return branches(filter).map((fields) => {
    const parts = [...fields].map(([field, restriction]) => `${field} ${restriction}`).sort();
    const text =
      `${on} { ${parts.join(', ')} }` +
      (order.length === 0 ? '' : ` by ${order.map(([field, way]) => (way < 0 ? `-${field}` : field)).join(', ')}`) +
      (limited ? ' limited' : '');
    return { collection: on, filter: fields, sort: order, limited, text };
  });
}

const STRENGTH: readonly Restriction[] = ['equal', 'one-of', 'range', 'other'];

/** The filter as alternatives of restrictions that hold together. */
function branches(filter: Document): ReadonlyMap<string, Restriction>[] {
  let found: ReadonlyMap<string, Restriction>[] = [new Map()];
  for (const [field, condition] of Object.entries(filter)) {
    const more: ReadonlyMap<string, Restriction>[] =
      field === '$and'
        ? (condition as Document[]).map(branches).reduce(cross, [new Map()])
        : field === '$or'
          ? (condition as Document[]).flatMap(branches)
          : [new Map([[field, field.startsWith('$') ? 'other' : restrictionOf(condition)]])];
    found = cross(found, more);
  }
  return found;
}

function cross(
  left: readonly ReadonlyMap<string, Restriction>[],
  right: readonly ReadonlyMap<string, Restriction>[],
): ReadonlyMap<string, Restriction>[] {
  return left.flatMap((one) => right.map((other) => merged(one, other)));
}

function merged(one: ReadonlyMap<string, Restriction>, other: ReadonlyMap<string, Restriction>) {
  const all = new Map(one);
  for (const [field, restriction] of other) all.set(field, strongest([restriction, all.get(field) ?? 'other']));
  return all;
}

function strongest(restrictions: readonly Restriction[]): Restriction {
  return STRENGTH.find((one) => restrictions.includes(one)) ?? 'other';
}

function restrictionOf(condition: unknown): Restriction {
  const isOperators =
    typeof condition === 'object' &&
    condition !== null &&
    Object.keys(condition).length > 0 &&
    Object.keys(condition).every((key) => key.startsWith('$'));
  if (!isOperators) return 'equal';
  return strongest(Object.keys(condition).map(operatorRestriction));
}

function operatorRestriction(operator: string): Restriction {
  if (operator === '$eq') return 'equal';
  if (operator === '$in') return 'one-of';
  return ['$gt', '$gte', '$lt', '$lte'].includes(operator) ? 'range' : 'other';
}
