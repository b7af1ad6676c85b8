import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeHmac } from '../../../adapters/node-signatures/hmac.ts';
import {
  createWebhookSecret,
  standardKeyOf,
  WEBHOOK_SECRET_CONTEXT,
} from '../../../core/engagement/webhooks/secret.ts';
import {
  createWebhookSigner,
  serviceSignature,
  standardSignature,
  verifyStandardSignature,
  webhookHeaders,
} from '../../../core/engagement/webhooks/signature.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { neighboursOf } from '../../support/neighbours.ts';

const secret = createWebhookSecret(systemRandom);
const body = '{"event":"creator.verified","data":{"commentText":"süß 🎉"}}';
const at = new Date('2026-11-01T09:30:00.700Z');
const signer = createWebhookSigner(secret);
const message = { signer, messageId: 'msg_1', at, event: 'creator.verified', body } as const;
const headers = webhookHeaders(message);
const standard = {
  id: headers['webhook-id'],
  timestamp: headers['webhook-timestamp'],
  signature: headers['webhook-signature'],
};

describe('secrets', () => {
  it('are sealed under a context that stored ones depend on', () => {
    expect(WEBHOOK_SECRET_CONTEXT).toBe('webhook');
  });

  it('of another form have no key', () => {
    for (const text of ['', 'whsec_', 'whsec_***', 'MDEy', 'WHSEC_MDEy'])
      expect(() => standardKeyOf(text)).toThrow(new RangeError('A webhook secret reads "whsec_" and base64.'));
  });
});

describe('other headers', () => {
  it('name the sender, the event and the form of the body', () => {
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'User-Agent': 'Credence-Webhooks/1.0',
      'X-Service-Event': 'creator.verified',
    });
  });
});

describe('a signer', () => {
  it('signs each message for itself, however many it signed before', () => {
    webhookHeaders({ ...message, messageId: 'msg_2', body: 'x'.repeat(5_000) });
    expect(webhookHeaders(message)).toEqual(headers);
  });

  it('signs by Node as in JavaScript', () => {
    const byNode = createWebhookSigner(secret, nodeHmac);
    for (const text of ['', body, 'x'.repeat(100_000)])
      expect(webhookHeaders({ ...message, signer: byNode, body: text })).toEqual(
        webhookHeaders({ ...message, body: text }),
      );
  });

  it('is not made of a text that is no secret', () => {
    expect(() => createWebhookSigner('secret')).toThrow(RangeError);
  });
});

describe('X-Service-Signature', () => {
  it('is what node:crypto makes with the whole secret as key', () => {
    expect(headers['X-Service-Signature']).toBe(createHmac('sha256', secret).update(body, 'utf8').digest('base64'));
    expect(serviceSignature(secret, Buffer.from(body))).toBe(headers['X-Service-Signature']);
  });
});

describe('the headers while a secret is rotated', () => {
  const previousSecret = createWebhookSecret(systemRandom);
  const both = webhookHeaders({ ...message, previousSigner: createWebhookSigner(previousSecret) });

  it('have a standard signature of each secret', () => {
    const signature = both['webhook-signature'];
    expect(signature).toBe(`${standard.signature} ${standardSignature(previousSecret, 'msg_1', 1793525400, body)}`);
    for (const known of [secret, previousSecret]) {
      expect(verifyStandardSignature(known, { ...standard, signature }, body, at)).toBe(true);
    }
  });

  it('keep the service signature of the previous secret', () => {
    expect(both['X-Service-Signature']).toBe(serviceSignature(previousSecret, body));
  });
});

describe('Standard Webhooks headers', () => {
  it('are what node:crypto makes with the decoded secret as key', () => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`msg_1.1793525400.${body}`).digest('base64');
    expect(standard).toEqual({ id: 'msg_1', timestamp: '1793525400', signature: `v1,${mac}` });
  });

  it('hold by no clock that has no valid date', () => {
    expect(verifyStandardSignature(secret, standard, body, at)).toBe(true);
    expect(verifyStandardSignature(secret, standard, body, new Date(Number.NaN))).toBe(false);
  });

  it('agree with the example of the Standard Webhooks specification', () => {
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const payload = '{"test": 2432232314}';
    expect(standardSignature(key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, payload)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('are accepted among others, within five minutes either way', () => {
    const check = (signature: string, now = at) =>
      verifyStandardSignature(secret, { ...standard, signature }, body, now);
    expect(check(standard.signature ?? '')).toBe(true);
    expect(check(`v1,AAAA ${standard.signature} v1a,BBBB`)).toBe(true);
    expect(check('v1,AAAA')).toBe(false);
    expect(check((standard.signature ?? '').replace('v1', 'v2'))).toBe(false);
    for (const other of neighboursOf(standard.signature ?? '')) expect(check(other), other).toBe(false);
    const signedAt = Number(standard.timestamp) * 1_000;
    for (const edge of [-300_000, 300_000]) {
      expect(check(standard.signature ?? '', new Date(signedAt + edge))).toBe(true);
      expect(check(standard.signature ?? '', new Date(signedAt + edge + Math.sign(edge)))).toBe(false);
    }
  });

  it('bind the id, the timestamp and the body', () => {
    expect(verifyStandardSignature(secret, { ...standard, id: 'msg_2' }, body, at)).toBe(false);
    expect(verifyStandardSignature(secret, { ...standard, timestamp: '1793525401' }, body, at)).toBe(false);
    expect(verifyStandardSignature(secret, standard, `${body} `, at)).toBe(false);
    for (const timestamp of [undefined, '', '1e9', '-5', '1793525400.0', '9'.repeat(40)]) {
      expect(verifyStandardSignature(secret, { ...standard, timestamp }, body, at), String(timestamp)).toBe(false);
    }
    expect(verifyStandardSignature(secret, { ...standard, id: undefined }, body, at)).toBe(false);
    expect(verifyStandardSignature(secret, { ...standard, signature: undefined }, body, at)).toBe(false);
  });
});
