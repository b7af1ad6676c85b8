import { describe, expect, it } from 'vitest';
import { type IndexKeys, judge, serves } from '../../support/queries/index-rule.ts';
import { shapesOf } from '../../support/queries/shape.ts';

const textsOf = (command: Record<string, unknown>) => shapesOf(command).map(({ text }) => text);

describe('the shapes of queries in commands', () => {
  it('leaves values out and keeps what restricts each field', () => {
    const filter = { a: 1, b: { $in: [1] }, c: { $gte: 1, $lt: 2 }, d: { $ne: null }, e: { $exists: true }, f: null };
    expect(textsOf({ find: 'things', filter })).toEqual([
      'things { a equal, b one-of, c range, d other, e other, f equal }',
    ]);
  });

  it('reads the order of a sort from a map and tells limited queries apart', () => {
    const sort = new Map([
      ['b', -1],
      ['_id', 1],
    ]);
    expect(textsOf({ find: 'things', filter: {}, sort, limit: 3 })).toEqual(['things {  } by -b, _id limited']);
    expect(textsOf({ findAndModify: 'things', query: { a: 1 }, sort })).toEqual([
      'things { a equal } by -b, _id limited',
    ]);
  });

  it('takes each branch of an alternative for a query of its own, with what holds for all of them', () => {
    const filter = { a: 1, $or: [{ b: 1 }, { $and: [{ c: { $gt: 1 } }, { c: { $in: [2] } }] }] };
    expect(textsOf({ find: 'things', filter })).toEqual([
      'things { a equal, b equal }',
      'things { a equal, c one-of }',
    ]);
  });

  it('reads the beginning of a pipeline, and the collections that it joins', () => {
    const pipeline = [
      { $match: { a: 1 } },
      { $sort: { b: 1 } },
      {
        $lookup: {
          from: 'others',
          localField: 'b',
          foreignField: 'thing',
          as: 'others',
          pipeline: [{ $match: { c: 1 } }],
        },
      },
      { $group: { _id: 1 } },
    ];
    expect(textsOf({ aggregate: 'things', pipeline })).toEqual([
      'things { a equal } by b',
      'others { c equal, thing equal }',
    ]);
  });

  it('sees every update and deletion of a command', () => {
    expect(textsOf({ update: 'things', updates: [{ q: { a: 1 } }, { q: { b: 1 }, multi: true }] })).toEqual([
      'things { a equal } limited',
      'things { b equal }',
    ]);
    expect(textsOf({ delete: 'things', deletes: [{ q: { a: { $lt: 1 } }, limit: 0 }] })).toEqual([
      'things { a range }',
    ]);
  });

  it('refuses commands and stages that it does not know', () => {
    expect(() => textsOf({ mapReduce: 'things' })).toThrow('mapReduce');
    expect(() => textsOf({ aggregate: 'things', pipeline: [{ $graphLookup: {} }] })).toThrow('$graphLookup');
  });
});

describe('the rule of indexes', () => {
  const index = (key: IndexKeys['key'], more: Partial<IndexKeys> = {}): IndexKeys => ({ name: 'one', key, ...more });
  const isServed = (filter: object, sort: object, by: IndexKeys, limit?: number) =>
    shapesOf({ find: 'things', filter, sort, limit }).every((shape) => serves(by, shape));
  const EXISTS = { $exists: true };

  it.each<[string, boolean, object, object, IndexKeys]>([
    ['equality on its fields', true, { a: 1, b: 2 }, {}, index({ b: 1, a: 1 })],
    ['a field that is not in it', false, { a: 1, c: 1 }, {}, index({ a: 1, b: 1 })],
    ['a field behind one that is open', false, { a: 1, c: 1 }, {}, index({ a: 1, b: 1, c: 1 })],
    ['equality, then the order', true, { a: 1 }, { b: -1, _id: -1 }, index({ a: 1, b: 1, _id: 1 })],
    ['an order in both directions', false, { a: 1 }, { b: -1, _id: 1 }, index({ a: 1, b: 1, _id: 1 })],
    ['an order that it does not have', false, { a: 1 }, { c: 1 }, index({ a: 1, b: 1 })],
    ['equality, then the order, then a range', true, { a: 1, c: { $gt: 1 } }, { b: 1 }, index({ a: 1, b: 1, c: 1 })],
    ['a range before the order', false, { a: 1, c: { $gt: 1 } }, { b: 1 }, index({ a: 1, c: 1, b: 1 })],
    ['a range behind an open field', false, { a: 1, c: { $gt: 1 } }, {}, index({ a: 1, b: 1, c: 1 })],
    ['a range of the order', true, { a: 1, b: { $gt: 1 } }, { b: 1, _id: 1 }, index({ a: 1, b: 1, _id: 1 })],
    ['a list', true, { a: { $in: [1, 2] } }, {}, index({ a: 1 })],
    ['a list before the order', false, { a: { $in: [1, 2] } }, { b: 1 }, index({ a: 1, b: 1 })],
    ['a list that the order begins with', true, { a: { $in: [1, 2] } }, { a: 1, b: 1 }, index({ a: 1, b: 1 })],
    ['what is left of one document', true, { a: 1, c: { $ne: 1 } }, {}, index({ a: 1 }, { unique: true })],
    ['what is left of many documents', false, { a: 1, c: { $ne: 1 } }, {}, index({ a: 1 })],
    ['nothing at all', false, {}, {}, index({ a: 1 })],
    [
      'a range in a partial index',
      true,
      { a: { $gt: 1 } },
      { a: 1 },
      index({ a: 1 }, { partialFilterExpression: { a: EXISTS } }),
    ],
    [
      'existence, which is no range',
      false,
      { a: EXISTS },
      { a: 1 },
      index({ a: 1 }, { partialFilterExpression: { a: EXISTS } }),
    ],
    [
      'values that a partial index holds',
      true,
      { a: { $in: ['m', 'n'] }, b: 'x' },
      {},
      index({ a: 1, b: 1 }, { partialFilterExpression: { a: { $gte: 'm' }, b: { $eq: 'x' } } }),
    ],
    [
      'a value that a partial index leaves out',
      false,
      { a: { $in: ['m', 'l'] } },
      {},
      index({ a: 1 }, { partialFilterExpression: { a: { $gte: 'm' } } }),
    ],
    [
      'a value beside the one of a partial index',
      false,
      { b: 'y' },
      {},
      index({ b: 1 }, { partialFilterExpression: { b: { $eq: 'x' } } }),
    ],
    [
      'what a partial index leaves out',
      false,
      { b: 1 },
      {},
      index({ b: 1 }, { partialFilterExpression: { a: EXISTS } }),
    ],
  ])('%s: %s', (_, served, filter, sort, by) => {
    expect(isServed(filter, sort, by)).toBe(served);
  });

  it('an order alone is served as far as a limit goes', () => {
    expect(isServed({}, { a: -1 }, index({ a: 1 }), 5)).toBe(true);
    expect(isServed({}, { a: -1 }, index({ a: 1 }))).toBe(false);
  });

  it('names queries without an index, exceptions that nobody needs, and indexes that nobody misses', () => {
    const shapes = [
      ...shapesOf({ find: 'things', filter: { a: 1 }, sort: { b: 1 } }),
      ...shapesOf({ find: 'things', filter: { c: 1 } }),
      ...shapesOf({ find: 'things', filter: { d: 1, e: 1 } }),
    ];
    const indexes = {
      things: [
        { name: 'by_b', key: { a: 1, b: 1 } },
        { name: 'by_a', key: { a: 1 } },
        { name: 'by_d', key: { d: 1 } },
        { name: 'promise', key: { f: 1 }, unique: true },
      ],
    } as const;
    const few = { index: 'by_d', because: 'few' };
    expect(judge(shapes, indexes, { 'things { d equal, e equal }': few, 'things { x equal }': few })).toEqual({
      unserved: ['things { c equal }'],
      outdated: ['things { x equal }'],
      superfluous: ['things.by_a'],
    });
  });
});
