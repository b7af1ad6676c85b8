import { describe, expect, it } from 'vitest';
import { redactionPolicy, redactionSchema } from '../../../../core/web-proof/redaction/schema.ts';

const accepted = (rules: unknown) => redactionSchema.safeParse(rules).success;

describe('the redaction schema', () => {
  it.each([
    [[]],
    [[{}]],
    [[{ request: {} }, { response: {} }]],
    [[{ request: { headers: ['Authorization'], url_query_except: ['symbol'] } }]],
    [[{ response: { headers_except: [], json_body: ['user.email', 'items[0].secret', 'items.*.x', 'a\\.b'] } }]],
    [[{ request: { headers: ['a'] } }, { response: { headers_except: ['a'] } }]],
    [[{ request: { headers: ['a'] } }, { request: { headers: ['b'] } }]],
  ])('accepts %j', (rules) => {
    expect(accepted(rules)).toBe(true);
  });

  it.each([
    [[{ request: { headers: ['a'], headers_except: ['b'] } }]],
    [[{ request: { url_query: ['a'] } }, { request: { url_query_except: ['b'] } }]],
    [[{ response: { headers: ['a'] } }, { response: { headers_except: [] } }]],
    [[{ response: { json_body: ['a'] } }, {}, { response: { json_body_except: ['a'] } }]],
    [[{ request: { urlQuery: ['a'] } }]],
    [[{ request: { headersExcept: ['a'] } }]],
    [[{ request: { json_body: ['a'] } }]],
    [[{ response: { url_query: ['a'] } }]],
    [[{ unknown: {} }]],
    [[{ request: { headers: 'authorization' } }]],
    [[{ request: { headers: [1] } }]],
    [[{ request: { headers: ['not a header'] } }]],
    [[{ request: { url_query: [''] } }]],
    [[{ response: { json_body: [''] } }]],
    [[{ response: { json_body: ['a..b'] } }]],
    [[{ response: { json_body: ['a.'] } }]],
    [{ request: {} }],
    [Array(65).fill({})],
    [[{ request: { headers: Array(201).fill('a') } }]],
    [[{ request: { headers: Array(150).fill('a') } }, { request: { headers: Array(150).fill('a') } }]],
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
      urlQuery: { kind: 'none' },
      responseHeaders: { kind: 'none' },
      jsonBody: { kind: 'except', names: ['x'] },
    });
  });
});
