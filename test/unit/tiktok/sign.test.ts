import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { signUrl } from '../../../adapters/tiktok/sign.ts';

const URL_TO_SIGN = 'https://www.tiktok.com/api/comment/list/?aid=1';
const failed = (cause?: unknown) =>
  expect.objectContaining({
    code: 'PLATFORM_UNAVAILABLE',
    details: { reason: 'sign-failed', platform: 'tiktok' },
    ...(cause === undefined ? {} : { cause }),
  });

const context = () => {
  const controller = new AbortController();
  return { controller, userAgent: 'Browser', signal: controller.signal };
};
const never = () => new Promise<never>(() => undefined);

describe('signing an address', () => {
  it('hands the signer the address and the user agent, and gives back what it adds to the query', async () => {
    const given = context();
    let seen: unknown[] = [];
    const sign = async (...args: unknown[]) => {
      seen = args;
      return `${URL_TO_SIGN}&X-Bogus=a b`;
    };
    expect(await signUrl(sign, URL_TO_SIGN, given)).toBe(`${URL_TO_SIGN}&X-Bogus=a%20b`);
    expect(seen).toEqual([URL_TO_SIGN, given]);
  });

  it('fails with the signer', async () => {
    const cause = new Error('down');
    await expect(signUrl(() => Promise.reject(cause), URL_TO_SIGN, context())).rejects.toEqual(failed(cause));
  });

  it.each([
    ['nothing', undefined],
    ['an address that is no text', new URL(URL_TO_SIGN)],
    ['no address', 'nonsense'],
    ['another site', 'https://example.com/api/comment/list/?aid=1'],
    ['another path', 'https://www.tiktok.com/api/other/?aid=1'],
  ])('fails if the signer gives %s', async (_name, result) => {
    await expect(signUrl(async () => result as string, URL_TO_SIGN, context())).rejects.toEqual(failed());
  });

  it('does not wait for a signer that does not heed the end of the call', async () => {
    const given = context();
    const reason = new Error('too late');
    const signing = signUrl(never, URL_TO_SIGN, given);
    given.controller.abort(reason);
    await expect(signing).rejects.toEqual(failed(reason));
    await expect(signUrl(never, URL_TO_SIGN, given)).rejects.toEqual(failed(reason));
  });

  it('is over when the signer is done, however the call ends', async () => {
    const given = context();
    await signUrl(async () => URL_TO_SIGN, URL_TO_SIGN, given);
    given.controller.abort(new Error('later'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(given.signal, 'abort').length).toBeLessThanOrEqual(1);
  });
});
