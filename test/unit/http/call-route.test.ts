import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Caller } from '../../../core/access/token.ts';
import { DomainError } from '../../../core/errors.ts';
import { callRoute } from '../../../plugins/http/call-route.ts';
import { defineRoute, type Route, type RouteInput } from '../../../plugins/http/route.ts';
import { dataOf, idParam, integerQuery, timestamp } from '../../../plugins/http/schemas.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { CLIENT, CREATOR } from './requests.ts';

type AnyInput = RouteInput<unknown, unknown, unknown>;

const at = new Date('2026-03-01T12:00:00.000Z');
const schema = dataOf(z.object({ id: z.int(), at: timestamp }));

function row(changes: object, handle: (input: AnyInput) => unknown): Route {
  const spec = { tag: 'T', summary: 'S', access: 'admin', responses: {} } as const;
  const plain = defineRoute('things', 'POST /things', { ...spec, handle: async () => ({ status: 200 }) });
  return { ...plain, responses: { 200: { description: 'D', schema } }, ...changes, handle } as unknown as Route;
}

const answer = { status: 200, body: { data: { id: 1, at, hash: 'secret' }, success: true, apiVersion: '1' } };
const fields = {
  params: z.object({ id: integerQuery(1, 9, 1) }),
  query: z.object({ limit: integerQuery(1, 100, 20) }),
  body: z.strictObject({ title: z.string() }),
};

describe('a row that is called in process', () => {
  it('gets the fields of path, query and body, each from its place, and returns its data', async () => {
    const inputs: AnyInput[] = [];
    const route = row(fields, async (input) => {
      inputs.push(input);
      return answer;
    });
    const given = { id: 3, limit: 50, title: 'a' };
    expect(await callRoute(route, given, {}, { baseUrl: 'https://a.test' })).toEqual({ id: 1, at });
    expect(given).toEqual({ id: 3, limit: 50, title: 'a' });
    const [input] = inputs;
    expect(input).toMatchObject({
      params: { id: 3 },
      query: { limit: 50 },
      body: { title: 'a' },
      baseUrl: 'https://a.test',
      caller: { role: 'admin', tokenId: null, externalId: null, key: 'in-process' },
      ip: '',
    });
    expect(input?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(input?.header('authorization')).toBeUndefined();
    expect(input?.hold(1e12)).toBeUndefined();
    expect(input?.signal.aborted).toBe(false);
  });

  it.each([
    [fields, { id: 3, title: 'a', limits: 50 }, 'has no field "limits"'],
    [{ ...fields, body: undefined }, { id: 3, limits: 50 }, 'has no field "limits". Did you mean "limit"?'],
    [{}, { dryRun: true }, 'has no field "dryRun"'],
  ])('refuses a field that it does not have', async (changes, given, message) => {
    const route = row(changes, async () => answer);
    await expect(callRoute(route, given, {}, { baseUrl: 'https://a.test' })).rejects.toThrow(
      `Invalid request: the input: ${message}`,
    );
  });

  it('logs the warnings of its result, and keeps the form of a result that may have one', async () => {
    const warned = dataOf(z.object({ id: z.int() })).extend({ warning: z.string().optional() });
    const responses = { 200: { description: 'D', schema: warned } };
    const logger = createRecordingLogger();
    const result = (body: object) =>
      callRoute(
        row({ responses }, async () => ({ status: 200, body })),
        undefined,
        {},
        { baseUrl: '', logger },
      );
    expect(await result({ data: { id: 1 } })).toEqual({ data: { id: 1 } });
    expect(logger.lines).toEqual([]);
    const told = { data: { id: 1 }, warning: 'Sent to nobody.' };
    expect(await result(told)).toEqual(told);
    expect(logger.lines).toEqual([{ level: 'warn', message: 'Sent to nobody.', fields: { operation: 'things' } }]);
  });

  it('runs for the caller and the signal that are given', async () => {
    const { signal } = new AbortController();
    let seen: AnyInput | undefined;
    const route = row({ access: 'token' }, async (input) => {
      seen = input;
      return answer;
    });
    await callRoute(route, undefined, { caller: CREATOR, signal }, { baseUrl: '' });
    expect(seen?.caller).toBe(CREATOR);
    expect(seen?.signal).toBe(signal);
  });

  it.each([
    ['admin', CLIENT, 'FORBIDDEN'],
    ['token', null, 'UNAUTHORIZED'],
    ['token', CREATOR, null],
    ['admin', undefined, null],
  ])('with access %s, called for %o, is refused as over HTTP: %s', async (access, caller, code) => {
    let calls = 0;
    const route = row({ access }, async () => {
      calls += 1;
      return answer;
    });
    const options = caller === undefined ? {} : { caller: caller as Caller };
    const called = callRoute(route, undefined, options, { baseUrl: '' });
    if (code === null) await called;
    else await expect(called).rejects.toMatchObject({ code });
    expect(calls).toBe(code === null ? 1 : 0);
  });

  it('leaves out what is null or undefined in path and query', async () => {
    let seen: AnyInput | undefined;
    const route = row(fields, async (input) => {
      seen = input;
      return answer;
    });
    await callRoute(route, { id: 1, limit: null, title: 'a' }, {}, { baseUrl: '' });
    await callRoute(route, { id: undefined, limit: undefined, title: 'a' }, {}, { baseUrl: '' });
    expect(seen).toMatchObject({ params: { id: 1 }, query: { limit: 20 } });
  });

  it.each([
    [{ id: 10, title: 'a' }, 'id', 'must be at most 9'],
    [{ id: 1, limit: 101, title: 'a' }, 'limit', 'must be at most 100'],
    [{ id: 1, title: 2 }, 'title', 'must be text, not a number'],
    [{ id: 1 }, 'title', 'is missing; it must be text'],
  ])('refuses %j by the same schemas as over HTTP, and names what the caller gave', async (input, path, message) => {
    const route = row({ ...fields, invalidCode: 'VALIDATION_ERROR' }, async () => answer);
    const refused = callRoute(route, input, {}, { baseUrl: '' });
    await expect(refused).rejects.toBeInstanceOf(DomainError);
    await expect(refused).rejects.toMatchObject({
      message: `Invalid request: ${path}: ${message}`,
      details: { issues: [{ path, message }] },
    });
  });

  it.each([
    [undefined, 'is missing; it must be a positive integer'],
    [{ id: 'five' }, 'must be a positive integer'],
  ])('asks for a number if the id is not one: %j', async (input, message) => {
    const route = row({ params: z.object({ id: idParam }) }, async () => answer);
    await expect(callRoute(route, input, {}, { baseUrl: '' })).rejects.toThrow(`Invalid request: id: ${message}`);
  });

  it('has no body when it may have none and nothing is given', async () => {
    const bodies: unknown[] = [];
    const route = row({ body: z.strictObject({ title: z.string() }), bodyOptional: true }, async ({ body }) => {
      bodies.push(body);
      return answer;
    });
    await callRoute(route, {}, {}, { baseUrl: '' });
    await callRoute(route, { title: 'a' }, {}, { baseUrl: '' });
    expect(bodies).toEqual([undefined, { title: 'a' }]);
  });

  it('returns the whole body if there is more than data, and what has no data as it is', async () => {
    const of = (body: unknown) =>
      callRoute(
        row({ responses: {} }, async () => ({ status: 200, body })),
        {},
        {},
        { baseUrl: '' },
      );
    expect(await of({ apiVersion: '1', success: true, data: [1], warning: 'w' })).toEqual({ data: [1], warning: 'w' });
    expect(await of({ data: null })).toBeNull();
    expect(await of({ ok: true })).toEqual({ ok: true });
    expect(await of(null)).toBeNull();
    expect(await of('data')).toBe('data');
    expect(await of(undefined)).toBeUndefined();
  });

  it('throws domain errors as they are, and other failures as internal errors', async () => {
    const failing = (error: Error) =>
      callRoute(
        row({}, () => Promise.reject(error)),
        {},
        {},
        { baseUrl: '' },
      );
    const conflict = new DomainError('CONFLICT', 'taken');
    await expect(failing(conflict)).rejects.toBe(conflict);
    await expect(failing(new Error('secret'))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await expect(failing(new Error('secret'))).rejects.not.toThrow('secret');
  });
});
