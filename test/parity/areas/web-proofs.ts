import { expect } from 'vitest';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import type { JsonValue } from '../../support/client.ts';
import { expectKeys } from '../fixtures.ts';
import { CALLBACK_SECRET } from '../proof-world.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

const TRANSCRIPT_KEYS =
  'serverDomain hostConfirmed notaryKeyFingerprint notaryTrusted notarization tlsTimestamp request response';

/** Prove, verify, compress: any token is good there, the envelope is v2's or v1's. */
export async function webProofs(stage: Stage, { proofs }: ParityWorld): Promise<void> {
  const as = 'creator';
  const redaction = [{ request: { url_query: ['token'] } }, { response: { json_body: ['user.email'] } }];
  const proved = await stage.ok(200, 'prove', { as, body: { url: proofs.url, redaction } });
  expectKeys(proved, 'apiVersion success data');
  expectKeys(proved.data, 'data version meta');
  const proof = proved.data as JsonValue;
  for (const body of [
    {},
    { url: 'http://localhost/' },
    { url: proofs.url, unknown: true },
    { url: proofs.url, method: 'FETCH' },
    { url: proofs.url, headers: ['host: other.example'] },
    { url: proofs.url, redaction: [{ response: { json_body: ['a..b'] } }] },
    { url: 'https://10.0.0.1/' },
  ]) {
    const refused = await stage.send('prove', { as, body });
    expect(refused.status, refused.text).toBe(400);
    expectKeys(refused.json, 'apiVersion success error');
    expectKeys(refused.json.error, 'code message');
  }

  const verified = await stage.ok(200, 'verify', { as, body: proof });
  expectKeys(verified.data, TRANSCRIPT_KEYS);
  expectKeys(verified.data?.request, 'method url version headers body raw');
  expectKeys(verified.data?.response, 'status version headers body raw');
  expect(verified.data).toMatchObject({
    serverDomain: 'localhost',
    hostConfirmed: true,
    notaryTrusted: true,
    response: { status: 200 },
  });
  expect(JSON.stringify(verified)).not.toContain('hidden-token');
  const broken = { ...proof, data: 'abcd' };
  await stage.refuse('INVALID_PRESENTATION', 'verify', { as, body: broken });
  await stage.refuse('INVALID_REQUEST', 'verify', { as, body: { ...proof, more: 1 } });
  const flipped = { ...proof, data: flipLastDigit(String(proof.data)) };
  const untrue = await stage.send('verify', { as, body: flipped });
  expect(untrue.status).toBeGreaterThanOrEqual(400);

  const flat = await stage.ok(200, 'verifyV1', {
    as,
    body: {
      ...proof,
      unknown: true,
      meta: { notaryUrl: 'https://notary.test', mode: 'proxy', warnings: 'none', more: 1 },
    },
    headers: { 'x-client-id': 'anyone' },
  });
  expectKeys(flat, 'success serverDomain hostConfirmed notaryKeyFingerprint notaryTrusted request response');
  expect(flat).toMatchObject({ hostConfirmed: true, notaryTrusted: true });
  const flatRefusal = await stage.send('verifyV1', { as, body: broken });
  expect([flatRefusal.status, Object.keys(flatRefusal.json)]).toEqual([400, ['success', 'error']]);

  const batch = await stage.ok(200, 'verifyBatch', { as, body: { proofs: [{ ...proof, id: 'good' }, broken] } });
  const [good, bad] = Object.values(batch.data?.results ?? {});
  expectKeys(good, 'index id success data');
  expectKeys(bad, 'index success error');
  expect([good?.success, bad?.success]).toEqual([true, false]);
  await stage.refuse('INVALID_REQUEST', 'verifyBatch', { as, body: { proofs: [] } });

  const compress = (...jmespath: readonly string[]) =>
    ({
      as,
      body: { presentation: proof, extraction: { 'response.body': { jmespath } } },
    }) as const;
  const missing = (await stage.ok(200, 'prove', { as, body: { url: proofs.missingUrl } })).data as JsonValue;
  await stage.ok(200, 'prove', { as, body: { url: proofs.url, body: null } });
  const posted = { url: proofs.url, method: 'POST', body: '{"id":42}' };
  const withBody = (await stage.ok(200, 'prove', { as, body: posted })).data as JsonValue;
  for (const id of ['compressWebProof', 'compressWebProofFake', 'journalDecodeHelper']) {
    const done = await stage.ok(200, id, compress('user.id'));
    expectKeys(done, 'apiVersion success data');
    const seals = id !== 'journalDecodeHelper';
    if (seals) expectKeys(done.data, 'zkProof journalDataAbi guestId details');
    await stage.refuse('PROOF_NOT_SEALABLE', id, { as, body: { presentation: missing } });
    await stage.refuse('PROOF_NOT_SEALABLE', id, { as, body: { presentation: withBody } });
    const accepted = await stage.ok(200, id, { as, body: { presentation: withBody, acceptRequestBody: true } });
    if (seals) expectKeys(accepted.data, 'zkProof journalDataAbi guestId requestBodyHash details');
    await stage.refuse('PROOF_GENERATION_FAILED', id, compress('user.email'));
    await stage.refuse('INVALID_REQUEST', id, { as, body: { presentation: proof, more: 1 } });
    await stage.refuse('PROOF_GENERATION_FAILED', id, {
      as,
      body: { ...compress('user.id').body, presentation: broken },
    });
  }
  await stage.ok(200, 'readGuestId', { as });
  await stage.refuse('NOT_IMPLEMENTED', 'verifyZkProof', { as });
  await stage.refuse('NOT_IMPLEMENTED', 'verifyZkProofFake', { as });

  const notarized = await stage.ok(200, 'notarize', { as, body: { url: proofs.url, method: 'GET', headers: [] } });
  expectKeys(notarized.data, 'data version meta');
  await stage.refuse('INVALID_REQUEST', 'notarize', { as, body: { url: 'nonsense' } });
  await stage.ok(200, 'attestQueries', { as, body: { webProof: proof, queries: ['user.id'] } });
  await stage.refuse('PROOF_NOT_SEALABLE', 'attestQueries', { as, body: { webProof: missing, queries: ['user.id'] } });
  await stage.refuse('INVALID_REQUEST', 'attestQueries', { as, body: { webProof: proof } });

  const usage = (await stage.ok(200, 'readUsage', { as })).data;
  expectKeys(usage?.webProofs, 'proofs verifications compressions');
}

/** A web proof of the own account links it, when the sender signed the call. */
export async function webProofCallback(stage: Stage, { proofs }: ParityWorld): Promise<void> {
  const started = await stage.ok(201, 'connectSocialAccount', {
    body: { platform: 'instagram', externalId: 'c-proof', inputs: { handle: 'proven.one' } },
  });
  const requestId = String(started.data?.requestId);
  const code = String(started.data?.webProof?.code);
  const call = (body: object, signature?: string) => {
    const raw = JSON.stringify(body);
    const headers = { 'x-service-signature': signature ?? serviceSignature(CALLBACK_SECRET, raw) };
    return { as: null, raw, headers } as const;
  };
  const body = { requestId, presentationJson: await proofs.ownAccount('proven.one', code) };
  await stage.refuse('UNAUTHORIZED', 'webProofCallback', call(body, 'forged'));
  await stage.refuse('UNAUTHORIZED', 'webProofCallback', { as: 'admin', body });
  await stage.refuse('UNAUTHORIZED', 'webProofCallback', call({}, 'forged'));
  await stage.refuse('UNAUTHORIZED', 'webProofCallback', { as: null, raw: '{"requestId":' });
  await stage.refuse('INVALID_REQUEST', 'webProofCallback', call({ requestId }));
  await stage.refuse('NOT_FOUND', 'webProofCallback', call({ ...body, requestId: 'f'.repeat(48) }));
  const other = { requestId, presentationJson: await proofs.ownAccount('someone.else', code) };
  await stage.refuse('VALIDATION_ERROR', 'webProofCallback', call(other));
  const linked = await stage.ok(200, 'webProofCallback', call(body));
  expectKeys(linked.data, 'requestId status socialAccount');
  expect(linked.data?.socialAccount).toMatchObject({ platformUsername: 'proven.one', ownershipProven: true });
  expect(await stage.ok(200, 'webProofCallback', call(body))).toEqual(linked);
  await stage.refuse(
    'CONFLICT',
    'webProofCallback',
    call({ ...body, presentationJson: await proofs.ownAccount('proven.one', code) }),
  );
}

function flipLastDigit(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');
}
