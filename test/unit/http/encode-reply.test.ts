import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encoderOf, projectionOf } from '../../../plugins/http/encode-reply.ts';
import { defineRoute, reply } from '../../../plugins/http/route.ts';
import { dataOf, timestamp } from '../../../plugins/http/schemas.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const text = '2026-03-01T12:00:00.000Z';

describe('encoding a reply', () => {
  it('keeps what the schema names, at every depth, and writes dates as text', () => {
    const schema = dataOf(
      z.array(z.object({ id: z.int(), at: timestamp.nullable(), inner: z.object({ at: timestamp }).optional() })),
    );
    const entity = { id: 1, at, hash: 'secret', inner: { at, hash: 'secret' } };
    expect(encoderOf(schema)({ data: [entity, { id: 2, at: null }], hash: 'secret' })).toEqual({
      data: [
        { id: 1, at: text, inner: { at: text } },
        { id: 2, at: null },
      ],
    });
  });

  it('leaves the entity as it is, also when there is nothing to leave out', () => {
    const entity = Object.freeze({ id: 1, at });
    expect(encoderOf(z.object({ id: z.int(), at: timestamp }))(entity)).toEqual({ id: 1, at: text });
    expect(encoderOf(z.object({ at: timestamp, id: z.int() }))(entity)).toEqual({ id: 1, at: text });
  });

  it('keeps open records and fields without a type as they are', () => {
    const schema = z.object({ any: z.record(z.string(), z.unknown()), times: z.record(z.string(), timestamp) });
    expect(encoderOf(schema)({ any: { a: [1] }, times: { a: at } })).toEqual({ any: { a: [1] }, times: { a: text } });
  });

  it('finds the option of a union', () => {
    const schema = z.union([z.object({ ok: z.literal(true), at: timestamp }), z.object({ ok: z.literal(false) })]);
    expect(encoderOf(schema)({ ok: true, at, hash: 'secret' })).toEqual({ ok: true, at: text });
    expect(encoderOf(schema)({ ok: false, hash: 'secret' })).toEqual({ ok: false });
  });
});

describe('what is missing', () => {
  const inner = z.object({ at: timestamp });
  const schema = z.object({
    one: inner.nullable(),
    many: z.array(inner).nullable(),
    by: z.record(z.string(), inner).nullable(),
  });

  it('stays null, or missing', () => {
    for (const convert of [encoderOf(schema), projectionOf(schema)]) {
      expect(convert({ one: null, many: null, by: null })).toEqual({ one: null, many: null, by: null });
      expect(Object.keys(convert({}) as object)).toEqual([]);
      expect(convert(null)).toBeNull();
      expect(convert(undefined)).toBeUndefined();
    }
    expect(projectionOf(z.object({ at: timestamp.nullable() }))({ at: null })).toEqual({ at: null });
  });
});

describe('objects that are open', () => {
  it('are kept whole, and closed ones are not', () => {
    const entity = { at, more: 1 };
    expect(encoderOf(z.looseObject({ at: z.unknown() }))(entity)).toEqual(entity);
    expect(encoderOf(z.strictObject({ more: z.int() }))(entity)).toEqual({ more: 1 });
    expect(encoderOf(z.object({ more: z.int() }))(entity)).toEqual({ more: 1 });
  });
});

describe('unions', () => {
  const one = z.object({ kind: z.literal('one'), ok: z.literal(true), at: timestamp });
  const two = z.object({ kind: z.literal('two'), ok: z.literal(true), name: z.string() });

  it('go by all literals of an option', () => {
    const encode = encoderOf(z.union([one, two]));
    expect(encode({ kind: 'two', ok: true, name: 'a', hash: 'secret' })).toEqual({ kind: 'two', ok: true, name: 'a' });
    expect(encode({ kind: 'one', ok: true, at, name: 'a' })).toEqual({ kind: 'one', ok: true, at: text });
    expect(encode({ kind: 'three', ok: true })).toEqual({ kind: 'three', ok: true });
  });

  it('of values and objects keep the values', () => {
    expect(encoderOf(z.union([z.string(), z.int()]))('a')).toBe('a');
    expect(encoderOf(z.union([one, z.null()]))(null)).toBeNull();
    expect(encoderOf(z.union([one, z.string()]))({ kind: 'one', ok: true, at, hash: 'secret' })).toEqual({
      kind: 'one',
      ok: true,
      at: text,
    });
  });
});

it('gives callers in process dates, from dates and from text', () => {
  const project = projectionOf(z.object({ times: z.array(timestamp), id: z.int() }));
  expect(project({ times: [at, text], id: 1, hash: 'secret' })).toEqual({ times: [at, at], id: 1 });
  expect(projectionOf(z.string())('a')).toBe('a');
});

/** The compiler checks these; a directive without an error fails `npm run check`. */
describe('the types of a row', () => {
  const thing = dataOf(z.object({ id: z.int(), at: timestamp }));
  const row = {
    id: 'things',
    method: 'GET',
    path: '/things',
    tag: 'T',
    summary: 'S',
    access: 'public',
    responses: { 200: { description: 'D', schema: thing } },
  } as const;

  it('accept what the schema describes, with more fields besides', async () => {
    const entity = { id: 1, at, more: true };
    const route = defineRoute({ ...row, handle: async () => reply(200, { data: entity }) });
    expect((await route.handle({} as never)).status).toBe(200);
  });

  it('refuse a missing field, a field of another type and an undocumented status', () => {
    // @ts-expect-error `at` is missing
    defineRoute({ ...row, handle: async () => reply(200, { data: { id: 1 } }) });
    // @ts-expect-error dates are `Date` in the code
    defineRoute({ ...row, handle: async () => reply(200, { data: { id: 1, at: text } }) });
    // @ts-expect-error 201 is not documented
    defineRoute({ ...row, handle: async () => reply(201, { data: { id: 1, at } }) });
  });
});
