import { describe, expect, it } from 'vitest';
import { checkWebhookUrl } from '../../../core/engagement/webhooks/check-url.ts';
import { type EgressGuard, EgressRefused } from '../../../core/ports/egress.ts';

/** Checks a URL; resolves to what the guard was asked about. */
async function check(url: string, refusal?: Error): Promise<string[]> {
  const asked: string[] = [];
  const guard: EgressGuard = {
    resolve: async (hostname, port) => {
      asked.push(`${hostname} ${port}`);
      if (refusal) throw refusal;
      return [];
    },
    checkPort: (port) => {
      asked.push(`port ${port}`);
      if (refusal) throw refusal;
    },
  };
  await checkWebhookUrl(guard, url);
  return asked;
}

describe('checking a webhook URL', () => {
  it.each([
    ['http://127.1/', '127.0.0.1 80'],
    ['https://10.0.0.1/', '10.0.0.1 443'],
    ['https://10.0.0.1:8443/', '10.0.0.1 8443'],
    ['http://[::1]/', '[::1] 80'],
    ['https://LOCALHOST./', 'localhost 443'],
    ['http://app.localhost:3000/', 'localhost 3000'],
    ['http://10.0.0.1:0/', '10.0.0.1 0'],
  ])('asks the guard about %s', async (url, expected) => {
    expect(await check(url)).toEqual([expected]);
  });

  it.each([
    ['https://hooks.example.com/', 443],
    ['http://hooks.example.com/', 80],
    ['https://10.0.0.1.example.com:8443/', 8443],
    ['https://hooks1/', 443],
    ['http://localhost.example.com:25/', 25],
    ['https://notlocalhost/', 443],
    ['https://hooks.example.com:0/', 0],
  ])('asks about the port alone of %s, whose addresses may change', async (url, port) => {
    expect(await check(url)).toEqual([`port ${port}`]);
  });

  it('passes on that a port is refused', async () => {
    const cause = new EgressRefused('port', 'Port 25 is not open.');
    await expect(check('http://hooks.example.com:25/', cause)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'The webhook URL is refused: Port 25 is not open.',
      cause,
    });
  });

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
