/** What every notary promises; run it against an adapter of your own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Notary } from '../../../core/ports/notary.ts';
import { notarizeRequestSchema } from '../../../core/web-proof/prove-request.ts';
import type { VerifyWebProof } from '../../../core/web-proof/verify.ts';

/** A notary to test, and a server that it can reach. */
export interface NotaryWorld {
  readonly notary: Notary;
  readonly verify: VerifyWebProof;
  /** An HTTPS URL that answers 200 with `{"secret":"kept-by-the-server","n":1}`, and one that never answers. */
  readonly url: string;
  readonly silentUrl: string;
  /** Lets go of everything that the world opened. */
  close(): Promise<void>;
}

/** How a notary is made for the suite. */
export interface NotaryContract {
  /** Of the adapter, for the titles of the tests. */
  readonly name: string;
  /** Starts a notary and its server. */
  start(): Promise<NotaryWorld>;
}

/** Registers the tests that every `Notary` must pass, with vitest. */
export function notaryContract({ name, start }: NotaryContract): void {
  describe(`the notary port: ${name}`, () => {
    let world: NotaryWorld;
    const notarize = (body: Record<string, unknown> = {}, signal: AbortSignal = AbortSignal.timeout(10_000)) =>
      world.notary.notarize(notarizeRequestSchema.parse({ url: world.url, ...body }), signal);

    beforeAll(async () => {
      world = await start();
    });
    afterAll(() => world.close());

    it('signs, with the key it is known by, what the server answered', async () => {
      const proof = await notarize();
      expect(proof).toMatchObject({ version: '0.1.0-alpha.12', meta: { notaryUrl: world.notary.url } });
      const verified = await world.verify(proof);
      expect(verified.notaryKeyFingerprint).toBe(world.notary.fingerprint);
      expect(verified.url).toBe(world.url);
      expect(verified.response).toMatchObject({ status: 200, text: '{"secret":"kept-by-the-server","n":1}' });
    });

    it('sends what it was told and hides what it was told', async () => {
      const proof = await notarize({
        method: 'POST',
        headers: ['X-Key: s3cret-t0ken'],
        body: 'żółć',
        redaction: [{ request: { headers: ['x-key'] } }, { response: { json_body: ['secret'] } }],
      });
      const bytes = Buffer.from(proof.data, 'hex');
      expect(bytes.includes('s3cret-t0ken') || bytes.includes('kept-by')).toBe(false);
      const { request, response } = await world.verify(proof);
      expect(request).toMatchObject({ method: 'POST', text: 'żółć' });
      expect(response.text).toBe('{"secret":"XXXXXXXXXXXXXXXXXX","n":1}');
    });

    it.each([
      ['an answer beyond maxRecvData', { maxRecvData: 10 }, 'INTERNAL_SERVER_ERROR', /maxRecvData/],
      ['a name without an address', { url: 'https://nowhere.invalid/' }, 'INTERNAL_SERVER_ERROR', /resolved/],
    ])('says what was wrong with %s', async (_what, body, code, message) => {
      await expect(notarize(body)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    });

    it('refuses a target that is not public', async () => {
      await expect(notarize({ url: 'https://private.test/' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    });

    it('rejects with the reason of the signal, before and while it works', async () => {
      const reason = new Error('gone');
      await expect(notarize({}, AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      const pending = notarize({ url: world.silentUrl }, controller.signal);
      setTimeout(() => controller.abort(reason), 50);
      await expect(pending).rejects.toBe(reason);
    });
  });
}
