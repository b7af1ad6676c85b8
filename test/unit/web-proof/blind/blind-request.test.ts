import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { writeRequest } from '../../../../core/web-proof/notarize/request-message.ts';
import { notarizeRequestSchema } from '../../../../core/web-proof/prove-request.ts';
import { allVisible } from '../../../../core/web-proof/tlsnotary/visible-bytes.ts';
import { checkSent, toBlindRequest } from '../../../../plugins/blind-notary/prover/blind-request.ts';

const requestWith = (body: string) => notarizeRequestSchema.parse({ url: 'https://a.test/x', method: 'POST', body });

/** What comes of the check if the engine sends `sent` where `asked` was asked for. */
function check(asked: string, sent: string) {
  const request = requestWith(asked);
  const { bytes } = writeRequest({ ...request, body: sent });
  return () => checkSent(parseRequest(allVisible(bytes)), toBlindRequest(request), request);
}

describe('the body of a blind request', () => {
  it('is none if it is null', () => {
    const request = notarizeRequestSchema.parse({ url: 'https://a.test/x', method: 'POST', body: null });
    expect(toBlindRequest(request).message.body).toBeUndefined();
    expect(() =>
      checkSent(parseRequest(allVisible(writeRequest(request).bytes)), toBlindRequest(request), request),
    ).not.toThrow();
  });

  it.each([
    ...'{"order":9007199254740992} [-9007199254740992] [-1e400] [1e300] [1e-400] [-0] [-0.0e1] {"a":1'.split(' '),
    ...'[0.12345678901234567890] {"a":1,"a":2} {"a":{"b":1,"\\u0062":1}} ["\\ud800"] {"\\udc00":1} 01'.split(' '),
    '',
  ])('is refused if it would be sent with another value: %s', (body) => {
    expect(() => toBlindRequest(requestWith(body))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining('the body must be JSON') }),
    );
  });

  it.each([
    '{"order":9007199254740991}',
    '[-9007199254740991, 0, 0.0, 0e9, 1.0, 10e-1, 1.50, 100, 1e3]',
    '[0.1, -0.25, 1e-7, 1.5E+2, 5e-324, 1.5e-300]',
    '{"a":"9007199254740993","b":"-0","c":"1e400 \\" \\\\","1e400":[{"a":1},{"a":1}]}',
    '{"__proto__":{"a":1},"😀":"\\ud83d\\ude00"}',
    ' null ',
  ])('may have any other form: %s', (body) => {
    expect(toBlindRequest(requestWith(body)).message.body).toEqual(JSON.parse(body));
    expect(check(body, JSON.stringify(JSON.parse(body)))).not.toThrow();
  });

  it('keeps each member name as it was written, whatever bodies were read before', () => {
    for (const [body, names] of [
      ['{"id":1,"\\\\":0}', ['id', '\\']],
      ['{"id":1,"\\u20ac":700}', ['id', '€']],
    ] as const) {
      expect(Object.keys(toBlindRequest(requestWith(body)).message.body as object)).toEqual(names);
    }
    expect(check('{"id":1,"\\u20ac":700}', '{"id":1,"\\\\":700}')).toThrow('another request');
  });

  it.each([
    ['number', `[1.${'0'.repeat(200_000)}]`],
    ['list', `[${'1,'.repeat(100_000)}1]`],
    ['text', `["${'\\n'.repeat(100_000)}"]`],
  ])('may be one long %s', (_what, body) => {
    expect(toBlindRequest(requestWith(body)).message.body).toEqual(JSON.parse(body));
  });

  it.each([
    ['{"a":1,"b":[2]}', '{"b":[2],"a":1.0}', true],
    ['{"a":1}', '{"a":2}', false],
    ['{"a":1}', '{"a":1.00000000000000000001}', false],
    ['{"a":1}', '{"a":3,"a":1}', false],
    ['{"a":1}', '{"a":1,"b":1}', false],
    ['{"a":1}', '{"a":"1"}', false],
    ['{"a":1}', '', false],
  ])('of %s may come as %s: %s', (asked, sent, isSame) => {
    const run = check(asked, sent);
    if (isSame) expect(run).not.toThrow();
    else expect(run).toThrow('The MPC engine sent another request than it was asked to.');
  });
});
