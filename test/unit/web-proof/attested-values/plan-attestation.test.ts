import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import type { AttestQueries, Notary } from '../../../../core/ports/notary.ts';
import { attestCommitments } from '../../../../core/web-proof/attested-values/attestation.ts';
import { queryCommitments } from '../../../../core/web-proof/attested-values/extension.ts';
import { createAttestQueries } from '../../../../core/web-proof/attested-values/notary-extensions.ts';
import { notaryKeyOf } from '../../../../core/web-proof/attested-values/notary-key.ts';
import { createPlanAttestation, type Delegate } from '../../../../core/web-proof/attested-values/plan-attestation.ts';
import { exchangeOf, requestFactsOf } from '../../../../core/web-proof/attested-values/sealable.ts';
import type { VerifiedWebProof, VerifyWebProof, WebProof } from '../../../../core/web-proof/verify.ts';
import { buildValuesExtension, delegate, notaryKey, seed, signer } from '../../../support/values-extension.ts';
import { verifiedProof } from '../../../support/verified-proof.ts';

const presentation: WebProof = { data: 'aa', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
const values = [{ kind: 'uint256' as const, text: '7' }];

const proofOf = () => verifiedProof({ host: 'a.test', target: '/x', body: '{"a":7}', time: 1_763_600_000 });
const extensionOf = (proof: VerifiedWebProof, change = {}) =>
  buildValuesExtension(signer, seed, { ...exchangeOf(proof), ...change });

function notary(fingerprint: string, attestQueries?: AttestQueries): Notary {
  return {
    url: 'https://notary.test',
    fingerprint,
    notarize: () => Promise.reject(new Error('not asked for')),
    close: async () => {},
    ...(attestQueries && { attestQueries }),
  };
}

interface Sources {
  readonly notaries?: readonly Notary[];
  readonly delegate?: Delegate;
}

describe('the attestation of a statement', () => {
  /** Plans the attestation of the value of one query, and asks for it. */
  async function provide(proof: VerifiedWebProof, sources: Sources = {}, evaluated: readonly string[] = []) {
    const queries = evaluated.length > 0 ? evaluated : ['a'];
    const plan = await createPlanAttestation({ notaries: [], ...sources })(proof, evaluated);
    const { signal } = new AbortController();
    const content = { presentation, facts: requestFactsOf(proof), queries, values };
    return { signal, plan, opened: await plan.attest(content, signal, 'token:7') };
  }
  const failure = (message: string) => ({ code: 'PROOF_GENERATION_FAILED', message });
  const refusal = (message: string) => ({ code: 'PROOF_NOT_SEALABLE', message });
  const own = 'f'.repeat(64);
  const never = notary(own, () => Promise.reject(new TypeError('asked')));
  const signed = async () => {
    const proof = await proofOf();
    return { ...proof, extensions: [extensionOf(proof)] };
  };

  it.each(['/x', '77', 'X'])('says that parts are hidden if the prover hid %s', async (hide) => {
    const proof = await verifiedProof({ host: 'a.test', target: '/x', body: '{"b":77}', reason: 'X', hide });
    const { plan } = await provide(proof, { delegate });
    expect(plan.attester).toMatchObject({ kind: 'delegate', partlyHidden: true });
  });

  it('comes from the delegate for a notary on another curve than contracts can check', async () => {
    const proof = await proofOf();
    const secretKey = new Uint8Array(32).fill(7);
    const key = { algorithm: 2, data: p256.getPublicKey(secretKey, false) };
    const body = { ...proof.presentation.body, verifyingKey: { id: 0, value: key } };
    const other = { ...proof, presentation: { ...proof.presentation, body } };
    expect(notaryKeyOf(other)).toEqual(p256.getPublicKey(secretKey, true));
    expect((await provide(other, { delegate })).plan.attesterKey).toEqual(delegate.publicKey);
    const long = { id: 0, value: { algorithm: 1, data: secp256k1.getPublicKey(secretKey, false) } };
    const same = { ...proof.presentation, body: { ...proof.presentation.body, verifyingKey: long } };
    expect(notaryKeyOf({ ...proof, presentation: same })).toEqual(notaryKey);
  });

  it('is refused, with the reason, when nobody may attest', async () => {
    const proof = await proofOf();
    const advice = `and its notary ${own} is not a trusted one. Add it to the trusted notaries (TRUSTED_NOTARIES_FILE) to have its proofs attested by this service.`;
    const other = { notaries: [notary('e'.repeat(64), never.attestQueries)], delegate };
    const untrusted = { ...proof, notaryTrusted: false };
    await expect(provide(untrusted, other)).rejects.toMatchObject(
      refusal(`The web proof has no signed values, ${advice}`),
    );
    await expect(provide({ ...(await signed()), notaryTrusted: false }, other, ['b'])).rejects.toMatchObject(
      refusal(`The query "b" is not the canonical path of one signed value, ${advice}`),
    );
    await expect(provide(proof)).rejects.toMatchObject(
      refusal('This service does not attest web proofs of other notaries.'),
    );
  });

  it('must hold', async () => {
    const proof = await proofOf();
    const extensions = [extensionOf(proof, { url: 'https://other.test/' })];
    const message = "The notary's attestation does not hold: the notary did not sign these values.";
    await expect(provide({ ...proof, extensions }, { notaries: [never] })).rejects.toMatchObject(failure(message));
    const rubbish = { notaries: [notary(own, async () => new Uint8Array(3))] };
    await expect(provide(await signed(), rubbish, ['b'])).rejects.toMatchObject(
      failure("The notary's attestation does not hold: the attestation of values has 3 bytes instead of 97."),
    );
    const other = queryCommitments({ facts: requestFactsOf(proof), queries: ['c'], values });
    const forged = notary(own, async () => attestCommitments(signer, seed, other));
    await expect(provide(await signed(), { notaries: [forged] }, ['b'])).rejects.toMatchObject(failure(message));
  });
});

describe('a notary that attests queries', () => {
  const attesting = (verify: VerifyWebProof) =>
    createAttestQueries({
      signer,
      fingerprint: 'f'.repeat(64),
      verify,
      evaluator: { evaluate: async () => [], close: async () => {} },
    });

  it('verifies in the turn of the caller, as long as that waits', async () => {
    const proof = await proofOf();
    const calls: unknown[] = [];
    const attest = attesting(async (_webProof, call) => {
      calls.push(call);
      return proof;
    });
    const { signal } = new AbortController();
    await expect(attest(presentation, ['a'], signal, 'token:7')).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
    });
    expect(calls).toEqual([{ caller: 'token:7', signal }]);
  });

  it('leaves defects as they are', async () => {
    const proof = await proofOf();
    const extensions = [{ ...extensionOf(proof), value: null as unknown as Uint8Array }];
    await expect(attesting(async () => ({ ...proof, extensions }))(presentation, ['a'])).rejects.toBeInstanceOf(
      TypeError,
    );
  });
});
