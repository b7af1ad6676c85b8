import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceSignature, standardSignature } from '../../core/engagement/webhooks/signature.ts';
import { notaryKeyFingerprint } from '../../core/web-proof/tlsnotary/verify-attestation.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { neighboursOf } from '../support/neighbours.ts';
import { testSigner, wholeProof } from '../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../support/test-ca.ts';
import { sendRaw } from '../support/wire.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const root = issueRoot();
const leaf = issueLeaf(root, ['www.instagram.com', 'www.tiktok.com']);
const encoder = new TextEncoder();

let instance: TestInstance;
let seed = 1;

beforeAll(async () => {
  instance = await startInstance({
    config: {
      services: ['engagement', 'web-prover'],
      extraRoots: [root.pem],
      notary: { key: { secret: new Uint8Array(32).fill(9) } },
      trustedNotaries: [{ fingerprint: notaryKeyFingerprint(testSigner.verifyingKey) }],
      webProofCallback: { secret: SECRET },
    },
  });
});

afterAll(() => instance.close());

interface ProofOptions {
  readonly host?: string;
  readonly target?: string;
  readonly body?: string;
  readonly status?: string;
  readonly time?: number;
  /** Sent with the request as the connect page says. */
  readonly code?: string;
}

/** A proof of one GET, signed by a notary that the instance trusts. */
async function proofOf(options: ProofOptions) {
  const { host = 'www.instagram.com', target = '/', body = '{}', status = '200 OK', time, code } = options;
  const header = code === undefined ? '' : `x-credence-code: ${code}\r\n`;
  const sent = encoder.encode(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n${header}connection: close\r\n\r\n`);
  const length = encoder.encode(body).length;
  const received = encoder.encode(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
  return wholeProof({ ...(time === undefined ? {} : { time }), serverName: host, leaf, sent, received, seed: seed++ });
}

async function openRequest(externalId: string, handle?: string, platform = 'instagram') {
  const body = { platform, externalId, ...(handle ? { inputs: { handle } } : {}) };
  const { json } = await instance.api.call('POST', '/social-accounts/connect', { body });
  const requestId = String(json.data?.requestId);
  const page = await fetch(String(json.data?.redirectUrl));
  const code = /credence-[a-z0-9]+/.exec(await page.text())?.[0] ?? 'no code';
  return { requestId, code };
}

function post(body: unknown, headers?: Record<string, string>) {
  const raw = JSON.stringify(body);
  return instance.api.call('POST', '/web-proofs/callback', {
    raw,
    token: null,
    headers: headers ?? { 'x-service-signature': serviceSignature(SECRET, raw) },
  });
}

const ownAccount = (username: string, code: string) => ({
  target: '/api/v1/accounts/current_user/?edit=true',
  body: JSON.stringify({ user: { pk: '1', username }, status: 'ok' }),
  code,
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
    const { requestId, code } = await openRequest('proof-1', '@Ada');
    const answer = await post({ requestId, presentationJson: await proofOf(ownAccount('ada', code)) });
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
    const accounts = await instance.api.call('GET', '/social-accounts?externalId=proof-1');
    expect(accounts.json.data).toMatchObject([
      { platformUsername: 'ada', ownershipProven: true, platformAccountId: '1' },
    ]);
  });

  it('takes the whole payload of the client-side flow, presentation as JSON text, Standard Webhooks headers', async () => {
    const { requestId, code } = await openRequest('proof-2', undefined, 'tiktok');
    const presentation = await proofOf({
      host: 'www.tiktok.com',
      target: `/passport/web/account/info/?credence_code=${code}`,
      body: '{"data":{"user_id":6812345678901234567,"username":"dana.moves"}}',
    });
    const raw = JSON.stringify({
      requestId,
      dataSourceId: 'x',
      outputs: {},
      webProofs: [{ outputs: {}, presentationJson: JSON.stringify(presentation) }],
    });
    const seconds = Math.floor(Date.now() / 1000);
    const answer = await instance.api.call('POST', '/web-proofs/callback', {
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

  it('links a profile page that shows the one-time code, and no page without it', async () => {
    const { requestId, code } = await openRequest('proof-3', 'grace.h');
    const page = (bio: string) => ({
      target: '/api/v1/users/web_profile_info/?username=grace.h',
      body: JSON.stringify({ data: { user: { id: '8', username: 'grace.h', biography: bio } } }),
    });
    const without = await post({ requestId, presentationJson: await proofOf(page('Compilers.')) });
    expect([without.status, without.json.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
    const shown = await post({ requestId, presentationJson: await proofOf(page(`Compilers. ${code}`)) });
    expect(shown.status).toBe(200);
  });

  it.each<[string, (code: string) => ProofOptions]>([
    ['another handle', (code) => ownAccount('mallory', code)],
    ['another site', (code) => ({ ...ownAccount('ada', code), host: 'www.tiktok.com' })],
    ['an error answer', (code) => ({ ...ownAccount('ada', code), status: '401 Unauthorized' })],
    ['another endpoint', (code) => ({ ...ownAccount('ada', code), target: '/api/v1/users/1/info/' })],
    ['another request', () => ownAccount('ada', 'credence-aaaaaaaaaa')],
    [
      'a session before the request',
      (code) => ({ ...ownAccount('ada', code), time: Math.floor(Date.now() / 1000) - 60 }),
    ],
  ])('refuses a proof of %s', async (_what, options) => {
    const { requestId, code } = await openRequest(`refused-${seed}`, 'ada');
    const answer = await post({ requestId, presentationJson: await proofOf(options(code)) });
    expect([answer.status, answer.json.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
  });

  it('uses a request once and a proof once', async () => {
    const first = await openRequest('replay-1', 'ada');
    const presentationJson = await proofOf(ownAccount('ada', first.code));
    const linked = await post({ requestId: first.requestId, presentationJson });
    expect(linked.status).toBe(200);
    const repeated = await post({ requestId: first.requestId, presentationJson });
    expect([repeated.status, repeated.json]).toEqual([200, linked.json]);
    const other = await proofOf(ownAccount('ada', first.code));
    expect((await post({ requestId: first.requestId, presentationJson: other })).status).toBe(409);
    const second = await openRequest('replay-2', 'ada');
    const again = await post({ requestId: second.requestId, presentationJson });
    expect([again.status, again.json.error?.code]).toEqual([409, 'CONFLICT']);
    const accounts = await instance.api.call('GET', '/social-accounts?externalId=replay-2');
    expect(accounts.json.data).toEqual([]);
  });

  it('refuses a missing, wrong or stale signature before it looks at the proof', async () => {
    const { requestId, code } = await openRequest('signed', 'ada');
    const body = { requestId, presentationJson: await proofOf(ownAccount('ada', code)) };
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
    for (const each of headers) expect((await post(body, each)).status).toBe(401);
  });

  it.each([
    ['no JSON', '{"requestId":'],
    ['no fields', '{}'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['no body', ''],
  ])('tells only who has signed it that it is wrong: %s', async (_what, raw) => {
    const call = (signature?: string) =>
      sendRaw(instance.baseUrl, {
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

  it('refuses every signature that is almost right, and then takes the right one', async () => {
    const { requestId, code } = await openRequest('nearly', 'ada');
    const body = { requestId, presentationJson: await proofOf(ownAccount('ada', code)) };
    const raw = JSON.stringify(body);
    const id = 'msg_nearly';
    const seconds = Math.floor(Date.now() / 1000);
    const own = (signature: string) => ({ 'x-service-signature': signature });
    const standard = (signature: string) => ({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    });
    const right = { own: serviceSignature(SECRET, raw), standard: standardSignature(SECRET, id, seconds, raw) };
    const near = [...neighboursOf(right.own).map(own), ...neighboursOf(right.standard).map(standard)];
    for (const headers of near) expect((await post(body, headers)).status, JSON.stringify(headers)).toBe(401);
    expect((await post(body, standard(right.standard))).status).toBe(200);
  });

  it('refuses what is no presentation, and a request that does not exist', async () => {
    const { requestId, code } = await openRequest('malformed', 'ada');
    const proof = await proofOf(ownAccount('ada', code));
    const cut = await post({ requestId, presentationJson: { ...proof, data: proof.data.slice(0, -2) } });
    expect([cut.status, cut.json.error?.code]).toEqual([400, 'INVALID_PRESENTATION']);
    expect((await post({ requestId })).status).toBe(400);
    expect((await post({ requestId: 'f'.repeat(48), presentationJson: proof })).status).toBe(404);
  });
});
