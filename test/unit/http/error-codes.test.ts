import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError, ERROR_CATALOGUE } from '../../../core/errors.ts';
import { errorCodesOf, errorExamples, errorResponses, errorSchemas } from '../../../plugins/http/error-codes.ts';
import { errorReply } from '../../../plugins/http/error-reply.ts';
import type { Route } from '../../../plugins/http/route.ts';
import { row as testRow } from './requests.ts';

const row = (changes: Partial<Route>) => testRow({ method: 'GET', access: 'public', ...changes });

const limits = () => [];
const UNREADABLE = ['INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

describe('the codes a row can answer with', () => {
  it.each<[string, Partial<Route>, readonly string[]]>([
    ['a public row', {}, ['INTERNAL_ERROR']],
    ['a row with failures of its own', { errors: ['CONFLICT'] }, ['CONFLICT', 'INTERNAL_ERROR']],
    ['a row with path parameters', { params: z.object({}) }, ['INVALID_REQUEST', 'NOT_FOUND', 'INTERNAL_ERROR']],
    ['a row with a query', { query: z.object({}) }, ['INVALID_REQUEST', 'INTERNAL_ERROR']],
    ['a row with a body', { body: z.object({}) }, [...UNREADABLE, 'INTERNAL_ERROR']],
    [
      'a row with a code of its own for invalid input',
      { params: z.object({}), body: z.object({}), invalidCode: 'VALIDATION_ERROR' },
      ['VALIDATION_ERROR', 'NOT_FOUND', ...UNREADABLE, 'INTERNAL_ERROR'],
    ],
    [
      'a row with a code of its own for an invalid query',
      { query: z.object({}), invalidCode: 'VALIDATION_ERROR' },
      ['VALIDATION_ERROR', 'INTERNAL_ERROR'],
    ],
    ['a row with limits', { limits }, ['INTERNAL_ERROR', 'SCRAPING_RATE_LIMITED']],
    [
      'a row for administrators',
      { access: 'admin' },
      ['UNAUTHORIZED', 'QUOTA_EXCEEDED', 'FORBIDDEN', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'],
    ],
    [
      'a row for clients',
      { access: 'client' },
      ['UNAUTHORIZED', 'QUOTA_EXCEEDED', 'FORBIDDEN', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'],
    ],
    ['a callback, which names its refusals itself', { access: 'callback' }, ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']],
    [
      'a row for administrators in another dialect',
      { access: 'admin', dialect: 'v2' },
      ['UNAUTHORIZED', 'QUOTA_EXCEEDED', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'],
    ],
    [
      'a row that takes idempotency keys',
      { access: 'token', method: 'POST' },
      [
        'INVALID_REQUEST',
        'IDEMPOTENCY_KEY_IN_USE',
        'IDEMPOTENCY_KEY_REUSED',
        'UNAUTHORIZED',
        'QUOTA_EXCEEDED',
        'INTERNAL_ERROR',
        'SERVICE_UNAVAILABLE',
      ],
    ],
    ['a public row of the oldest dialect', { dialect: 'v1' }, ['INTERNAL_SERVER_ERROR']],
  ])('are named in full for %s', (_name, changes, codes) => {
    expect([...errorCodesOf(row(changes))].sort()).toEqual([...codes].sort());
  });
});

describe('the failures of a row in the OpenAPI document', () => {
  const routes = [
    row({ errors: ['CONFLICT', 'CONFLICT'], access: 'admin', params: z.object({}) }),
    row({ errors: ['CONFLICT'], dialect: 'v2', body: z.object({}) }),
  ];

  it('are grouped by status, in rising order, each code with its description', () => {
    const responses = errorResponses(routes[0] as Route);
    expect(Object.keys(responses)).toEqual(['400', '401', '403', '404', '409', '429', '500', '503']);
    expect(responses['409']).toMatchObject({ description: `\`CONFLICT\`: ${ERROR_CATALOGUE.CONFLICT.description}` });
  });

  it('tell two codes of one status apart', () => {
    const responses = errorResponses(row({ errors: ['INVALID_TRANSITION', 'CONFLICT'] }));
    expect(responses['409']).toMatchObject({
      description: expect.stringMatching(/^`INVALID_TRANSITION`: .+\n\n`CONFLICT`: /),
    });
  });

  it('refer to examples that are there, and that the schema of their dialect accepts', () => {
    const examples = errorExamples(routes);
    for (const route of routes) {
      const schema = errorSchemas[route.dialect ?? 'engagement'];
      for (const response of Object.values(errorResponses(route))) {
        const { content } = response as { content: Record<string, { schema: unknown; examples: object }> };
        const json = content['application/json'];
        expect(json?.schema).toBe(schema);
        const refs = Object.entries(json?.examples ?? {}) as [string, { $ref: string }][];
        expect(refs.length).toBeGreaterThan(0);
        for (const [code, { $ref }] of refs) {
          const example = examples[$ref.replace('#/components/examples/', '')] as { summary: string; value: unknown };
          expect(example.summary).toBe(ERROR_CATALOGUE[code as 'CONFLICT'].description);
          expect(schema.safeParse(example.value).success).toBe(true);
          expect(JSON.stringify(example.value)).toContain(code);
        }
      }
    }
  });
});

describe('the schema of each dialect', () => {
  const dialects = ['engagement', 'v2', 'v1'] as const;

  it.each(dialects)('accepts a refusal of %s as it is sent, and none of another dialect', (dialect) => {
    const error = new DomainError('CONFLICT', 'No.');
    const accepting = dialects.filter(
      (each) => errorSchemas[dialect].safeParse(errorReply(error, each, 'request-1').body).success,
    );
    expect(accepting).toEqual([dialect]);
  });

  it('lets details be missing, and refuses a code that is not in the catalogue', () => {
    const body = { code: 'CONFLICT', message: 'No.', requestId: 'request-1' };
    const accepts = (error: object) => errorSchemas.engagement.safeParse({ error }).success;
    expect(accepts(body)).toBe(true);
    expect(accepts({ ...body, details: { id: 1 } })).toBe(true);
    expect(accepts({ ...body, details: 'id' })).toBe(false);
    expect(accepts({ ...body, code: 'NO_SUCH_CODE' })).toBe(false);
    expect(accepts({ ...body, requestId: undefined })).toBe(false);
  });
});
