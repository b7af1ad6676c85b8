import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { jsonRequest, request, row, testDispatcher } from './requests.ts';

const parsed = ({ body }: { body: unknown }) => JSON.parse(String(body));

describe('what a handler gets', () => {
  it('is told the configured URL instead of what the request was sent to', async () => {
    const route = row({}, async ({ baseUrl }) => ({ status: 200, body: { baseUrl } }));
    const dispatcher = testDispatcher({ publicUrl: 'https://api.example.com' });
    expect(parsed(await dispatcher.dispatch(route, request()))).toEqual({ baseUrl: 'https://api.example.com' });
  });
});

describe('refusals', () => {
  it('name every field that fails its schema, at most twenty', async () => {
    const route = row({ body: z.object({ name: z.string(), age: z.int() }) });
    const response = await testDispatcher().dispatch(route, jsonRequest({ age: 1.5 }));
    expect(response.status).toBe(400);
    const { error } = parsed(response);
    expect(error.code).toBe('INVALID_REQUEST');
    expect(error.details.issues.map(({ path }: { path: string }) => path)).toEqual(['body.name', 'body.age']);
    const many = row({ body: z.array(z.string()) });
    const refused = parsed(await testDispatcher().dispatch(many, jsonRequest(Array(500).fill(1))));
    expect(refused.error.details.issues).toHaveLength(20);
  });

  it.each([
    [{}, 'is missing; it must be one of "a", "b"'],
    [{ version: 'c' }, 'must be one of "a", "b"'],
    [{ version: null }, 'must be one of "a", "b"'],
  ])('say whether a choice is missing or another: %j', async (value, message) => {
    const body = z.strictObject({ version: z.enum(['a', 'b']) });
    const response = await testDispatcher().dispatch(row({ body }), jsonRequest(value));
    expect(parsed(response).error.message).toBe(`Invalid request: body.version: ${message}`);
  });

  it('tell of fields that are sent to a row without a body, and let an empty object pass', async () => {
    const responses = { 200: { description: 'Done.' } };
    const send = async (value: unknown) => testDispatcher().dispatch(row({ responses }), jsonRequest(value));
    const { message } = parsed(await send({ dryRun: true })).error;
    expect(message).toBe('Invalid request: body: has no field "dryRun"');
    expect((await send({})).status).toBe(200);
  });

  it('tell of an unknown field rather than of the one that it was meant for', async () => {
    const meta = z.strictObject({ notaryUrl: z.string() });
    const body = z.strictObject({ version: z.string(), meta });
    const sent = jsonRequest({ meta: { notary_url: 'https://n.test' } });
    const response = await testDispatcher().dispatch(row({ body }), sent);
    const { message, details } = parsed(response).error;
    expect(message).toBe('Invalid request: body.meta: has no field "notary_url". Did you mean "notaryUrl"?');
    const paths = details.issues.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['body.version', 'body.meta.notaryUrl', 'body.meta']);
  });

  it('name few of the unknown fields, and repeat only the beginning of long names', async () => {
    const long = 'k'.repeat(1024 * 1024);
    const issuesOf = async (body: z.ZodType, value: unknown) => {
      const response = await testDispatcher().dispatch(row({ body, maxBodyBytes: 2 ** 25 }), jsonRequest(value));
      expect([response.status, response.body.length < 4_096]).toEqual([400, true]);
      return parsed(response).error.details.issues as { path: string; message: string }[];
    };
    const strict = z.strictObject({});
    expect(await issuesOf(strict, { [long]: 1 })).toEqual([
      { path: 'body', message: `has no field "${'k'.repeat(63)}…"` },
    ]);
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`${index}${long}`, 1]));
    const [{ message = '' } = {}] = await issuesOf(strict, many);
    expect(message).toMatch(/^has no fields "0k{62}…", .*"4k{62}…" and 2 more$/);
    expect(await issuesOf(strict, { a: 1, b: 1 })).toEqual([{ path: 'body', message: 'has no fields "a", "b"' }]);
    // A pair of surrogates is not cut in two.
    expect((await issuesOf(strict, { [`${'k'.repeat(62)}${'😀'.repeat(9)}`]: 1 }))[0]?.message).toContain('k\ufffd…"');
    const [{ path = '' } = {}] = await issuesOf(z.record(z.string(), z.string()), { [long]: 1 });
    expect(path).toMatch(/^body\.k{250}…$/);
    const echoing = z.string().superRefine((value, context) => void context.addIssue(`${value} is not good`));
    expect((await issuesOf(echoing, long))[0]?.message).toHaveLength(1_024);
  });

  it('never show the text of an unexpected failure, and log it under the request id', async () => {
    const route = row({}, async () => {
      throw new Error('password=hunter2');
    });
    const dispatcher = testDispatcher();
    const response = await dispatcher.dispatch(route, request());
    expect(response.status).toBe(500);
    expect(response.body).not.toContain('hunter2');
    expect(parsed(response).error.code).toBe('INTERNAL_ERROR');
    const logged = dispatcher.lines.find(({ level }) => level === 'error');
    expect(logged?.facts).toMatchObject({ requestId: parsed(response).error.requestId, route: 'test' });
    const v2 = await testDispatcher().dispatch({ ...route, dialect: 'v2' }, request());
    expect(parsed(v2).error.code).toBe('INTERNAL_SERVER_ERROR');
  });
});

describe('every response', () => {
  it('is logged without query, body or token', async () => {
    const dispatcher = testDispatcher();
    await dispatcher.dispatch(row({ query: z.unknown() }), request({ query: 'secret=1' }));
    expect(JSON.stringify(dispatcher.lines)).not.toMatch(/secret|Bearer/);
    const facts = { method: 'POST', route: 'test', status: 200, caller: 'token:1' };
    expect(dispatcher.lines[0]).toMatchObject({ level: 'info', facts });
    expect(dispatcher.lines[0]?.facts).toHaveProperty('code', undefined);
  });

  it.each([
    ['a stranger', { authorization: 'Bearer nobody' }, { status: 401, code: 'UNAUTHORIZED' }],
    ['another caller', { authorization: 'Bearer client' }, { status: 403, code: 'FORBIDDEN', caller: 'token:2' }],
  ])('is logged with its code when it refuses %s', async (_name, headers, facts) => {
    const dispatcher = testDispatcher();
    await dispatcher.dispatch(row({}), request({ headers }));
    expect(dispatcher.lines).toMatchObject([{ level: 'info', facts: { method: 'POST', route: 'test', ...facts } }]);
    if (facts.status === 401) expect(dispatcher.lines[0]?.facts).toHaveProperty('caller', undefined);
  });

  it('is logged when no row was reached', () => {
    const dispatcher = testDispatcher();
    dispatcher.refuse(new DomainError('METHOD_NOT_ALLOWED', 'No.'), request({ method: 'PUT' }));
    expect(dispatcher.lines).toMatchObject([
      { level: 'info', facts: { method: 'PUT', route: null, status: 405, code: 'METHOD_NOT_ALLOWED' } },
    ]);
  });

  it('is logged quietly when a probe is well', async () => {
    const dispatcher = testDispatcher();
    const probe = (status: number) => row({ access: 'public', probe: true }, async () => ({ status }));
    await dispatcher.dispatch(probe(200), request());
    await dispatcher.dispatch(probe(503), request());
    expect(dispatcher.lines.map(({ level }) => level)).toEqual(['debug', 'info']);
  });
});
