import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encoderOf } from '../../../plugins/http/encode-reply.ts';
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
