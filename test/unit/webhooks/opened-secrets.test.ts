import { describe, expect, it } from 'vitest';
import { createOpenedSecrets } from '../../../core/engagement/webhooks/opened-secrets.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../../../core/engagement/webhooks/secret.ts';

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
        return `secret of ${sealed}`;
      },
    },
  };
}

describe('opened secrets', () => {
  it('are opened once each', () => {
    const { box, opened } = countingBox();
    const open = createOpenedSecrets(box);
    expect([open('a'), open('b'), open('a'), open('b')]).toEqual([
      'secret of a',
      'secret of b',
      'secret of a',
      'secret of b',
    ]);
    expect(opened).toEqual(['a', 'b']);
  });

  it('are forgotten when there are too many, those used longest ago first', () => {
    const { box, opened } = countingBox();
    const open = createOpenedSecrets(box, 2);
    for (const sealed of ['a', 'b', 'a', 'c', 'a', 'b']) open(sealed);
    expect(opened).toEqual(['a', 'b', 'c', 'b']);
  });

  it('a failure is not remembered', () => {
    const { box, opened } = countingBox();
    const open = createOpenedSecrets(box);
    expect(() => open('broken')).toThrow('not sealed by this key');
    expect(() => open('broken')).toThrow('not sealed by this key');
    expect(opened).toHaveLength(2);
  });
});
