import { describe, expect, it } from 'vitest';
import { createJsonLogger } from '../../../adapters/json-logger/index.ts';
import { redact } from '../../../adapters/json-logger/redact.ts';

const SECRET = 'crd_secret';
const NAMES = [
  ...'authorization Proxy-Authorization cookie Set-Cookie token secret sealedSecret secretKey password apiKey'.split(
    ' ',
  ),
  ...'adminToken sessionIds sessionid proxyUrl X-Service-Signature webhook-signature'.split(' '),
];

/** The line that is written, as JSON. */
function lineOf(fields: object): Record<string, unknown> {
  let line = '';
  const logger = createJsonLogger('info', {
    write(text) {
      line += text;
    },
  });
  logger.info(fields, 'message');
  return JSON.parse(line);
}

describe('the fields of a log line', () => {
  it.each(NAMES)('hide %s at any depth, in lists and in errors', (name) => {
    const error = Object.assign(new Error('failed', { cause: { [name]: SECRET } }), { [name]: SECRET });
    const list = [{ a: { [name]: SECRET } }];
    const fields = { [name]: [SECRET], a: { [name]: { b: SECRET } }, list, err: error, error };
    const line = lineOf(fields);
    expect(JSON.stringify(line)).not.toContain(SECRET);
    expect(line).toMatchObject({ [name]: '[redacted]', a: { [name]: '[redacted]' }, err: { [name]: '[redacted]' } });
    expect(fields[name]).toEqual([SECRET]);
    expect(error).toHaveProperty(name, SECRET);
  });

  it('stay as they are otherwise', () => {
    const url = new URL('https://a.example/');
    const fields = { a: 1, list: [1, { b: null }], at: new Date(0), url, none: undefined };
    expect(lineOf(fields)).toMatchObject(JSON.parse(JSON.stringify(fields)));
    const plain = { a: 1, nested: { list: ['x'] } };
    expect(redact(plain)).toBe(plain);
  });

  it('show type, message, stack and fields of an error, with its causes', () => {
    const err = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'E_OUTER' });
    expect(lineOf({ err })).toMatchObject({
      msg: 'message',
      err: {
        type: 'TypeError',
        message: 'outer: inner',
        code: 'E_OUTER',
        stack: expect.stringMatching(/redact\.test\.ts[\s\S]*caused by: Error: inner/),
      },
    });
  });

  it('are redacted in what toJSON returns', () => {
    expect(lineOf({ config: { toJSON: () => ({ token: SECRET }) } })).toMatchObject({
      config: { token: '[redacted]' },
    });
  });

  it('show no bytes', () => {
    const line = lineOf({ key: new Uint8Array(32), buffer: Buffer.from(SECRET) });
    expect(line).toMatchObject({ key: '[bytes]', buffer: '[bytes]' });
  });

  it('are cut off where they are too deep, in a circle, or too many', () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle.self = circle;
    expect(JSON.stringify(lineOf({ circle }))).toContain('[cut off]');
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`field${index}`, { token: SECRET }]));
    const line = lineOf({ wide, token: SECRET });
    expect(JSON.stringify(line)).not.toContain(SECRET);
    expect(line.wide).toMatchObject({ field0: { token: '[redacted]' }, field1999: '[cut off]' });
  });

  it('that cannot be read leave the message', () => {
    const broken = {
      get field(): string {
        throw new Error(SECRET);
      },
    };
    expect(lineOf(broken)).toMatchObject({ msg: 'message', fields: '[unreadable]' });
  });
});
