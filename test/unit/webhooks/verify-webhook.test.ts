/** What a receiver may accept: checked against requests as the sender makes them. */
import { describe, expect, it } from 'vitest';
import { eventBody, testEventBody } from '../../../core/engagement/webhooks/event-body.ts';
import { createWebhookSecret } from '../../../core/engagement/webhooks/secret.ts';
import { webhookHeaders } from '../../../core/engagement/webhooks/signature.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { type RawBody, verifyWebhook, type WebhookHeaders } from '../../../plugins/client/webhooks/index.ts';
import { neighboursOf } from '../../support/neighbours.ts';
import { sampleEvent } from './support.ts';

const secret = createWebhookSecret(systemRandom);
const previousSecret = createWebhookSecret(systemRandom);
const at = new Date('2026-11-01T09:30:00.700Z');
const body = eventBody(
  sampleEvent(1, { data: { ...sampleEvent(1).data, username: 'süß', commentText: 'lone " and 🎉\u0000' } }),
);
const sign = (text: string, changes: { previousSecret?: string; at?: Date } = {}): Record<string, string> => {
  return webhookHeaders({ secret, messageId: 'msg_1', at, event: 'creator.verified', body: text, ...changes });
};
const headers = sign(body);
const { 'X-Service-Signature': service = '' } = headers;
const serviceOnly = { 'x-service-signature': service };
const now = () => at;

function check(
  given: {
    body?: unknown;
    headers?: WebhookHeaders;
    secret?: string | string[];
    toleranceSeconds?: number;
    now?: () => Date;
  } = {},
) {
  const { toleranceSeconds = 300 } = given;
  const raw = ('body' in given ? given.body : body) as RawBody;
  const options = { toleranceSeconds, now: given.now ?? now };
  return verifyWebhook(raw, given.headers ?? headers, given.secret ?? secret, options);
}

function refused(given: Parameters<typeof check>[0]): { code: string; message: string } {
  try {
    check(given);
  } catch (error) {
    const { name, code, message } = error as { name: string; code: string; message: string };
    expect(name, message).toBe('WebhookVerificationError');
    expect(message).not.toContain(secret.slice(6));
    return { code, message };
  }
  throw new Error('It was accepted.');
}

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));

describe('verifyWebhook', () => {
  it('returns the event of a signed request, as it was sent, with its message id', () => {
    expect(check()).toEqual({ ...JSON.parse(body), messageId: 'msg_1' });
    const { event, data } = check();
    if (event === 'creator.verified') expect(data.commentText).toBe('lone " and 🎉\u0000');
  });

  it('takes text, bytes, a part of a buffer and an array buffer', () => {
    const bytes = new TextEncoder().encode(body);
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    const part = larger.subarray(6, 6 + bytes.length);
    for (const form of [body, bytes, Buffer.from(bytes), part, bytes.buffer.slice(0)]) {
      expect(check({ body: form }).event).toBe('creator.verified');
    }
  });

  it('takes headers of the web platform, of Node.js, in any case and as lists of one', () => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const form of [new Headers(headers), lower, upper]) expect(check({ headers: form }).messageId).toBe('msg_1');
  });

  it('checks X-Service-Signature if the Standard Webhooks headers are not there', () => {
    expect(check({ headers: serviceOnly })).toMatchObject({ event: 'creator.verified', messageId: null });
    expect(refused({ headers: serviceOnly, body: `${body} ` }).code).toBe('WRONG_SIGNATURE');
    for (const other of neighboursOf(service).filter((one) => one !== '')) {
      expect(refused({ headers: { 'x-service-signature': other } }).code, other).toBe('WRONG_SIGNATURE');
    }
  });

  it('does not accept a wrong standard signature because of a right X-Service-Signature', () => {
    for (const signature of ['v1,AAAA', `v2,${headers['webhook-signature']?.slice(3)}`, '  ']) {
      expect(refused({ headers: { ...headers, 'webhook-signature': signature } }).code).toBe('WRONG_SIGNATURE');
    }
  });

  it('binds the id, the timestamp and every byte of the body', () => {
    expect(refused({ headers: { ...headers, 'webhook-id': 'msg_2' } }).code).toBe('WRONG_SIGNATURE');
    expect(refused({ headers: { ...headers, 'webhook-timestamp': '1793525401' } }).code).toBe('WRONG_SIGNATURE');
    expect(refused({ body: JSON.stringify(JSON.parse(body), null, 1) }).code).toBe('WRONG_SIGNATURE');
    expect(refused({ body: new Uint8Array() }).code).toBe('WRONG_SIGNATURE');
    const other = createWebhookSecret(systemRandom);
    expect(refused({ secret: other }).message).toContain('Check that the secret is the one of this webhook');
  });

  it('accepts either secret while one is rotated, from either list', () => {
    const rotating = sign(body, { previousSecret });
    for (const known of [secret, previousSecret, [secret, previousSecret], [previousSecret, secret]]) {
      expect(check({ headers: rotating, secret: known }).messageId).toBe('msg_1');
    }
    const byPrevious = { 'x-service-signature': rotating['X-Service-Signature'] as string };
    expect(check({ headers: byPrevious, secret: [secret, previousSecret] }).event).toBe('creator.verified');
    expect(refused({ headers: byPrevious, secret }).code).toBe('WRONG_SIGNATURE');
    expect(check({ secret: [previousSecret, secret] }).messageId).toBe('msg_1');
    expect(refused({ secret: [previousSecret, createWebhookSecret(systemRandom)] }).code).toBe('WRONG_SIGNATURE');
  });

  it('refuses a signed request outside the tolerance, either way, and says how far', () => {
    const shifted = (seconds: number) => () => new Date(Math.floor(at.getTime() / 1_000) * 1_000 + seconds * 1_000);
    for (const edge of [-60, 60]) expect(check({ toleranceSeconds: 60, now: shifted(edge) }).messageId).toBe('msg_1');
    expect(refused({ toleranceSeconds: 60, now: shifted(61) })).toEqual({
      code: 'STALE_TIMESTAMP',
      message: expect.stringContaining('61 s old; 60 s are allowed'),
    });
    expect(refused({ toleranceSeconds: 60, now: shifted(-61) }).message).toContain('61 s in the future');
    expect(() => verifyWebhook(body, sign(body, { at: new Date() }), secret)).not.toThrow();
    expect(() => verifyWebhook(body, sign(body, { at: new Date(Date.now() - 310_000) }), secret)).toThrow('s old');
  });

  it('refuses everything by a clock that has no valid date', () => {
    expect(() => check({ now: () => new Date(Number.NaN) })).toThrow(RangeError);
    expect(() => check({ now: () => undefined as unknown as Date })).toThrow(TypeError);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses the tolerance %s', (toleranceSeconds) => {
    expect(() => check({ toleranceSeconds })).toThrow(RangeError);
  });

  it('names the header that is missing', () => {
    expect(refused({ headers: {} })).toEqual({
      code: 'MISSING_HEADER',
      message: expect.stringContaining('neither the header webhook-signature nor X-Service-Signature'),
    });
    for (const name of ['webhook-id', 'webhook-timestamp']) {
      expect(refused({ headers: without(name) })).toEqual({
        code: 'MISSING_HEADER',
        message: expect.stringContaining(`The header ${name} is missing`),
      });
    }
    expect(check({ headers: without('webhook-signature') }).messageId).toBeNull();
  });

  it.each([undefined, null, 'webhook-id: msg_1'])('says that the headers are not given if they are %j', (none) => {
    const call = () => verifyWebhook(body, none as unknown as WebhookHeaders, secret);
    expect(call).toThrow(
      expect.objectContaining({
        name: 'WebhookVerificationError',
        code: 'MISSING_HEADER',
        message:
          'No headers are given. Pass the headers of the request as the second argument, such as request.headers.',
      }),
    );
  });

  it.each([5, null, [null], {}])('takes a header for missing if its value is no text: %j', (value) => {
    const { 'X-Service-Signature': _, ...standardOnly } = headers;
    for (const name of ['webhook-signature', 'webhook-id', 'webhook-timestamp']) {
      const given = { ...standardOnly, [name]: value } as unknown as WebhookHeaders;
      expect(refused({ headers: given }).code, name).toBe('MISSING_HEADER');
    }
    const wrong = { 'x-service-signature': value } as unknown as WebhookHeaders;
    expect(refused({ headers: wrong }).code).toBe('MISSING_HEADER');
  });

  it('refuses a header that is there twice, and a timestamp that is no number', () => {
    const twice = { ...headers, 'webhook-signature': ['v1,AAAA', headers['webhook-signature'] ?? ''] };
    expect(refused({ headers: twice }).code).toBe('INVALID_HEADER');
    expect(refused({ headers: { ...headers, 'Webhook-Id': 'msg_2' } }).code).toBe('INVALID_HEADER');
    for (const timestamp of ['1e9', '-5', '1793525400.0', '9'.repeat(40), 'now']) {
      expect(refused({ headers: { ...headers, 'webhook-timestamp': timestamp } }).code).toBe('INVALID_HEADER');
    }
  });

  it('says what to do about a body that was parsed before', () => {
    for (const parsed of [JSON.parse(body), [], 5, true]) {
      expect(refused({ body: parsed })).toEqual({
        code: 'PARSED_BODY',
        message: expect.stringMatching(/^The body was parsed already; .*express\.raw\(/),
      });
    }
    for (const none of [undefined, null]) {
      expect(refused({ body: none }).message).toMatch(/^The body is missing/);
    }
  });

  it.each([[''], ['secret'], ['whsec_'], [`"${secret}"`], [`${secret}\n`], [[]], [[secret, '']]])(
    'refuses %j as a secret, and does not repeat it',
    (wrong) => {
      const { code, message } = refused({ secret: wrong });
      expect(code).toBe('INVALID_SECRET');
      expect(message).toContain('Give the whole secret');
    },
  );

  it('accepts the test event, and fields of later releases', () => {
    const test = testEventBody({ id: 9, brandId: 4 }, at);
    expect(check({ body: test, headers: sign(test) })).toMatchObject({ event: 'webhook.test', data: { webhookId: 9 } });
    const later = JSON.stringify({ ...JSON.parse(body), version: 2 });
    expect(check({ body: later, headers: sign(later) })).toMatchObject({ version: 2 });
  });

  it('reads each field as it was signed, whatever was read before', () => {
    for (const name of ['\\\\', '\\u20ac']) {
      const text = body.replace(/\}$/, `,"${name}":1}`);
      expect(check({ body: text, headers: sign(text) })).toHaveProperty([JSON.parse(`"${name}"`)], 1);
    }
  });

  it('refuses signed bytes that are no known event', () => {
    const envelope = JSON.parse(body);
    const unknown = [
      JSON.stringify({ ...envelope, event: 'account.renamed' }),
      JSON.stringify({ ...envelope, event: '__proto__' }),
      JSON.stringify({ ...envelope, data: null }),
      JSON.stringify({ ...envelope, timestamp: 5 }),
      'null',
      '[]',
      'text',
      '',
    ];
    for (const text of unknown) expect(refused({ body: text, headers: sign(text) }).code, text).toBe('UNKNOWN_EVENT');
    expect(refused({ body: unknown[0], headers: sign(unknown[0] ?? '') }).message).toContain('("account.renamed")');
  });
});
