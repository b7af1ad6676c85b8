import { afterAll, describe, expect, it } from 'vitest';
import { serviceSignature, standardSignature } from '../../core/engagement/webhooks/signature.ts';
import { CALLBACK_SECRET as SECRET, startCallbackWorld } from '../support/callback-world.ts';
import { startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/wire.ts';

const world = await startCallbackWorld();

afterAll(() => world.close());

it('refuses every call while no secret is configured, whatever it says', async () => {
  const without = await startInstance({ config: { services: ['engagement', 'web-prover'] } });
  for (const raw of ['{"requestId":', '{}', JSON.stringify({ requestId: 'x', presentationJson: {} }), '\u00ff']) {
    const { status, json } = await without.api.call('POST', '/web-proofs/callback', { raw, token: null });
    expect([status, json.error?.code, json.error?.details], raw).toEqual([501, 'NOT_SUPPORTED', undefined]);
  }
  await without.close();
});

describe('POST /web-proofs/callback', () => {
  it('takes the whole payload of the client-side flow, presentation as JSON text, Standard Webhooks headers', async () => {
    const heard: unknown[] = [];
    world.instance.credence.on('account.connected', ({ data }) => heard.push(data), { name: 'connections' });
    const { requestId, code } = await world.openRequest('proof-2', undefined, 'tiktok');
    const presentation = await world.proofOf({
      host: 'www.tiktok.com',
      target: `/passport/web/account/info/?credence_code=${code}`,
      body: '{"data":{"user_id":6812345678901234567,"username":"dana.moves"}}',
    });
    const meta = { notaryUrl: 'https://notary.test', websocketProxyUrl: 'wss://proxy.test', mode: 'proxy', more: 1 };
    const raw = JSON.stringify({
      requestId,
      dataSourceId: 'x',
      outputs: {},
      webProofs: [{ outputs: {}, presentationJson: JSON.stringify({ ...presentation, meta, more: 1 }) }],
    });
    const seconds = Math.floor(Date.now() / 1000);
    const answer = await world.instance.api.call('POST', '/web-proofs/callback', {
      raw,
      token: null,
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(seconds),
        'webhook-signature': standardSignature(SECRET, 'msg_1', seconds, raw),
      },
    });
    expect([answer.status, answer.json.data?.socialAccount?.platformUsername]).toEqual([200, 'dana.moves']);
    const own = { externalUserId: 'proof-2', platformAccountId: '6812345678901234567', method: 'web_proof', requestId };
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([expect.objectContaining(own)]);
  });

  it('finds the profile in any proof of a flow, also when the call is repeated; else it says what is wrong with the first', async () => {
    const { requestId, code } = await world.openRequest('proof-3', undefined, 'tiktok');
    const other = await world.proofOf({ host: 'www.tiktok.com', target: '/api/orders/' });
    const profile = await world.proofOf({
      host: 'www.tiktok.com',
      target: `/passport/web/account/info/?credence_code=${code}`,
      body: '{"data":{"user_id":6812345678901234568,"username":"erin.moves"}}',
    });
    const post = (...proofs: unknown[]) =>
      world.post({ requestId, webProofs: proofs.map((presentationJson) => ({ presentationJson })) });
    const refused = await post(other, { ...profile, data: 'zz' });
    expect([refused.status, refused.json.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
    for (const answer of [await post(other, profile), await post(other, profile)]) {
      expect([answer.status, answer.json.data?.socialAccount?.platformUsername]).toEqual([200, 'erin.moves']);
    }
  });

  it.each([
    ['no JSON', '{"requestId":'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('tells only who has signed it that it is wrong: %s', async (_what, raw) => {
    const call = (signature?: string) =>
      sendRaw(world.instance.baseUrl, {
        method: 'POST',
        path: '/web-proofs/callback',
        headers: { 'content-type': 'application/json', ...(signature ? { 'x-service-signature': signature } : {}) },
        body: raw,
      });
    for (const signature of [undefined, serviceSignature('whsec_other', raw)]) {
      const { status, text } = await call(signature);
      expect([status, JSON.parse(text).error.details]).toEqual([401, undefined]);
    }
    expect((await call(serviceSignature(SECRET, raw))).status).toBe(400);
  });
});
