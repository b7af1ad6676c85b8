/** Web proofs of other notaries: attested by a delegate, accepted by a contract that believes it, and by no other. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hex, toHex, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import {
  type CompressedWebProof,
  compressRequestSchema,
  createCompress,
} from '../../core/web-proof/journal/compress.ts';
import type { WebProof } from '../../core/web-proof/verify.ts';
import { type LocalChain, startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import type { CompiledContract } from '../../hosts/demo/evm/solidity.ts';
import { setUpBlindNotary } from '../support/blind-notary.ts';
import { createFakeProver, createFakeVerifier } from '../support/fake-mpc.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { newFolder } from '../support/new-folder.ts';
import { createPatientProver, provingWith } from '../support/patient-prover.ts';
import { setUpProving } from '../support/proving.ts';
import { HAS_PUBLISHED_PROOFS, publishedProofs } from '../support/published-proofs.ts';
import {
  closeJournal,
  closeSeal,
  openJournal,
  openSeal,
  type SealParts,
  verifyArguments,
} from '../support/seal-parts.ts';
import { contractOf } from '../support/solidity.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../support/tls-origin.ts';

const CONTRACTS = new URL('../../contracts/', import.meta.url).pathname;
const BODY = '{"q":"price"}';
const TYPES = ['string'];

const authority = createAuthority();
const evaluator = createJmespathEvaluator();
const prover = createPatientProver();
/** The host: a notary with values of its own, and a delegate for others. */
const host = notaryKey(new Uint8Array(32).fill(7));
const signer = createValuesSigner(host.secretKey);
const foreign = notaryKey(new Uint8Array(32).fill(9));

type Deployed = CompiledContract & { readonly address: Hex };
let origin: TlsOrigin;
let chain: LocalChain;
let plain: Deployed;
let delegated: Deployed;
/** Of the other notary, hiding nothing. */
let whole: CompressedWebProof;
/** Of the host's own notary, for a request with a body. */
let own: CompressedWebProof;
/** Of a blind notary with the host's key, with a hidden value and a request with a body. */
let partlyHidden: CompressedWebProof;

async function deploy(name: string, args: readonly unknown[] = []): Promise<Deployed> {
  const contract = await contractOf(`${CONTRACTS}${name}.sol`, { optimized: false });
  return { ...contract, address: (await chain.deploy(contract, args)).address };
}

beforeAll(async () => {
  origin = await startOrigin(authority, { answer: jsonAnswer({ price: '3500.50', volume: 149, secret: 'pin-1234' }) });
  chain = await startLocalChain();
  const fingerprints = [`0x${host.fingerprint}`];
  [plain, delegated] = [await deploy('WebProofVerifier'), await deploy('DelegatedWebProofVerifier', [fingerprints])];

  const extensions = createValuesExtensions(signer);
  const ownNotary = setUpProving(authority, { key: host, attestationExtensions: extensions });
  // The other notary knows nothing of signed values.
  const otherNotary = setUpProving(authority, { key: foreign });
  const verify: typeof ownNotary.verify = async (proof) => ({
    ...(await ownNotary.verify(proof)),
    notaryTrusted: true,
  });
  const delegate = { publicKey: host.publicKey, signer };
  const compress = createCompress({ verify, evaluator, prover, notaries: [ownNotary.notary], delegate });
  const seal = async ({ prove }: typeof ownNotary, request: Record<string, unknown> = {}) => {
    const presentation = await prove({ url: origin.url('/v1/ticker'), ...request });
    const extraction = { 'response.body': { jmespath: ['price'] } };
    return compress(compressRequestSchema.parse({ presentation, extraction, acceptRequestBody: true }));
  };
  whole = await seal(otherNotary);
  own = await seal(ownNotary, { method: 'POST', body: BODY });
  await using blindNotary = await setUpBlindNotary(
    authority,
    { verifier: createFakeVerifier(), prover: () => createFakeProver(authority.root.pem) },
    {},
    new Uint8Array(host.secretKey),
  );
  const redaction = [{ response: { json_body: ['secret'] } }];
  const prove: typeof ownNotary.prove = (body) => blindNotary.prove(body);
  partlyHidden = await seal({ ...ownNotary, prove }, { method: 'POST', body: BODY, redaction });
}, 900_000);

afterAll(async () => {
  chain?.stop();
  await Promise.all([origin?.[Symbol.asyncDispose](), prover.close(), evaluator.close()]);
});

const call = ({ address, abi }: Deployed, name: string, args: readonly unknown[] = []) =>
  chain.read(address, abi, name, args);

interface Change {
  readonly guestId?: Hex;
  readonly members?: (members: unknown[]) => void;
  readonly parts?: Partial<SealParts>;
  readonly selectorOf?: Hex;
}

/** Verifies a seal on a contract, with parts of it changed. */
async function verify(contract: Deployed, seal: CompressedWebProof, change: Change = {}): Promise<unknown> {
  const members = openJournal(seal.journalDataAbi, TYPES);
  change.members?.(members);
  const journal = closeJournal(members, TYPES);
  const { selector, parts } = openSeal(seal.zkProof);
  const sealed = closeSeal((change.selectorOf?.slice(0, 10) as Hex | undefined) ?? selector, {
    ...parts,
    journal,
    ...change.parts,
  });
  return call(contract, 'verify', verifyArguments(sealed, change.guestId ?? seal.guestId, journal));
}

describe('a seal of a blind proof that hides parts', () => {
  it('is accepted only by a contract that accepts its notary as a delegate, and as one with hidden parts', async () => {
    const body = partlyHidden.requestBodyHash as Hex;
    await expect(verify(delegated, partlyHidden)).resolves.toBeUndefined();
    expect(await call(delegated, 'partlyHiddenGuestIdFor', [body])).toBe(partlyHidden.guestId);
    expect(openJournal(partlyHidden.journalDataAbi, TYPES).slice(0, 3)).toEqual([
      `0x${host.fingerprint}`,
      'POST',
      origin.url('/v1/ticker'),
    ]);
    await expect(verify(plain, partlyHidden)).rejects.toThrow();
  });
});

describe('a seal of a delegate', () => {
  it('is accepted in the name of the notary that signed the web proof', async () => {
    await expect(verify(delegated, whole)).resolves.toBeUndefined();
    expect(await call(delegated, 'GUEST_ID')).toBe(whole.guestId);
    const [fingerprint, method, url] = openJournal(whole.journalDataAbi, TYPES);
    expect([fingerprint, method, url]).toEqual([`0x${foreign.fingerprint}`, 'GET', origin.url('/v1/ticker')]);
    expect(await call(delegated, 'isDelegate', [`0x${host.fingerprint}`])).toBe(true);
    expect(await call(delegated, 'isDelegate', [`0x${foreign.fingerprint}`])).toBe(false);
  });

  it.each<[string, Change, string]>([
    ['another notary', { members: set(0, toHex(1n, { size: 32 })) }, 'InvalidProof'],
    ['the delegate itself for the notary', { members: set(0, `0x${host.fingerprint}`) }, 'InvalidProof'],
    ['another URL', { members: set(2, 'https://evil.example/') }, 'InvalidProof'],
    ['another value', { members: set(5, '1.00') }, 'InvalidProof'],
    ['a body', { parts: { requestBody: toHex(1n, { size: 32 }) } }, 'UnknownProgram'],
    ['no attester', { parts: { attesterKey: [0n, 0n] } }, 'UnknownDelegate'],
  ])('is not accepted with %s', async (_what, change, error) => {
    await expect(verify(delegated, whole, change)).rejects.toThrow(error);
  });

  it('is not accepted by a contract that believes others', async () => {
    const other = await deploy('DelegatedWebProofVerifier', [[`0x${foreign.fingerprint}`, toHex(1n, { size: 32 })]]);
    await expect(verify(other, whole)).rejects.toThrow('UnknownDelegate');
    await expect(deploy('DelegatedWebProofVerifier', [[]])).rejects.toThrow('NoDelegates');
  });

  it('is never one of a notary', async () => {
    const guestId = (await call(plain, 'GUEST_ID')) as Hex;
    await expect(verify(plain, whole)).rejects.toThrow('UnknownSelector');
    await expect(verify(plain, whole, { selectorOf: guestId })).rejects.toThrow('UnknownProgram');
    await expect(verify(plain, whole, { selectorOf: guestId, guestId })).rejects.toThrow('FingerprintMismatch');
    const inOwnName = { selectorOf: guestId, guestId, members: set(0, `0x${host.fingerprint}`) };
    await expect(verify(plain, whole, inOwnName)).rejects.toThrow('InvalidProof');
    await expect(verify(delegated, whole, { guestId })).rejects.toThrow('UnknownProgram');
  });

  it('says if parts of the web proof are hidden, by a guest id that a consumer has to name', async () => {
    const body = partlyHidden.requestBodyHash as Hex;
    await expect(verify(delegated, partlyHidden, { guestId: whole.guestId })).rejects.toThrow('UnknownProgram');
    const asWhole = (await call(delegated, 'guestIdFor', [body])) as Hex;
    await expect(verify(delegated, partlyHidden, { guestId: asWhole })).rejects.toThrow('InvalidProof');
    const asHidden = (await call(delegated, 'partlyHiddenGuestIdFor', [zeroHash])) as Hex;
    await expect(verify(delegated, whole, { guestId: asHidden })).rejects.toThrow('InvalidProof');
    const bodiless = { guestId: asHidden, parts: { requestBody: zeroHash } };
    await expect(verify(delegated, partlyHidden, bodiless)).rejects.toThrow('InvalidProof');
  });
});

describe('a seal of a notary', () => {
  it('is never one of a delegate, though the key is the same', async () => {
    await expect(verify(delegated, own)).rejects.toThrow('UnknownSelector');
    const body = own.requestBodyHash as Hex;
    for (const name of ['guestIdFor', 'partlyHiddenGuestIdFor']) {
      const guestId = (await call(delegated, name, [body])) as Hex;
      await expect(verify(delegated, own, { selectorOf: whole.guestId, guestId })).rejects.toThrow('InvalidProof');
    }
  });

  it('names the body of the request by its guest id', async () => {
    const body = own.requestBodyHash as Hex;
    await expect(verify(plain, own)).resolves.toBeUndefined();
    expect(await call(plain, 'guestIdFor', [body])).toBe(own.guestId);
    const guestId = (await call(plain, 'GUEST_ID')) as Hex;
    expect(await call(plain, 'guestIdFor', [zeroHash])).toBe(guestId);
    await expect(verify(plain, own, { guestId })).rejects.toThrow('UnknownProgram');
    await expect(verify(plain, own, { guestId, parts: { requestBody: zeroHash } })).rejects.toThrow('InvalidProof');
    const other = toHex(1n, { size: 32 });
    const another = { guestId: (await call(plain, 'guestIdFor', [other])) as Hex, parts: { requestBody: other } };
    await expect(verify(plain, own, another)).rejects.toThrow('InvalidProof');
  });
});

interface Vector {
  readonly presentation: WebProof;
  readonly expected: {
    readonly notaryKeyFingerprint: string;
    readonly tlsTimestamp: number;
    readonly request: { readonly headers: readonly string[] } | null;
  };
}

describe.runIf(HAS_PUBLISHED_PROOFS)('published proofs of other notaries', () => {
  const ROUTES = ['evm/compress-web-proof', 'fake/evm/compress-web-proof', 'debug/evm/journal-decode-helper'];
  const real = publishedProofs<Vector>('real');
  let trusting: TestInstance;
  let strict: TestInstance;

  beforeAll(async () => {
    const trustedNotaries = real.map(([, { expected }]) => ({ fingerprint: expected.notaryKeyFingerprint }));
    const config = { services: ['web-prover' as const, 'zk-prover' as const] };
    trusting = await startInstance({
      config: { ...config, trustedNotaries },
      options: { modules: [provingWith(prover)] },
    });
    strict = await startInstance({ config });
  });
  afterAll(() => Promise.all([trusting?.close(), strict?.close()]));

  const ask = async ({ api }: TestInstance, route: string, { presentation }: Vector) => {
    const answer = await api.call('POST', `/api/v2.0/${route}`, { body: { presentation } });
    return { status: answer.status, body: JSON.parse(answer.text) };
  };

  it.each(real)(
    '%s: sealed if trusted, refused in the same words by all routes if not',
    async (name, vector) => {
      const answers = [];
      // The real prover once: a proof is seconds of work.
      for (const route of name === real[0]?.[0] ? ROUTES : ROUTES.slice(1))
        answers.push(await ask(trusting, route, vector));
      const hidesHost = /^host: X+$/m.test((vector.expected.request?.headers ?? []).join('\n'));
      for (const { status, body } of answers) {
        expect(status, JSON.stringify(body)).toBe(hidesHost ? 422 : 200);
        if (hidesHost) expect(body.error.message).toContain('the Host header');
        else expect(body.data.journalDataAbi.slice(0, 66)).toBe(`0x${vector.expected.notaryKeyFingerprint}`);
      }
      const refusals = await Promise.all(ROUTES.map((route) => ask(strict, route, vector)));
      for (const { status, body } of refusals) {
        expect(status).toBe(422);
        expect(body.error.code).toBe('PROOF_NOT_SEALABLE');
        expect(body.error.message).toContain(hidesHost ? 'the Host header' : 'TRUSTED_NOTARIES_FILE');
      }
      expect(new Set(refusals.map(({ body }) => body.error.message)).size).toBe(1);
    },
    300_000,
  );
});

describe.runIf(HAS_PUBLISHED_PROOFS)('the trust in another notary', () => {
  const [, vector] =
    publishedProofs<Vector>('real').find(([, { expected }]) => expected.request?.headers.some(isShownHost)) ?? [];
  const path = join(newFolder(), 'notaries.json');
  let instance: TestInstance;

  beforeAll(async () => {
    writeFileSync(path, '[]');
    instance = await startInstance({
      config: { services: ['web-prover' as const, 'zk-prover' as const], trustedNotariesFile: path },
    });
  });
  afterAll(() => instance?.close());

  it('counts as the file says now, for the time of the session', async () => {
    if (vector === undefined) throw new Error('no published proof shows its Host');
    const { notaryKeyFingerprint: fingerprint, tlsTimestamp: time } = vector.expected;
    const body = { presentation: vector.presentation };
    const lists: readonly (readonly [list: unknown, status: number])[] = [
      [[{ fingerprint }], 200],
      [[{ fingerprint, validUntil: time }], 422],
      [[{ fingerprint, validFrom: time, validUntil: time + 1 }], 200],
      [[{ fingerprint, validFrom: time + 1 }], 422],
      [[{ fingerprint: host.fingerprint }], 422],
      [[{ fingerprint }], 200],
      [[], 422],
    ];
    for (const [list, status] of lists) {
      writeFileSync(path, JSON.stringify(list));
      for (const route of ['fake/evm/compress-web-proof', 'debug/evm/journal-decode-helper']) {
        const answer = await instance.api.call('POST', `/api/v2.0/${route}`, { body });
        expect(answer.status, `${route}: ${JSON.stringify(list)}: ${answer.text.slice(0, 300)}`).toBe(status);
      }
    }
    const sealed = await instance.api.call('POST', '/api/v2.0/evm/compress-web-proof', { body });
    expect([sealed.status, JSON.parse(sealed.text).error.code]).toEqual([422, 'PROOF_NOT_SEALABLE']);
  });
});

function isShownHost(line: string): boolean {
  return /^host: (?!X+$)/i.test(line);
}

function set(index: number, value: unknown): (members: unknown[]) => void {
  return (members) => {
    members[index] = value;
  };
}
