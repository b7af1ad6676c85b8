import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceSignature, standardSignature } from '../../core/engagement/webhooks/signature.ts';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import type { WebProof } from '../../core/web-proof/verify.ts';
import {
  type CallbackWorld,
  type RawExchange,
  CALLBACK_SECRET as SECRET,
  startCallbackWorld,
} from '../support/callback-world.ts';
import { startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/wire.ts';

const stranger = createSecp256k1Signer(new Uint8Array(32).fill(8));
let world: CallbackWorld;
let made = 0;

beforeAll(async () => {
  world = await startCallbackWorld();
});

afterAll(() => world.close());

const ownAccount = (username: string, code: string) => ({
  target: '/api/v1/accounts/current_user/?edit=true',
  headers: [`x-credence-code: ${code}`],
  body: JSON.stringify({ user: { pk: '1', username }, status: 'ok' }),
});

it('refuses every call while no secret is configured, whatever it says', async () => {
  const without = await startInstance({ config: { services: ['engagement', 'web-prover'] } });
  for (const raw of ['{"requestId":', '{}', JSON.stringify({ requestId: 'x', presentationJson: {} }), '\u00ff']) {
    const { status, json } = await without.api.call('POST', '/web-proofs/callback', { raw, token: null });
    expect([status, json.error?.code, json.error?.details], raw).toEqual([501, 'NOT_SUPPORTED', undefined]);
  }
  await without.close();
});

describe('POST /web-proofs/callback', () => {
  it('links the account that the platform says is logged in', async () => {
    const heard: unknown[] = [];
    world.instance.credence.on('account.connected', ({ data }) => heard.push(data), { name: 'connections' });
    const { requestId, code } = await world.openRequest('proof-1', '@Ada');
    const answer = await world.post({ requestId, presentationJson: await world.proofOf(ownAccount('ada', code)) });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      data: {
        requestId,
        status: 'connected',
        socialAccount: {
          id: expect.any(Number),
          platform: 'instagram',
          platformUsername: 'ada',
          ownershipProven: true,
        },
      },
    });
    const accounts = await world.instance.api.call('GET', '/social-accounts?externalId=proof-1');
    expect(accounts.json.data).toMatchObject([
      { platformUsername: 'ada', ownershipProven: true, platformAccountId: '1' },
    ]);
    const own = { externalUserId: 'proof-1', username: 'ada', platformAccountId: '1', method: 'web_proof', requestId };
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([expect.objectContaining(own)]);
  });

  it('takes the whole payload of the client-side flow, presentation as JSON text, Standard Webhooks headers', async () => {
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
  });

  it('links the account that a blind proof shows, whatever headers it hides', async () => {
    const { requestId, code } = await world.openRequest('blind-1', 'ada');
    const { headers, ...exchange } = ownAccount('ada', code);
    const withCookie = { ...exchange, headers: [...headers, 'cookie: sessionid=s3cret'] };
    const presentationJson = await world.blindProofOf(withCookie, { hidden: 'sessionid=s3cret' });
    const answer = await world.post({ requestId, presentationJson });
    expect([answer.status, answer.json.data?.socialAccount]).toEqual([
      200,
      expect.objectContaining({ platformUsername: 'ada', ownershipProven: true }),
    ]);
  });

  it.each<[string, (exchange: RawExchange) => Promise<WebProof>]>([
    [
      'of another server name than the signed one',
      async (exchange) => {
        const proof = await world.blindProofOf(exchange);
        const data = Buffer.from(proof.data, 'hex');
        const signed = data.indexOf('credence.blind.v1');
        data.write('mallory', data.indexOf('www.ins', signed));
        return { ...proof, data: data.toString('hex') };
      },
    ],
    [
      'whose signed extension has another id',
      async (exchange) => {
        const proof = await world.blindProofOf(exchange);
        const data = Buffer.from(proof.data, 'hex');
        data.write('credence.blind.v2', data.indexOf('credence.blind.v1'));
        return { ...proof, data: data.toString('hex') };
      },
    ],
    ['of a notary that nobody trusts', (exchange) => world.blindProofOf(exchange, { signer: stranger })],
    [
      'of a session before the request',
      (exchange) => world.blindProofOf({ ...exchange, time: Math.floor(Date.now() / 1000) - 60 }),
    ],
    [
      'of another handle',
      (exchange) => world.blindProofOf({ ...exchange, body: exchange.body?.replace('ada', 'eve') ?? '' }),
    ],
    ['that hides a part of the answer', (exchange) => world.blindProofOf(exchange, { hidden: '"ok"' })],
  ])('refuses a blind proof %s', async (_what, make) => {
    const request = await world.openRequest(`blind-refused-${++made}`, 'ada');
    const presentationJson = await make(ownAccount('ada', request.code));
    const answer = await world.post({ requestId: request.requestId, presentationJson });
    expect([answer.status, answer.json.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
    const accounts = await world.instance.api.call('GET', `/social-accounts?externalId=blind-refused-${made}`);
    expect(accounts.json.data).toEqual([]);
  });

  it('links a profile page that shows the one-time code, and no page without it', async () => {
    const { requestId, code } = await world.openRequest('proof-3', 'grace.h');
    const page = (bio: string) => ({
      target: '/api/v1/users/web_profile_info/?username=grace.h',
      body: JSON.stringify({ data: { user: { id: '8', username: 'grace.h', biography: bio } } }),
    });
    const without = await world.post({ requestId, presentationJson: await world.proofOf(page('Compilers.')) });
    expect([without.status, without.json.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
    const shown = await world.post({ requestId, presentationJson: await world.proofOf(page(`Compilers. ${code}`)) });
    expect(shown.status).toBe(200);
  });

  it('uses a request once and a proof once', async () => {
    const first = await world.openRequest('replay-1', 'ada');
    const presentationJson = await world.proofOf(ownAccount('ada', first.code));
    const linked = await world.post({ requestId: first.requestId, presentationJson });
    expect(linked.status).toBe(200);
    const repeated = await world.post({ requestId: first.requestId, presentationJson });
    expect([repeated.status, repeated.json]).toEqual([200, linked.json]);
    const other = await world.proofOf(ownAccount('ada', first.code));
    expect((await world.post({ requestId: first.requestId, presentationJson: other })).status).toBe(409);
    const second = await world.openRequest('replay-2', 'ada');
    const again = await world.post({ requestId: second.requestId, presentationJson });
    expect([again.status, again.json.error?.code]).toEqual([409, 'CONFLICT']);
    const accounts = await world.instance.api.call('GET', '/social-accounts?externalId=replay-2');
    expect(accounts.json.data).toEqual([]);
  });

  it('refuses a missing, wrong or stale signature before it looks at the proof', async () => {
    const { requestId, code } = await world.openRequest('signed', 'ada');
    const body = { requestId, presentationJson: await world.proofOf(ownAccount('ada', code)) };
    const raw = JSON.stringify(body);
    const wrong = createHmac('sha256', 'whsec_other').update(raw).digest('base64');
    const stale = Math.floor(Date.now() / 1000) - 3600;
    const headers: Record<string, string>[] = [
      {},
      { 'x-service-signature': wrong },
      {
        'webhook-id': 'm',
        'webhook-timestamp': String(stale),
        'webhook-signature': standardSignature(SECRET, 'm', stale, raw),
      },
    ];
    for (const each of headers) expect((await world.post(body, each)).status).toBe(401);
  });

  it.each([
    ['no JSON', '{"requestId":'],
    ['no fields', '{}'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['no body', ''],
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
