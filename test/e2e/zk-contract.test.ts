/** From an HTTPS origin over the wire to a contract on a real EVM, and what the contract refuses. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  type Abi,
  bytesToHex,
  concat,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  sha256,
  toFunctionSelector,
  toHex,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProver } from '../../adapters/fake-prover/index.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { createAttestQueries, createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { FIELD_ORDER } from '../../core/web-proof/attested-values/poseidon.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import {
  type CompressedWebProof,
  compressRequestSchema,
  createCompress,
} from '../../core/web-proof/journal/compress.ts';
import { type LocalChain, startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import type { CompiledContract } from '../../hosts/demo/evm/solidity.ts';
import { createPatientProver } from '../support/patient-prover.ts';
import { setUpProving } from '../support/proving.ts';
import {
  closeJournal,
  closeSeal,
  hashOfQueries,
  openJournal,
  openSeal,
  type SealParts,
  verifyArguments,
} from '../support/seal-parts.ts';
import { contractOf } from '../support/solidity.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../support/tls-origin.ts';

const CONTRACTS = new URL('../../contracts/', import.meta.url).pathname;
const CURVE_PRIME = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const QUERIES = ['price', 'volume', 'pair.base'];
const FULL_QUERIES = [
  'price',
  'length(price)',
  'pair',
  'pair.open',
  'pair."base"',
  'volume',
  'keys(@) | length(@)',
  "join('-', [pair.base, price])",
];
const TYPES = ['string', 'uint256', 'string'];
const BODY = { price: '3500.50', volume: 149, pair: { base: 'ETH', open: true }, secret: 'hidden from the chain' };

const authority = createAuthority();
const evaluator = createJmespathEvaluator();
const prover = createPatientProver();

function operator(seed: number) {
  const key = notaryKey(new Uint8Array(32).fill(seed));
  const signer = createValuesSigner(key.secretKey);
  const setup = setUpProving(authority, { key, attestationExtensions: createValuesExtensions(signer) });
  const attestQueries = createAttestQueries({ signer, fingerprint: key.fingerprint, verify: setup.verify, evaluator });
  const notary = { ...setup.notary, attestQueries };
  const compressWith = async (
    zkProver: ZkProver,
    target: TlsOrigin,
    queries: readonly string[],
    path = '/v1/ticker?symbol=ETH',
  ): Promise<CompressedWebProof> => {
    const redaction = [{ response: { json_body: ['secret'] } }];
    const presentation = await setup.prove({ url: target.url(path), redaction });
    const compress = createCompress({ verify: setup.verify, evaluator, prover: zkProver, notaries: [notary] });
    return compress(
      compressRequestSchema.parse({ presentation, extraction: { 'response.body': { jmespath: queries } } }),
    );
  };
  return {
    key,
    signer,
    compressWith,
    compress: (target: TlsOrigin, queries: readonly string[], path?: string) =>
      compressWith(prover, target, queries, path),
  };
}

interface Deployed extends CompiledContract {
  readonly address: Hex;
}
const deployed = async (contract: CompiledContract): Promise<Deployed> => ({
  ...contract,
  address: (await chain.deploy(contract)).address,
});
/** Unoptimized: only the outcome of its calls matters. */
const ofTests = (name: string) =>
  contractOf(new URL(`../support/contracts/${name}.sol`, import.meta.url).pathname, { optimized: false });

const notary = operator(7);
const otherNotary = operator(8);

let chain: LocalChain;
let origin: TlsOrigin;
let guestId: Hex;
let verifier: Deployed;
let proven: CompressedWebProof;
let full: CompressedWebProof;

beforeAll(async () => {
  origin = await startOrigin(authority, { answer: jsonAnswer(BODY) });
  chain = await startLocalChain();
  guestId = await prover.guestId();
  verifier = await deployed(await contractOf(`${CONTRACTS}WebProofVerifier.sol`));
  proven = await notary.compress(origin, QUERIES);
  full = await notary.compress(origin, FULL_QUERIES, '/v1/ticker?symbol=BTC');
}, 600_000);

afterAll(async () => {
  chain?.stop();
  await Promise.all([origin?.[Symbol.asyncDispose](), prover.close(), evaluator.close()]);
});

const verify = (args: readonly unknown[]) => chain.read(verifier.address, verifier.abi, 'verify', args);

/** The call with parts of seal and journal changed; the seal carries the changed journal. */
function changed(change: {
  readonly members?: (members: unknown[]) => void;
  readonly types?: readonly string[];
  readonly journal?: (journal: Hex) => Hex;
  readonly seal?: (parts: SealParts) => SealParts;
  readonly bytes?: (seal: Hex) => Hex;
}): readonly [Hex, Hex, Hex] {
  const members = openJournal(proven.journalDataAbi, TYPES);
  change.members?.(members);
  const encoded = closeJournal(members, change.types ?? TYPES);
  const journal = change.journal?.(encoded) ?? encoded;
  const { selector, parts } = openSeal(proven.zkProof);
  const sealed = closeSeal(selector, change.seal?.({ ...parts, journal }) ?? { ...parts, journal });
  return verifyArguments(change.bytes?.(sealed) ?? sealed, guestId, journal);
}

const { Fp } = secp256k1.Point;
const FIELD_PRIME = Fp.ORDER;

/** Points of the curve of which a coordinate plus the prime still fits into a word. */
function pointWithSmallX() {
  return { x: 1n, y: Fp.sqrt(8n) };
}
function pointWithSmallY() {
  for (let y = 1n; ; y += 1n) {
    const cube = Fp.create(y * y - 7n);
    // The prime is 7 modulo 9.
    const x = Fp.pow(cube, (FIELD_PRIME + 2n) / 9n);
    if (Fp.mul(Fp.sqr(x), x) === cube) return { x, y };
  }
}

const set = (index: number, value: unknown) => (members: unknown[]) => {
  members[index] = value;
};
const replaced = <T>(list: readonly T[], index: number, value: T) => list.map((old, i) => (i === index ? value : old));
const point = (parts: SealParts, index: number, value: bigint): SealParts => ({
  ...parts,
  proof: replaced(parts.proof, index, value) as unknown as SealParts['proof'],
});

describe('a compressed web proof on a real EVM', () => {
  it('is accepted, within the gas it may cost', async () => {
    const args = verifyArguments(proven.zkProof, guestId, proven.journalDataAbi);
    const gas = await chain.send(verifier.address, verifier.abi, 'verify', args);
    console.info(`gas with ${QUERIES.length} values: ${gas}, seal: ${proven.zkProof.length / 2 - 1} bytes`);
    expect(gas).toBeLessThan(370_000n);
    expect(openJournal(proven.journalDataAbi, TYPES)).toEqual([
      `0x${notary.key.fingerprint}`,
      'GET',
      origin.url('/v1/ticker?symbol=ETH'),
      expect.any(BigInt),
      hashOfQueries(QUERIES),
      '3500.50',
      149n,
      'ETH',
    ]);
  });

  it('shows nothing that the presentation hides', () => {
    const secret = Buffer.from(BODY.secret).toString('hex');
    expect(proven.zkProof + proven.journalDataAbi).not.toContain(secret);
  });

  it('holds eight values, evaluated ones too, within the gas it may cost', async () => {
    const gas = await chain.send(
      verifier.address,
      verifier.abi,
      'verify',
      verifyArguments(full.zkProof, guestId, full.journalDataAbi),
    );
    console.info(`gas with 8 values: ${gas}, seal: ${full.zkProof.length / 2 - 1} bytes`);
    expect(gas).toBeLessThan(370_000n);
    const types = ['string', 'uint256', 'string', 'string', 'string', 'uint256', 'uint256', 'string'];
    expect(openJournal(full.journalDataAbi, types).slice(5)).toEqual([
      '3500.50',
      7n,
      '{"base":"ETH","open":true}',
      'true',
      'ETH',
      149n,
      4n,
      'ETH-3500.50',
    ]);
  });
});

describe('the contract refuses', () => {
  const otherKeyPoint = secp256k1.Point.fromBytes(otherNotary.key.publicKey).toAffine();
  /** A root with this notary's signature over it. */
  const signed = ({ signer }: typeof notary, root: bigint) => {
    const { r, s, v } = signer.sign(root);
    return { root, signatureR: toHex(r, { size: 32 }), signatureS: toHex(s, { size: 32 }), signatureV: v };
  };
  const order = secp256k1.Point.Fn.ORDER;
  /** The seal with this notary key, and the journal with its fingerprint. */
  const withNotaryKey = (x: bigint, y: bigint) =>
    changed({
      members: set(0, sha256(concat([(y & 1n) === 0n ? '0x02' : '0x03', toHex(x, { size: 32 })]))),
      seal: (parts) => ({ ...parts, attesterKey: [x, y] }),
    });
  const notaryPoint = secp256k1.Point.fromBytes(notary.key.publicKey).toAffine();

  type Call = () => readonly unknown[];
  const journal =
    (index: number, value: unknown): Call =>
    () =>
      changed({ members: set(index, value) });
  const seal =
    (part: (parts: SealParts) => Partial<SealParts>): Call =>
    () =>
      changed({ seal: (parts) => ({ ...parts, ...part(parts) }) });
  const points =
    (index: number, value: (old: bigint) => bigint): Call =>
    () =>
      changed({ seal: (parts) => point(parts, index, value(parts.proof[index] ?? 0n)) });
  const bytesOfJournal =
    (change: (journal: Hex) => Hex): Call =>
    () =>
      changed({ journal: change });
  const bytesOfSeal =
    (change: (seal: Hex) => Hex): Call =>
    () =>
      changed({ bytes: change });
  const fingerprintOfOther = `0x${otherNotary.key.fingerprint}`;
  const keyOfOther: SealParts['attesterKey'] = [otherKeyPoint.x, otherKeyPoint.y];
  const swapped = ['pair.base', 'volume', 'price'];
  const twoQueries = { queries: ['price', 'volume'], kinds: '0x0102' } as const;
  const nineQueries = { queries: new Array<string>(9).fill('a'), kinds: toHex(new Uint8Array(9).fill(1)) };

  const cases: readonly (readonly [string, Call, string])[] = [
    ['another value', journal(5, '1.00'), 'InvalidProof'],
    ['another integer', journal(6, 150n), 'InvalidProof'],
    ['an integer plus the order of the field', journal(6, 149n + FIELD_ORDER), 'InvalidProof'],
    ['another method', journal(1, 'POST'), 'InvalidProof'],
    ['another URL', journal(2, 'https://evil.example/'), 'InvalidProof'],
    ['another timestamp', journal(3, 1n), 'InvalidProof'],
    [
      'a timestamp plus the order of the field',
      () => changed({ members: (m) => set(3, (m[3] as bigint) + FIELD_ORDER)(m) }),
      'TimestampOutOfRange',
    ],
    ['another extraction hash', journal(4, toHex(1n, { size: 32 })), 'ExtractionHashMismatch'],
    ['another fingerprint', journal(0, fingerprintOfOther), 'FingerprintMismatch'],
    [
      "another notary's key under this notary's values",
      () => changed({ members: set(0, fingerprintOfOther), seal: (parts) => ({ ...parts, attesterKey: keyOfOther }) }),
      'RootNotSigned',
    ],
    ["another notary's key under this fingerprint", seal(() => ({ attesterKey: keyOfOther })), 'FingerprintMismatch'],
    [
      'the negated key of the notary',
      seal(({ attesterKey: [x, y] }) => ({ attesterKey: [x, FIELD_PRIME - y] })),
      'FingerprintMismatch',
    ],
    [
      'another y of the same parity, which the fingerprint does not tell apart',
      seal(({ attesterKey: [x, y] }) => ({ attesterKey: [x, y ^ 2n] })),
      'AttesterKeyNotOnCurve',
    ],
    [
      'an x beyond the field',
      () => withNotaryKey(pointWithSmallX().x + FIELD_PRIME, pointWithSmallX().y),
      'AttesterKeyNotOnCurve',
    ],
    [
      'a y beyond the field',
      () => withNotaryKey(pointWithSmallY().x, pointWithSmallY().y + FIELD_PRIME),
      'AttesterKeyNotOnCurve',
    ],
    ['a key without a y', () => withNotaryKey(notaryPoint.x, 0n), 'AttesterKeyNotOnCurve'],
    [
      'a point of the curve that is nobody’s key',
      () => withNotaryKey(pointWithSmallX().x, pointWithSmallX().y),
      'RootNotSigned',
    ],
    ['a root that another notary signed', seal(({ root }) => signed(otherNotary, root)), 'RootNotSigned'],
    ['a root that nobody signed', seal(() => ({ root: 1n })), 'RootNotSigned'],
    ['a root that the notary signed, but not for these values', seal(() => signed(notary, 1n)), 'InvalidProof'],
    [
      'the root and signature of another proof',
      seal(() => {
        const { root, signatureR, signatureS, signatureV } = openSeal(full.zkProof).parts;
        return { root, signatureR, signatureS, signatureV };
      }),
      'InvalidProof',
    ],
    [
      'the root plus the order of the field, signed',
      seal(({ root }) => signed(notary, root + FIELD_ORDER)),
      'RootOutOfField',
    ],
    [
      'the twin of the signature',
      seal(({ signatureS, signatureV }) => ({
        signatureS: toHex(order - BigInt(signatureS), { size: 32 }),
        signatureV: 55 - signatureV,
      })),
      'RootNotSigned',
    ],
    ['a recovery id out of range', seal(() => ({ signatureV: 29 })), 'RootNotSigned'],
    ['swapped queries', seal(() => ({ queries: swapped })), 'ExtractionHashMismatch'],
    [
      'swapped queries with their hash',
      () => changed({ members: set(4, hashOfQueries(swapped)), seal: (parts) => ({ ...parts, queries: swapped }) }),
      'InvalidProof',
    ],
    ['a query left out of the seal', seal(() => twoQueries), 'NonCanonicalJournal'],
    [
      'a query left out of seal and journal',
      () =>
        changed({
          members: (members) => {
            members[4] = hashOfQueries(twoQueries.queries);
            members.pop();
          },
          types: TYPES.slice(0, 2),
          seal: (parts) => ({ ...parts, ...twoQueries }),
        }),
      'InvalidProof',
    ],
    ['another kind of text', seal(() => ({ kinds: '0x030201' })), 'InvalidProof'],
    ['a text for an integer', seal(() => ({ kinds: '0x010101' })), 'NonCanonicalJournal'],
    ['an unknown kind', seal(() => ({ kinds: '0x010001' })), 'UnknownKind'],
    ['a missing kind', seal(() => ({ kinds: '0x0102' })), 'KindsMismatch'],
    ['nine queries', seal(() => nineQueries), 'TooManyQueries'],
    [
      'a query that would make the extraction hash ambiguous',
      seal(() => ({ queries: ['price', 'volume', 'xresponse.bodyjmespath'] })),
      'AmbiguousQuery',
    ],
    ['another point A', points(0, (old) => old + 1n), 'InvalidProof'],
    ['the negated point A', points(1, (old) => CURVE_PRIME - old), 'InvalidProof'],
    ['another point B', points(3, (old) => old + 1n), 'InvalidProof'],
    ['the negated point C', points(7, (old) => CURVE_PRIME - old), 'InvalidProof'],
    ...[0, 1, 2, 6, 7].map((index): readonly [string, Call, string] => [
      `coordinate ${index} plus the prime of the curve`,
      points(index, (old) => old + CURVE_PRIME),
      'InvalidProof',
    ]),
    ['the points of another proof', seal(() => ({ proof: openSeal(full.zkProof).parts.proof })), 'InvalidProof'],
    ['the journal of another proof', bytesOfJournal(() => full.journalDataAbi), 'NonCanonicalJournal'],
    ['bytes behind the journal', bytesOfJournal((bytes) => `${bytes}${'00'.repeat(32)}`), 'NonCanonicalJournal'],
    ['a byte behind the journal', bytesOfJournal((bytes) => `${bytes}00`), 'NonCanonicalJournal'],
    ['a journal cut short', bytesOfJournal((bytes) => bytes.slice(0, -64) as Hex), 'NonCanonicalJournal'],
    ['an empty journal', bytesOfJournal(() => '0x'), 'NonCanonicalJournal'],
    [
      'dirty padding in the journal',
      bytesOfJournal((bytes) => `${bytes.slice(0, -2) as Hex}01`),
      'NonCanonicalJournal',
    ],
    [
      'texts of the journal in another order',
      bytesOfJournal((hex) => {
        const bytes = hexToBytes(hex);
        return bytesToHex(bytes.with(2 * 32 - 1, (bytes[2 * 32 - 1] ?? 0) + 32));
      }),
      'NonCanonicalJournal',
    ],
    ['bytes behind the seal', bytesOfSeal((bytes) => `${bytes}${'00'.repeat(32)}`), 'NonCanonicalSeal'],
    [
      'dirty padding in the seal',
      bytesOfSeal((bytes) => bytes.replace(/010201(00){29}/, (kinds) => `${kinds.slice(0, -2)}01`) as Hex),
      'NonCanonicalSeal',
    ],
    ['another selector', bytesOfSeal((bytes) => `0xffffffff${bytes.slice(10)}`), 'UnknownSelector'],
    ['a seal of three bytes', bytesOfSeal((bytes) => bytes.slice(0, 8) as Hex), 'NonCanonicalSeal'],
    ['another program', () => changed({}).with(1, toHex(3n, { size: 32 })), 'UnknownProgram'],
    ['the digest of another journal', () => changed({}).with(2, toHex(3n, { size: 32 })), 'JournalDigestMismatch'],
  ];

  it.each(cases)('%s', async (_name, call, error) => {
    await expect(verify(call())).rejects.toThrow(new RegExp(`\\b${error}\\b`));
  });
});

describe('the gas of a seal', () => {
  const measured = ({ zkProof, journalDataAbi }: CompressedWebProof) =>
    chain.send(verifier.address, verifier.abi, 'verify', verifyArguments(zkProof, guestId, journalDataAbi));

  it('is about what compress says', async () => {
    await using wordy = await startOrigin(authority, { answer: jsonAnswer({ ['k'.repeat(512)]: 'v'.repeat(30_000) }) });
    const large = await notary.compress(wordy, ['k'.repeat(512)]);
    const shares = [];
    for (const proof of [proven, full, large]) {
      shares.push(proof.details.verificationGas / Number(await measured(proof)));
    }
    for (const share of shares) expect(share).toBeCloseTo(1, 1);
    expect([proven, full].map(({ details }) => details.warnings)).toEqual([[], []]);
    expect(large.details.warnings).toEqual([
      expect.stringMatching(/^Checking this seal on chain costs about 1\d{6} gas/),
    ]);
  }, 60_000);
});

describe('too little gas', () => {
  const NO_DATA = '0x00000000';
  const SUCCESS = '0x00000001';
  const INSUFFICIENT_GAS = toFunctionSelector('InsufficientGas()');
  const INVALID_PROOF = toFunctionSelector('InvalidProof()');
  const CALLS_AT_ONCE = 50;
  const MOST_GAS = 450_000;
  /** A prime, so that many remainders occur. */
  const COARSE = 2_999;
  const FINE = 29;

  let sweeper: Deployed;

  beforeAll(async () => {
    sweeper = await deployed(await ofTests('GasSweep'));
  });

  /** What `verify` comes to with each gas limit from `from` to `to`, in steps of `step`. */
  const outcomes = async (args: readonly unknown[], from: number, to: number, step: number) => {
    const data = encodeFunctionData({ abi: verifier.abi, functionName: 'verify', args });
    const found: Hex[] = [];
    for (let start = from; start < to; start += step * CALLS_AT_ONCE) {
      const sweep = [verifier.address, data, BigInt(start), BigInt(step), BigInt(CALLS_AT_ONCE)];
      found.push(...((await chain.read(sweeper.address, sweeper.abi, 'sweep', sweep)) as Hex[]));
    }
    return found;
  };

  const firstSuccessAfterTooLittle = (found: readonly Hex[]): number => {
    const first = found.indexOf(SUCCESS);
    expect(new Set(found.slice(0, first))).toEqual(new Set([INSUFFICIENT_GAS]));
    expect(new Set(found.slice(first))).toEqual(new Set([SUCCESS]));
    return first;
  };

  const badPoint = () => changed({ seal: (parts) => point(parts, 3, parts.proof[3] + 1n) });
  const badEquation = () => changed({ seal: (parts) => point(parts, 1, CURVE_PRIME - parts.proof[1]) });
  const goodProofs: readonly [string, () => readonly unknown[]][] = [
    ['a good proof of three values', () => changed({})],
    ['a good proof of eight values', () => verifyArguments(full.zkProof, guestId, full.journalDataAbi)],
  ];

  it.each(goodProofs)('never reverts %s as invalid', async (_name, args) => {
    const found = await outcomes(args(), 0, MOST_GAS, COARSE);
    const firstSuccess = found.indexOf(SUCCESS);
    expect(new Set(found.slice(0, firstSuccess))).toEqual(new Set([NO_DATA, INSUFFICIENT_GAS]));
    expect(new Set(found.slice(firstSuccess))).toEqual(new Set([SUCCESS]));
    // Step by step up to the limit, where only the pairing lacks gas.
    const limit = COARSE * firstSuccess;
    const near = firstSuccessAfterTooLittle(await outcomes(args(), limit - COARSE, limit + FINE, FINE));
    const enough = limit - COARSE + FINE * near;
    firstSuccessAfterTooLittle(await outcomes(args(), enough - CALLS_AT_ONCE + FINE, enough, 1));
  });

  it.each([
    ['with a point that is none', badPoint],
    ['about something else', badEquation],
  ])('never accepts a proof %s', async (_name, args) => {
    const found = await outcomes(args(), 0, MOST_GAS, COARSE);
    expect(new Set(found)).toEqual(new Set([NO_DATA, INSUFFICIENT_GAS, INVALID_PROOF]));
    expect(found.at(-1)).toBe(INVALID_PROOF);
    expect(found.lastIndexOf(INSUFFICIENT_GAS)).toBeLessThan(found.indexOf(INVALID_PROOF));
  });
});

/** Accepts seals of the fake mode: for what comes after a seal was accepted, without the seconds that a real one takes. */
const deployMockVerifier = async () => deployed(await ofTests('MockVerifier'));

describe('the fake mode', () => {
  it("makes what RISC Zero's mock verifier accepts, and only for its own program and journal", async () => {
    const { address, abi } = await deployMockVerifier();
    const fake = await notary.compressWith(createFakeProver({ guestId }), origin, QUERIES);
    expect(fake.zkProof).toMatch(/^0xffffffff[0-9a-f]{64}$/);
    const check = (args: readonly unknown[]) => chain.read(address, abi, 'verify', args);
    const args = verifyArguments(fake.zkProof, guestId, fake.journalDataAbi);
    await expect(check(args)).resolves.toBeUndefined();
    await expect(check([args[0], toHex(1n, { size: 32 }), args[2]])).rejects.toThrow('WrongClaim');
    await expect(check([args[0], guestId, toHex(1n, { size: 32 })])).rejects.toThrow('WrongClaim');
    await expect(verify(args)).rejects.toThrow('UnknownSelector');
  });
});

describe('a consumer', () => {
  const MAX_AGE = 3_600n;
  let consumerContract: CompiledContract;
  let consumerAbi: Abi;
  let mockVerifier: Awaited<ReturnType<typeof deployMockVerifier>>;

  beforeAll(async () => {
    mockVerifier = await deployMockVerifier();
    consumerContract = await contractOf(`${CONTRACTS}WebProofConsumer.sol`, { optimized: false });
    // What the verifier reverts with comes through the consumer.
    consumerAbi = [...consumerContract.abi, ...verifier.abi.filter((item) => item.type === 'error')];
  });

  interface ConsumerOptions {
    readonly fingerprint?: string;
    readonly url?: string;
    readonly queries?: readonly string[];
    readonly maxAge?: bigint;
    readonly verifiedBy?: { readonly address: string };
  }

  /** Trusts the notary and, unless told otherwise, takes the price of the origin's page. */
  const consumerFor = async (options: ConsumerOptions = {}) => {
    const { fingerprint = notary.key.fingerprint, url = origin.url('/v1/ticker?symbol=ETH') } = options;
    const { queries = ['price'], maxAge = MAX_AGE, verifiedBy = verifier } = options;
    const args = [verifiedBy.address, guestId, `0x${fingerprint}`, url, hashOfQueries(queries), maxAge];
    const { address } = await chain.deploy(consumerContract, args);
    return {
      submit: ({ zkProof, journalDataAbi }: CompressedWebProof) =>
        chain.send(address, consumerAbi, 'submit', [zkProof, journalDataAbi]),
      value: () => chain.read(address, consumerAbi, 'value'),
    };
  };

  const fakePrice = (target: TlsOrigin) => notary.compressWith(createFakeProver({ guestId }), target, ['price']);

  it('takes one value over, once, from the notary and the page it trusts', async () => {
    const price = await notary.compress(origin, ['price']);
    const consumer = await consumerFor();
    await consumer.submit(price);
    expect(await consumer.value()).toBe('3500.50');
    await expect(consumer.submit(price)).rejects.toThrow('AlreadyUsed');

    const otherTrust = await consumerFor({ fingerprint: otherNotary.key.fingerprint });
    await expect(otherTrust.submit(price)).rejects.toThrow('UntrustedNotary');
    const otherPage = await consumerFor({ url: origin.url('/v1/ticker?symbol=ETH&x=1') });
    await expect(otherPage.submit(price)).rejects.toThrow('WrongUrl');
    const otherQuery = await consumerFor({ queries: ['pair.base'] });
    await expect(otherQuery.submit(price)).rejects.toThrow('WrongExtraction');
    // A block of a later second than the proof's.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const impatient = await consumerFor({ maxAge: 0n });
    await expect(impatient.submit(price)).rejects.toThrow('NotFresh');
    await expect(consumer.submit({ ...price, journalDataAbi: proven.journalDataAbi })).rejects.toThrow(
      'JournalDigestMismatch',
    );
    // A proof is seconds of work for every core there is.
  }, 60_000);

  it.each([
    ['an integer that is the offset of a text', { price: 192 }],
    ['an integer that is the offset of another text', { price: 256 }],
  ])('does not take %s for the text', async (_what, body) => {
    await using shop = await startOrigin(authority, { answer: jsonAnswer(body) });
    const consumer = await consumerFor({ url: shop.url('/v1/ticker?symbol=ETH'), verifiedBy: mockVerifier });
    await expect(consumer.submit(await fakePrice(shop))).rejects.toThrow('WrongTypes');
    expect(await consumer.value()).toBe('');
  });

  it('that reads integers does not take the offset of a text for one', async () => {
    const { address, abi } = await deployed(await ofTests('IntegerConsumer'));
    const read = async (price: number) => {
      await using shop = await startOrigin(authority, { answer: jsonAnswer({ price }) });
      const { journalDataAbi } = await fakePrice(shop);
      return chain.read(address, abi, 'read', [journalDataAbi]);
    };
    expect(await read(352)).toBe(352n);
    await expect(read(-5)).rejects.toThrow('WrongTypes');
  });

  it('does not go back to an older value', async () => {
    const older = await fakePrice(origin);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const newer = await fakePrice(origin);
    const consumer = await consumerFor({ verifiedBy: mockVerifier });
    await consumer.submit(newer);
    await expect(consumer.submit(older)).rejects.toThrow('Outdated');
    const inOrder = await consumerFor({ verifiedBy: mockVerifier });
    await inOrder.submit(older);
    await inOrder.submit(newer);
  });
});
