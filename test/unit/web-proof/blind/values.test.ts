import { afterAll, describe, expect, it } from 'vitest';
import { openAttestation } from '../../../../core/web-proof/attested-values/attestation.ts';
import { queryCommitments } from '../../../../core/web-proof/attested-values/extension.ts';
import { notaryKeyOf } from '../../../../core/web-proof/attested-values/notary-key.ts';
import { createPlanAttestation } from '../../../../core/web-proof/attested-values/plan-attestation.ts';
import { BY_NOTARY, programId } from '../../../../core/web-proof/attested-values/program.ts';
import { requestFactsOf, unsealableReason } from '../../../../core/web-proof/attested-values/sealable.ts';
import { hasSignedValues } from '../../../../core/web-proof/attested-values/signed-values.ts';
import { blindExtension, notarizationOf } from '../../../../core/web-proof/blind-extension.ts';
import { serverExtension } from '../../../../core/web-proof/host-binding.ts';
import type { VerifiedWebProof, WebProof } from '../../../../core/web-proof/verify.ts';
import { setUpBlindNotary } from '../../../support/blind-notary.ts';
import { createFakeProver, createFakeVerifier } from '../../../support/fake-mpc.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../../../support/tls-origin.ts';

const authority = createAuthority();
const SECRET = [{ response: { json_body: ['secret'] } }];
const HEADER = { headers: ['X-Key: s3cret-t0ken'], redaction: [{ request: { headers: ['x-key'] } }] };

const origin = await startOrigin(authority, { answer: jsonAnswer({ secret: 'hidden-from-all', n: 1 }) });
const prover = () => createFakeProver(authority.root.pem);
const notary = await setUpBlindNotary(authority, { verifier: createFakeVerifier(), prover });
const client = notary.client();

afterAll(async () => {
  await Promise.all([notary[Symbol.asyncDispose](), origin[Symbol.asyncDispose]()]);
});

async function proven(body: object): Promise<{ proof: WebProof; verified: VerifiedWebProof }> {
  const proof = await notary.prove({ url: origin.url('/'), ...body }, client);
  return { proof, verified: await notary.verify(proof) };
}

const planOf = (verified: VerifiedWebProof) => createPlanAttestation({ notaries: [client] })(verified, []);

describe('a blind proof', () => {
  it.each([
    ['a part of the answer', { redaction: SECRET }],
    ['a header of the request', HEADER],
  ])('that hides %s is sealed under the guest id of partly hidden proofs only', async (_what, body) => {
    const { verified } = await proven(body);
    expect(hasSignedValues(verified)).toBe(true);
    const { attester } = await planOf(verified);
    expect(attester).toMatchObject({ kind: 'delegate', partlyHidden: true });
    expect(programId('0x12', attester)).not.toBe(programId('0x12', BY_NOTARY));
    // The extension does not open as one of an exchange that the notary saw whole.
    expect(hasSignedValues({ ...verified, notarization: 'attesting' })).toBe(false);
  });

  it('whose answer ends with the connection is not sealed: its prover could have ended it early', async () => {
    const text = '{"n":1}';
    const answers = [`Content-Length: ${text.length}\r\n\r\n${text}`, `\r\n${text}`];
    const outcomes = [];
    for (const answer of answers) {
      await using server = await startOrigin(authority, { answer: `HTTP/1.1 200 OK\r\n${answer}` });
      const verified = await notary.verify(await notary.prove({ url: server.url('/') }, client));
      const reason = unsealableReason(verified);
      outcomes.push({ reason, attester: (await planOf(verified)).attester, signed: hasSignedValues(verified) });
      // An attesting notary read the answer up to the end of the session.
      expect(unsealableReason({ ...verified, notarization: 'attesting' })).toBeNull();
    }
    expect(outcomes).toEqual([
      { reason: null, attester: BY_NOTARY, signed: true },
      {
        reason: 'The response declares no length, so the prover of this web proof could have ended it early',
        attester: { kind: 'notary', sealable: false },
        signed: true,
      },
    ]);
  });

  it('has queries attested by its notary, as of a proof with hidden parts', async () => {
    const { proof, verified } = await proven({ redaction: SECRET });
    const attested = await client.attestQueries?.(proof, ['n']);
    const values = [{ kind: 'uint256', text: '1' }] as const;
    const content = { facts: requestFactsOf(verified), queries: ['n'], values } as const;
    const open = (attester = BY_NOTARY) =>
      openAttestation(attested ?? new Uint8Array(), notaryKeyOf(verified), queryCommitments(content, attester));
    expect(open((await planOf(verified)).attester)).toBeDefined();
    expect(() => open()).toThrow();
  });

  it('is not one of an attesting notary, and no attestation says both', () => {
    const [blind, attesting] = [blindExtension('a.test'), serverExtension({ name: 'a.test', port: 443 })];
    expect([[blind], [attesting], []].map(notarizationOf)).toEqual(['blind', 'attesting', null]);
    expect(() => notarizationOf([blind, attesting])).toThrow(/saw the request, and that it did not/);
    expect(() => notarizationOf([blind, blind])).toThrow(/more than one server/);
    expect(() => notarizationOf([blindExtension('A.test')])).toThrow(/not a name/);
  });
});
