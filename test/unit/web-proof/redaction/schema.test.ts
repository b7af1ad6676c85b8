import { describe, expect, it } from 'vitest';
import { redactionPolicy, redactionSchema, redactsRequest } from '../../../../core/web-proof/redaction/schema.ts';

const accepted = (rules: unknown) => redactionSchema.safeParse(rules).success;

describe('the redaction schema', () => {
  it.each([
    [[]],
    [[{}]],
    [[{ response: { headers_except: [], json_body: ['user.email', 'items[0].secret', 'items.*.x', 'a\\.b'] } }]],
    [[{ request: { headers: ['a'] } }, { request: { headers: ['b'] } }]],
  ])('accepts %j', (rules) => {
    expect(accepted(rules)).toBe(true);
  });

  it.each([
    [[{ request: { urlQuery: ['a'] } }]],
    [[{ request: { json_body: ['a'] } }]],
    [[{ response: { url_query: ['a'] } }]],
    [[{ unknown: {} }]],
    [[{ request: { headers: 'authorization' } }]],
    [[{ request: { url_query: [''] } }]],
    [{ request: {} }],
    [Array(65).fill({})],
  ])('refuses %j', (rules) => {
    expect(accepted(rules)).toBe(false);
  });

  it('accumulates over rules', () => {
    const rules = redactionSchema.parse([
      { request: { headers: ['a'] }, response: { json_body_except: ['x'] } },
      { request: { headers: ['b', 'c'] } },
      { response: { json_body_except: [] } },
    ]);
    expect(redactionPolicy(rules)).toEqual({
      requestHeaders: { kind: 'deny', names: ['a', 'b', 'c'] },
      urlQuery: { kind: 'none', names: [] },
      responseHeaders: { kind: 'none', names: [] },
      jsonBody: { kind: 'except', names: ['x'] },
      refuseShortValues: false,
    });
    expect(redactionPolicy(rules, true).refuseShortValues).toBe(true);
  });

  it('says what is wrong', () => {
    const problems = (rules: unknown) => redactionSchema.safeParse(rules).error?.issues.map(({ message }) => message);
    const many = (count: number) => ({ headers: Array.from({ length: count }, (_, i) => `h${i}`) });
    expect(problems([{ request: { headers: ['a b'] } }])).toEqual(['not a header name']);
    expect(problems([{ response: { json_body: ['a..b'] } }])).toEqual([
      'not a JSON path such as user.email, items[0].secret or a\\.b',
    ]);
    expect(problems([{ request: many(100) }, { request: many(101) }])).toEqual([
      'at most 200 names are accepted for request.headers',
    ]);
    const both = [{ response: { headers_except: many(100).headers } }, { response: many(101) }];
    expect(problems(both)).toEqual([
      'at most 200 names are accepted for response.headers',
      'response.headers and response.headers_except exclude each other: name what to hide or what to show, not both',
    ]);
    expect(problems([{ response: { json_body: [], json_body_except: [] } }])).toEqual([
      'response.json_body and response.json_body_except exclude each other: name what to hide or what to show, not both',
    ]);
    expect(problems([{ request: { url_query: [], url_query_except: [] } }])).toEqual([
      'request.url_query and request.url_query_except exclude each other: name what to hide or what to show, not both',
    ]);
  });

  it('has bounds that are just kept', () => {
    const long = 'a'.repeat(1_024);
    expect(accepted(Array(64).fill({}))).toBe(true);
    expect(
      accepted([{ request: { headers: Array(100).fill('a') } }, { request: { headers: Array(100).fill('b') } }]),
    ).toBe(true);
    for (const name of [long, `${long}a`]) {
      const fits = name === long;
      expect(accepted([{ request: { headers: [name] } }])).toBe(fits);
      expect(accepted([{ request: { url_query: [name] } }])).toBe(fits);
      expect(accepted([{ response: { json_body: [name] } }])).toBe(fits);
    }
    expect(accepted([{ request: { headers: ['(a'] } }])).toBe(false);
    expect(accepted([{ request: { headers: ['a('] } }])).toBe(false);
  });

  it('tells whether anything of the request is hidden', () => {
    const asks = (rule: object) => redactsRequest(redactionPolicy(redactionSchema.parse([rule])));
    expect(asks({ request: { headers: ['a'] } })).toBe(true);
    expect(asks({ request: { url_query_except: ['a'] } })).toBe(true);
    expect(asks({ response: { headers: ['a'], json_body: ['a'] } })).toBe(false);
  });
});
