import { describe, expect, it } from 'vitest';
import { WEBHOOK_SECRET_CONTEXT } from '../../../core/engagement/webhooks/secret.ts';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import { createWebhookSigners } from '../../../core/engagement/webhooks/webhook-signers.ts';

const body = new TextEncoder().encode('{}');
const secretOf = (sealed: string) => `whsec_${btoa(sealed)}`;

function countingBox() {
  const opened: string[] = [];
  return {
    opened,
    box: {
      seal: (plaintext: string) => plaintext,
      open: (sealed: string, context: string) => {
        expect(context).toBe(WEBHOOK_SECRET_CONTEXT);
        opened.push(sealed);
        if (sealed.startsWith('broken')) throw new Error('not sealed by this key');
        return secretOf(sealed);
      },
    },
  };
}

describe('signers of webhooks', () => {
  it('open each secret once', () => {
    const { box, opened } = countingBox();
    const signerOf = createWebhookSigners(box);
    for (const sealed of ['a', 'b', 'a', 'b']) {
      expect(signerOf(sealed).service(body)).toBe(serviceSignature(secretOf(sealed), body));
    }
    expect(opened).toEqual(['a', 'b']);
  });

  it('are forgotten when there are too many, those used longest ago first', () => {
    const { box, opened } = countingBox();
    const signerOf = createWebhookSigners(box, undefined, 2);
    for (const sealed of ['a', 'b', 'a', 'c', 'a', 'b']) signerOf(sealed);
    expect(opened).toEqual(['a', 'b', 'c', 'b']);
  });

  it('remember no failure', () => {
    const { box, opened } = countingBox();
    const signerOf = createWebhookSigners(box);
    expect(() => signerOf('broken')).toThrow('not sealed by this key');
    expect(() => signerOf('broken')).toThrow('not sealed by this key');
    expect(opened).toHaveLength(2);
  });
});
