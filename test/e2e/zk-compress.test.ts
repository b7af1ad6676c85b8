/** Compressing proofs made over the wire: what is proven, what is attested, and what is refused and why. */

import { decodeAbiParameters, hexToBytes, keccak256, toHex } from 'viem';
import { afterAll, describe, expect, it } from 'vitest';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { type LocalNotaryOptions, notaryKey } from '../../adapters/local-notary/index.ts';
import { DomainError, ERROR_CATALOGUE, isDomainError } from '../../core/errors.ts';
import type { AttestQueries, Notary } from '../../core/ports/notary.ts';
import type { ProofStatement, ZkProver } from '../../core/ports/zk-prover.ts';
import { type OpenedAttestation, openAttestation } from '../../core/web-proof/attested-values/attestation.ts';
import { valueCommitment } from '../../core/web-proof/attested-values/commitments.ts';
import { queryCommitments } from '../../core/web-proof/attested-values/extension.ts';
import { createAttestQueries, createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import {
  compressRequestSchema,
  createCompress,
  createJournalDecodeHelper,
} from '../../core/web-proof/journal/compress.ts';
import type { WebProof } from '../../core/web-proof/verify.ts';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, jsonAnswer, type OriginOptions, startOrigin } from '../support/tls-origin.ts';

const authority = createAuthority();
const evaluator = createJmespathEvaluator();
const key = notaryKey(new Uint8Array(32).fill(7));
const signer = createValuesSigner(key.secretKey);
afterAll(() => evaluator.close());

/** Records what it is asked to prove and always asks for the attestation, as the real one does. */
function recordingProver(): ZkProver & { readonly asked: { statement: ProofStatement; opened: OpenedAttestation }[] } {
  const asked: { statement: ProofStatement; opened: OpenedAttestation }[] = [];
  return {
    asked,
    guestId: async () => `0x${'00'.repeat(32)}`,
    prove: async (statement) => {
      asked.push({ statement, opened: await statement.attestation() });
      return Uint8Array.of(1);
    },
    close: async () => undefined,
  };
}

interface Setting {
  readonly answer?: OriginOptions['answer'];
  readonly prove?: Record<string, unknown>;
  readonly notary?: Partial<LocalNotaryOptions>;
  /** Whether the notary can be asked to attest queries. */
  readonly reachable?: boolean;
  /** The notary is none of this service's. */
  readonly foreign?: boolean;
  readonly attestQueries?: AttestQueries;
  readonly acceptRequestBody?: boolean;
  readonly tamper?: (proof: WebProof) => WebProof;
}

const BODY = { price: '3500.50', n: 149, nested: { deep: [{ x: true }] }, empty: null, secret: 'pin-1234' };

const ordinary = { key, attestationExtensions: createValuesExtensions(signer) };
/** Of the tests that want no other one: each reads all roots. */
const ordinarySetup = setUpProving(authority, ordinary);

async function compress(queries: readonly string[] | undefined, setting: Setting = {}) {
  await using origin = await startOrigin(authority, { answer: setting.answer ?? jsonAnswer(BODY) });
  const { notary, prove, verify } = setting.notary
    ? setUpProving(authority, { ...ordinary, ...setting.notary })
    : ordinarySetup;
  const attest = createAttestQueries({ signer, fingerprint: key.fingerprint, verify, evaluator });
  const attestQueries = setting.attestQueries ?? attest;
  const notaries: Notary[] = setting.reachable === false ? [notary] : [{ ...notary, attestQueries }];
  if (setting.foreign === true) notaries.length = 0;
  const proof = await prove({ url: origin.url('/path?q=1'), ...setting.prove });
  const presentation = setting.tamper?.(proof) ?? proof;
  const extraction = queries === undefined ? {} : { extraction: { 'response.body': { jmespath: queries } } };
  const request = compressRequestSchema.parse({
    presentation,
    ...extraction,
    acceptRequestBody: setting.acceptRequestBody ?? false,
  });
  const prover = recordingProver();
  const compressed = await createCompress({ verify, evaluator, prover, notaries })(request);
  const help = await createJournalDecodeHelper({ verify, evaluator, notaries })(request);
  return { compressed, help, asked: prover.asked[0], url: origin.url('/path?q=1') };
}

const values = (outcome: Awaited<ReturnType<typeof compress>>) => outcome.help.journalValues.slice(5);

async function refusal(outcome: Promise<unknown>) {
  const error = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDomainError(error)) throw new Error('expected a DomainError', { cause: error });
  return { code: error.code, status: ERROR_CATALOGUE[error.code].status, message: error.message };
}

describe('compress', () => {
  it('gives seal and journal, and the helper the same journal', async () => {
    const { compressed, help, asked, url } = await compress(['price', 'n', 'nested.deep[0].x']);
    expect(compressed.zkProof).toBe('0x01');
    expect(help.journalDataAbi).toBe(compressed.journalDataAbi);
    expect(help.journalTypes.slice(5)).toEqual(['string', 'uint256', 'string']);
    expect(help.journalValues.slice(0, 3)).toEqual([`0x${key.fingerprint}`, '"GET"', JSON.stringify(url)]);
    expect(help.journalValues.slice(5)).toEqual(['"3500.50"', '149', '"true"']);
    const types = help.journalTypes.map((type) => ({ type }));
    expect(decodeAbiParameters(types, compressed.journalDataAbi)[6]).toBe(149n);
    expect(asked?.statement.journal).toEqual(hexToBytes(compressed.journalDataAbi));
    // Proven from the attestation: values that were not asked for are in the same tree.
    expect(asked?.opened.tree.open(valueCommitment('nested.deep[0].x', { kind: 'json', text: 'true' }))).toBeDefined();
  });

  it('needs no extraction', async () => {
    expect(values(await compress(undefined, { reachable: false }))).toEqual([]);
  });

  it.each([
    ['"price"', '"3500.50"'],
    ['length(price)', '7'],
    ['nested.deep[-1].x', '"true"'],
  ])('has the notary attest %s', async (query, value) => {
    const outcome = await compress([query, 'n']);
    expect(values(outcome)).toEqual([value, '149']);
    // A tree for this request: what was not asked for is not in it.
    expect(
      outcome.asked?.opened.tree.open(valueCommitment('price', { kind: 'string', text: '3500.50' })),
    ).toBeUndefined();
    expect(await refusal(compress([query], { reachable: false }))).toMatchObject({
      code: 'PROOF_NOT_SEALABLE',
      message: expect.stringContaining('not the canonical path'),
    });
  });

  it('has the notary attest values of a body with more of them than a tree holds', async () => {
    const answer = jsonAnswer(Array.from({ length: 800 }, (_, i) => i));
    expect(values(await compress(['[799]'], { answer }))).toEqual(['799']);
    expect(await refusal(compress(['[799]'], { answer, reachable: false }))).toMatchObject({ status: 422 });
  });

  it('refuses a proof without values that the notary signed when it saw the exchange', async () => {
    const notary = { attestationExtensions: () => [] };
    for (const reachable of [true, false]) {
      expect(await refusal(compress(['price'], { notary, reachable }))).toMatchObject({
        code: 'PROOF_NOT_SEALABLE',
        message: expect.stringContaining('no signed values'),
      });
    }
  });

  it('marks hidden bytes of the URL with what no URL has', async () => {
    const prove = { redaction: [{ request: { url_query: ['q'] } }] };
    const { help, url, asked } = await compress(['price', 'length(price)'], { prove });
    expect(help.journalValues[2]).toBe(JSON.stringify(url.replace('q=1', 'q=\ufffd')));
    expect(asked?.statement.facts.url).not.toContain('X');
  });

  it('names the hash of a request body, once the caller accepts it', async () => {
    const prove = { method: 'POST', body: '{"q":"price"}' };
    expect(await refusal(compress(['price'], { prove }))).toMatchObject({
      code: 'PROOF_NOT_SEALABLE',
      message: expect.stringContaining('acceptRequestBody'),
    });
    for (const query of ['price', 'length(price)']) {
      const { compressed } = await compress([query], { prove, acceptRequestBody: true });
      expect(compressed.requestBodyHash).toBe(keccak256(toHex('{"q":"price"}')));
    }
  });

  it('does not know hidden values, and reads around them', async () => {
    const prove = { redaction: [{ response: { json_body: ['secret', 'n'] } }] };
    expect(values(await compress(['price'], { prove, reachable: false }))).toEqual(['"3500.50"']);
    for (const query of ['secret', 'n']) {
      expect(await refusal(compress([query], { prove }))).toMatchObject({
        code: 'PROOF_GENERATION_FAILED',
        message: expect.stringContaining(`"${query}`),
      });
    }
    const { compressed } = await compress(['keys(@)'], { prove });
    expect(compressed.journalDataAbi).not.toContain(Buffer.from('pin-1234').toString('hex'));
  });
});

describe('a notary that fails', () => {
  it.each([
    ['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 503],
    ['INTERNAL_SERVER_ERROR', 'PROOF_GENERATION_FAILED', 500],
  ] as const)('with %s gives %s', async (code, answered, status) => {
    const message = 'The remote notary is away.';
    const attestQueries = () => Promise.reject(new DomainError(code, message));
    const outcome = compress(['length(price)'], { attestQueries });
    expect(await refusal(outcome)).toEqual({ code: answered, status, message });
  });

  it('with an attestation of something else is not believed', async () => {
    const attestQueries = async () => new Uint8Array(289);
    expect(await refusal(compress(['length(price)'], { attestQueries }))).toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message: expect.stringContaining('does not hold'),
    });
  });
});

describe('the notary', () => {
  it('attests a URL whose Host is hidden, since it signed the server', async () => {
    const prove = { redaction: [{ request: { headers: ['Host'] } }] };
    await using origin = await startOrigin(authority, { answer: jsonAnswer(BODY) });
    const attestationExtensions = createValuesExtensions(signer);
    const { verify, prove: notarize } = setUpProving(authority, { key, attestationExtensions });
    const proof = await notarize({ url: origin.url('/'), ...prove });
    const attest = createAttestQueries({ signer, fingerprint: key.fingerprint, verify, evaluator });
    const bytes = await attest(proof, ['price']);
    const facts = { method: 'GET', url: origin.url('/'), tlsTimestamp: (await verify(proof)).tlsTimestamp };
    const values = [{ kind: 'string' as const, text: BODY.price }];
    const commitments = queryCommitments({ facts, queries: ['price'], values });
    expect(openAttestation(bytes, key.publicKey, commitments)).toBeDefined();
  });

  it('attests no values of a proof in which it signed none', async () => {
    await using origin = await startOrigin(authority, { answer: jsonAnswer(BODY) });
    const { verify, prove } = setUpProving(authority, { key });
    const attest = createAttestQueries({ signer, fingerprint: key.fingerprint, verify, evaluator });
    for (const redaction of [[], [{ request: { headers: ['Host'] } }]]) {
      const proof = await prove({ url: origin.url('/'), redaction });
      await expect(attest(proof, ['price'])).rejects.toThrow('no values signed by this notary');
    }
  });

  it("attests nothing about another notary's proof, and no queries beyond the limits", async () => {
    await using origin = await startOrigin(authority, { answer: jsonAnswer(BODY) });
    const { verify, prove } = setUpProving(authority, { key: notaryKey(new Uint8Array(32).fill(9)) });
    const proof = await prove({ url: origin.url('/') });
    const attest = createAttestQueries({ signer, fingerprint: key.fingerprint, verify, evaluator });
    await expect(attest(proof, ['price'])).rejects.toThrow('another notary');
    await expect(attest(proof, new Array<string>(9).fill('a'))).rejects.toThrow('queries');
    await expect(attest(proof, ['aresponse.bodyjmespathb'])).rejects.toThrow('queries');
  });
});
