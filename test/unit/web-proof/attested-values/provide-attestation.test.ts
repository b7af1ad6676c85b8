import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../../core/errors.ts';
import type { AttestQueries, Notary } from '../../../../core/ports/notary.ts';
import { AttestationError } from '../../../../core/web-proof/attested-values/attestation.ts';
import { valueClaim } from '../../../../core/web-proof/attested-values/claims.ts';
import {
  attestQueryValues,
  buildValuesExtension,
  openQueryValues,
  openValuesExtension,
} from '../../../../core/web-proof/attested-values/extension.ts';
import {
  createAttestQueries,
  createValuesExtensions,
} from '../../../../core/web-proof/attested-values/notary-extensions.ts';
import {
  createProvideAttestation,
  notaryKeyOf,
} from '../../../../core/web-proof/attested-values/provide-attestation.ts';
import { createValuesSigner } from '../../../../core/web-proof/attested-values/values-key.ts';
import type { VerifiedWebProof, WebProof } from '../../../../core/web-proof/verify.ts';
import { verifiedProof } from '../../../support/verified-proof.ts';

/** The key that signs the proofs of `verifiedProof`. */
const secretKey = new Uint8Array(32).fill(7);
const notaryKey = secp256k1.getPublicKey(secretKey, true);
const signer = createValuesSigner(secretKey);
const seed = new Uint8Array(32).fill(1);
const presentation: WebProof = { data: 'aa', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
const values = [{ kind: 'uint256' as const, text: '7' }];

const proofOf = () => verifiedProof({ host: 'a.test', target: '/x', body: '{"a":7}', time: 1_763_600_000 });
const factsOf = (proof: VerifiedWebProof) => ({ method: 'GET', url: proof.url, tlsTimestamp: proof.tlsTimestamp });
const extensionOf = (proof: VerifiedWebProof, change = {}) =>
  buildValuesExtension(signer, seed, { ...factsOf(proof), body: proof.response.content, ...change });

function notary(fingerprint: string, attestQueries?: AttestQueries): Notary {
  return {
    url: 'https://notary.test',
    fingerprint,
    notarize: () => Promise.reject(new Error('not asked for')),
    close: async () => {},
    ...(attestQueries && { attestQueries }),
  };
}

describe('the attestation of a statement', () => {
  /** Asks for the attestation of the value of one query. */
  async function provide(proof: VerifiedWebProof, notaries: readonly Notary[], evaluated: readonly string[] = []) {
    const facts = factsOf(proof);
    const queries = evaluated.length > 0 ? evaluated : ['a'];
    const statement = { presentation, facts, notaryKey, queries, values, journal: new Uint8Array() };
    const { signal } = new AbortController();
    const wanted = { proof, statement, evaluated, signal, caller: 'token:7' };
    return { signal, opened: await createProvideAttestation(notaries)(wanted) };
  }
  const failure = (message: string) => ({ code: 'PROOF_GENERATION_FAILED', message });
  const never = notary('f'.repeat(64), () => Promise.reject(new TypeError('asked')));

  it('is the one in the proof when it covers the values', async () => {
    const proof = await proofOf();
    const another = { id: Uint8Array.of(1), value: Uint8Array.of(2) };
    const { opened } = await provide({ ...proof, extensions: [another, extensionOf(proof)] }, [never]);
    expect(opened.tree.open(valueClaim('a', { kind: 'uint256', text: '7' }))).toBeDefined();
    expect(opened.attestation).toMatchObject({ seed, key: signer.publicKey, binding: signer.binding });
  });

  it('comes from the notary that signed the proof when something was evaluated', async () => {
    const proof = await proofOf();
    const asked: unknown[] = [];
    const attest: AttestQueries = async (...given) => {
      asked.push(given);
      return attestQueryValues(signer, seed, factsOf(proof), ['length(@)'], values);
    };
    const notaries = [notary('e'.repeat(64), never.attestQueries), notary('f'.repeat(64), attest)];
    for (const extensions of [[], [extensionOf(proof)]]) {
      asked.length = 0;
      const { opened, signal } = await provide({ ...proof, extensions }, notaries, ['length(@)']);
      expect(opened.tree.open(valueClaim('length(@)', { kind: 'uint256', text: '7' }))).toBeDefined();
      expect(asked).toEqual([[presentation, ['length(@)'], signal, 'token:7']]);
    }
  });

  it('comes from the notary also when the proof has none at all', async () => {
    const proof = await proofOf();
    const attest = async () => attestQueryValues(signer, seed, factsOf(proof), ['a'], values);
    const { opened } = await provide(proof, [notary('f'.repeat(64), attest)]);
    expect(opened.tree.open(valueClaim('a', { kind: 'uint256', text: '7' }))).toBeDefined();
  });

  it('is missing, with the reason, when no notary can be asked', async () => {
    const proof = await proofOf();
    const whom = 'and the notary that signed the web proof is not one that can be asked to attest values.';
    for (const notaries of [[], [notary('f'.repeat(64))], [notary('e'.repeat(64), never.attestQueries)]]) {
      await expect(provide(proof, notaries)).rejects.toMatchObject(
        failure(`The web proof has no signed values (credence.attested-values.v1), ${whom}`),
      );
      await expect(provide({ ...proof, extensions: [extensionOf(proof)] }, notaries, ['a."b'])).rejects.toMatchObject(
        failure(
          `The query "a.\\"b" is not the canonical path of one signed value, so it has to be evaluated by the notary, ${whom}`,
        ),
      );
    }
  });

  it('must hold', async () => {
    const proof = await proofOf();
    const extensions = [extensionOf(proof, { url: 'https://other.test/' })];
    const message = "The notary's attestation does not hold: the signed values are not those of the response.";
    await expect(provide({ ...proof, extensions }, [never])).rejects.toMatchObject(failure(message));
    const rubbish = notary('f'.repeat(64), async () => new Uint8Array(3));
    await expect(provide(proof, [rubbish])).rejects.toMatchObject(
      failure("The notary's attestation does not hold: the attestation of values has 3 bytes instead of 289."),
    );
    const forged = notary('f'.repeat(64), async () => attestQueryValues(signer, seed, factsOf(proof), ['b'], values));
    await expect(provide(proof, [forged])).rejects.toMatchObject(failure(message));
  });

  it.each(['INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR'] as const)(
    'fails when the notary answers %s',
    async (code) => {
      const cause = new DomainError(code, 'The notary is away.');
      const away = notary('f'.repeat(64), () => Promise.reject(cause));
      await expect(provide(await proofOf(), [away])).rejects.toMatchObject({
        ...failure('The notary is away.'),
        cause,
      });
    },
  );

  it('leaves other refusals and defects as they are', async () => {
    const busy = new DomainError('SERVICE_UNAVAILABLE', 'busy', { retryAfterSeconds: 2 });
    for (const reason of [new DomainError('INVALID_REQUEST', 'no JMESPath'), busy, new TypeError('a defect')]) {
      const refusing = notary('f'.repeat(64), () => Promise.reject(reason));
      await expect(provide(await proofOf(), [refusing])).rejects.toBe(reason);
    }
  });

  it('needs a notary on secp256k1; others have a key all the same', async () => {
    const proof = await proofOf();
    expect(notaryKeyOf(proof)).toEqual(notaryKey);
    const long = { id: 0, value: { algorithm: 1, data: secp256k1.getPublicKey(secretKey, false) } };
    const same = { ...proof.presentation, body: { ...proof.presentation.body, verifyingKey: long } };
    expect(notaryKeyOf({ ...proof, presentation: same })).toEqual(notaryKey);
    const key = { algorithm: 2, data: p256.getPublicKey(secretKey, false) };
    const body = { ...proof.presentation.body, verifyingKey: { id: 0, value: key } };
    const other = { ...proof, presentation: { ...proof.presentation, body } };
    expect(notaryKeyOf(other)).toEqual(p256.getPublicKey(secretKey, true));
    await expect(provide(other, [never])).rejects.toMatchObject(
      failure('The notary signs with another curve than secp256k1, which an Ethereum contract can check.'),
    );
  });
});

/** Counts what it hands out: 32 bytes of one, then of two … */
function countingRandom() {
  const lengths: number[] = [];
  const bytes = (length: number) => new Uint8Array(length).fill(lengths.push(length));
  return { bytes, lengths };
}

describe('what a notary adds to attestations', () => {
  it('is the values extension of what is revealed, under a fresh seed each time', async () => {
    const random = countingRandom();
    const extend = createValuesExtensions(signer, random);
    const { url, tlsTimestamp, response, transcript, serverName } = await proofOf();
    const shown = { method: 'GET', url, tlsTimestamp, serverName, status: 200, ...transcript };
    const exchange = { method: 'GET', url, tlsTimestamp, body: response.content };
    const seeds = [];
    for (let i = 0; i < 2; i++) {
      const extensions = await extend({ ...shown, responseBody: response.content });
      const opened = openValuesExtension(extensions, notaryKey, exchange);
      expect(opened?.tree.open(valueClaim('a', { kind: 'uint256', text: '7' }))).toBeDefined();
      seeds.push(opened?.attestation.seed);
    }
    expect(seeds[0]).not.toEqual(seeds[1]);
    expect(random.lengths).toEqual([32, 32, 32]);
  });
});

describe('a notary that attests queries', () => {
  const FINGERPRINT = 'f'.repeat(64);
  async function attest(queries: readonly string[], change: Partial<VerifiedWebProof> = {}, fingerprint = FINGERPRINT) {
    const proof = { ...(await proofOf()), ...change };
    const verified: WebProof[] = [];
    const make = createAttestQueries({
      signer,
      fingerprint,
      verify: async (webProof) => {
        verified.push(webProof);
        return proof;
      },
      evaluator: {
        evaluate: async (_document, asked) => asked.map(() => ({ ok: true, json: '"x"' })),
        close: async () => {},
      },
      random: countingRandom(),
    });
    return { proof, verified, outcome: make(presentation, queries) };
  }

  it('signs request and values of a proof that it has checked', async () => {
    const queries = ['a', 'length(@)', 'b', 'c', 'd', 'e', 'f', 'g'];
    const { proof, verified, outcome } = await attest(queries);
    const wanted = [{ kind: 'uint256' as const, text: '7' }, ...Array(7).fill({ kind: 'string', text: 'x' })];
    const opened = openQueryValues(await outcome, notaryKey, factsOf(proof), queries, wanted);
    expect(opened.attestation.seed).toEqual(new Uint8Array(32).fill(1));
    expect(verified).toEqual([presentation]);
    const other = { ...factsOf(proof), url: 'https://b.test/' };
    const bytes = await outcome;
    expect(() => openQueryValues(bytes, notaryKey, other, queries, wanted)).toThrow(AttestationError);
  });

  it.each([
    ['too many queries', Array(9).fill('a')],
    ['an empty query', ['a', '']],
  ])('refuses %s', async (_title, queries) => {
    const { outcome, verified } = await attest(queries);
    await expect(outcome).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'At most 8 queries, each well-formed and short enough.',
    });
    expect(verified).toEqual([]);
  });

  it('refuses proofs of other notaries, and those of which it cannot tell the URL', async () => {
    await expect((await attest(['a'], {}, 'e'.repeat(64))).outcome).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message: 'The web proof was signed by another notary.',
    });
    const proof = await proofOf();
    const key = { id: 0, value: { algorithm: 0, data: secp256k1.getPublicKey(new Uint8Array(32).fill(8), true) } };
    const another = { ...proof.presentation, body: { ...proof.presentation.body, verifyingKey: key } };
    for (const change of [
      {},
      { extensions: [extensionOf(proof, { url: 'https://other.test/x' })] },
      { extensions: [extensionOf(proof, { method: 'POST' })] },
      { extensions: [extensionOf(proof, { tlsTimestamp: 1 })] },
      { extensions: [extensionOf(proof, { body: null })] },
      { extensions: [extensionOf(proof), extensionOf(proof)] },
      { extensions: [{ ...extensionOf(proof), value: new Uint8Array(289) }] },
      { extensions: [extensionOf(proof)], url: 'https://other.test/x' },
      { extensions: [extensionOf(proof)], presentation: another },
    ]) {
      await expect((await attest(['a'], { hostConfirmed: false, ...change })).outcome).rejects.toMatchObject({
        code: 'PROOF_GENERATION_FAILED',
        message:
          'The web proof hides the Host header and has no signed values that confirm its URL, so that is not certain.',
      });
    }
  });

  it('takes its own signed values for a Host header that is hidden', async () => {
    const proof = await proofOf();
    const extensions = [extensionOf(proof)];
    const { outcome } = await attest(['length(@)'], { hostConfirmed: false, extensions });
    const wanted = [{ kind: 'string' as const, text: 'x' }];
    expect(openQueryValues(await outcome, notaryKey, factsOf(proof), ['length(@)'], wanted)).toBeDefined();
  });

  it('leaves defects as they are', async () => {
    const extensions = [{ ...extensionOf(await proofOf()), value: null as unknown as Uint8Array }];
    const { outcome } = await attest(['a'], { hostConfirmed: false, extensions });
    await expect(outcome).rejects.toBeInstanceOf(TypeError);
  });
});
