import { describe, expect, it } from 'vitest';
import { checkWebhookUrl } from '../../../core/engagement/webhooks/check-url.ts';
import { type EgressGuard, EgressRefused } from '../../../core/ports/egress.ts';

/** Checks a URL by a guard that refuses every address. */
function check(url: string, refusal = new Error('unasked')): Promise<unknown> {
  const refuse = () => {
    throw refusal;
  };
  const guard: EgressGuard = { resolve: async () => refuse(), checkPort: refuse };
  return checkWebhookUrl(guard, url);
}

describe('checking a webhook URL', () => {
  it.each([
    ['ftp://hooks.example.com/', 'it must be an http or https URL'],
    ['hooks.example.com', 'it must be an http or https URL'],
    ['https://user@hooks.example.com/', 'it must not hold a user name or password; check the signature instead'],
    ['https://:pass@hooks.example.com/', 'it must not hold a user name or password; check the signature instead'],
  ])('refuses %s and says why', async (url, reason) => {
    await expect(check(url)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: `The webhook URL is refused: ${reason}`,
      details: { field: 'url' },
    });
  });

  it('passes on why the guard refused', async () => {
    const cause = new EgressRefused('address', '10.0.0.1 is no public address.');
    await expect(check('http://10.0.0.1/', cause)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'The webhook URL is refused: 10.0.0.1 is no public address.',
      details: { field: 'url' },
      cause,
    });
  });

  it('does not call a defect of the guard a fault of the URL', async () => {
    const defect = new TypeError('undefined is not a function');
    await expect(check('http://10.0.0.1/', defect)).rejects.toBe(defect);
  });
});
