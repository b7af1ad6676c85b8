import { describe, expect, it } from 'vitest';
import type { Notary } from '../../../core/ports/notary.ts';
import { NOTARY_PATH, notaryLabel } from '../../../core/web-proof/notary-label.ts';
import { createProve, type ProveRequest, proveRequestSchema } from '../../../core/web-proof/prove.ts';

/** Answers with its own URL, and keeps what it was asked. */
function notary(url: string) {
  const asked: { request: object; signal: AbortSignal }[] = [];
  const port: Notary = {
    url,
    fingerprint: 'ab'.repeat(32),
    notarize: async (request, signal) => {
      asked.push({ request, signal });
      return { data: '00', version: '2.0.0', meta: { notaryUrl: url } };
    },
    close: async () => {},
  };
  return { port, asked };
}

const request: ProveRequest = proveRequestSchema.parse({ url: 'https://a.test/' });
const { signal } = new AbortController();

describe('prove', () => {
  it('asks the first notary, with everything but the choice of the notary', async () => {
    const [first, second] = [notary('https://one.test'), notary('https://two.test')];
    const prove = createProve({ notaries: [first.port, second.port] });
    expect((await prove(request, signal)).meta.notaryUrl).toBe('https://one.test');
    await prove({ ...request, notaryUrl: 'https://one.test' }, signal);
    expect(first.asked).toEqual([
      { request, signal },
      { request, signal },
    ]);
    expect(first.asked[0]?.signal).toBe(signal);
    expect(second.asked).toEqual([]);
  });

  it.each([
    ['https://two.test/v1//', 'HTTPS://TWO.test:443/a/../v1'],
    ['https://two.test', 'https://two.test/v0.1.0-alpha.12'],
    ['https://two.test/v0.1.0-alpha.12', 'https://two.test/v0.1.0-alpha.12/'],
    ['not a url/', 'not a url'],
  ])('finds the notary %s under the name %s', async (url, notaryUrl) => {
    const prove = createProve({ notaries: [notary('https://one.test').port, notary(url).port] });
    expect((await prove({ ...request, notaryUrl }, signal)).meta.notaryUrl).toBe(url);
  });

  it('asks neither of two notaries under one name: one may be blind, and the other sees everything', async () => {
    const [blind, attesting] = [notary('https://two.test'), notary('https://two.test/')];
    const prove = createProve({ notaries: [notary('https://one.test').port, blind.port, attesting.port] });
    await expect(prove({ ...request, notaryUrl: 'https://two.test' }, signal)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('the address of two notaries of this service'),
    });
    expect([...blind.asked, ...attesting.asked]).toEqual([]);
  });
});

it.each(['', '/', '//', '/v0.1.0-alpha.12', '/v0.1.0-alpha.12//'])(
  'the label of the notary at its root: "%s"',
  (path) => {
    expect(notaryLabel(`https://notary.example${path}`)).toBe('https://notary.example/v0.1.0-alpha.12');
  },
);

it.each(['notary', 'v0.1.0-alpha.11', 'v0.1.0-alpha.12/b'])(
  'keeps the path "%s" that a notary is served below',
  (path) => {
    expect(notaryLabel(`https://a.example/${path}/`)).toBe(`https://a.example/${path}${NOTARY_PATH}`);
  },
);
