import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createWebhookSecret,
  standardKeyOf,
  WEBHOOK_SECRET_CONTEXT,
} from '../../../core/engagement/webhooks/secret.ts';
import {
  serviceSignature,
  standardSignature,
  verifyStandardSignature,
  webhookHeaders,
} from '../../../core/engagement/webhooks/signature.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';

const secret = createWebhookSecret(systemRandom);
const body = '{"event":"creator.verified","data":{"commentText":"süß 🎉"}}';
const at = new Date('2026-11-01T09:30:00.700Z');
const message = { secret, messageId: 'msg_1', at, event: 'creator.verified', body } as const;
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

describe('X-Service-Signature', () => {
  it('is what node:crypto makes with the whole secret as key', () => {
    expect(headers['X-Service-Signature']).toBe(createHmac('sha256', secret).update(body, 'utf8').digest('base64'));
    expect(serviceSignature(secret, Buffer.from(body))).toBe(headers['X-Service-Signature']);
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
});
