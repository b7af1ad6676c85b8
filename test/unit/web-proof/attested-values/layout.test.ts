/** The bytes and digests that circuit and contract rely on, computed a second time by other means. */
import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concat, encodeAbiParameters, keccak256, parseAbiParameters, recoverAddress, toHex, zeroHash } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import {
  AttestationError,
  attestCommitments,
  openAttestation,
} from '../../../../core/web-proof/attested-values/attestation.ts';
import { buildCommitmentTree, TREE_CAPACITY } from '../../../../core/web-proof/attested-values/commitment-tree.ts';
import { requestCommitment, valueCommitment } from '../../../../core/web-proof/attested-values/commitments.ts';
import {
  attestableValues,
  attestQueryValues,
  openValuesExtension,
} from '../../../../core/web-proof/attested-values/extension.ts';
import { toBytes32, toInteger } from '../../../../core/web-proof/attested-values/field-bytes.ts';
import { poseidon } from '../../../../core/web-proof/attested-values/poseidon.ts';
import { BY_NOTARY, programId, sealSelector } from '../../../../core/web-proof/attested-values/program.ts';
import { requestFacts } from '../../../../core/web-proof/attested-values/sealable.ts';
import {
  createValuesSigner,
  valuesDigest,
  verifyValuesSignature,
} from '../../../../core/web-proof/attested-values/values-signature.ts';
import { buildValuesExtension } from '../../../support/values-extension.ts';

const secretKey = new Uint8Array(32).fill(7);
const notaryKey = secp256k1.getPublicKey(secretKey, true);
const signer = createValuesSigner(secretKey);
const seed = new Uint8Array(32).fill(1);
const facts = { method: 'GET', url: 'https://a.example/ż', tlsTimestamp: 1_763_600_000 };
const request = { ...facts, isRequestSealable: true };
const text = (value: string) => new TextEncoder().encode(value);
const digest = (value: string) => keccak256(toHex(value));
/** The topmost 248 bits. */
const claimOf = (words: `0x${string}`) => BigInt(keccak256(words)) >> 8n;

describe('integers of 32 bytes', () => {
  it.each([0n, 1n, 255n, 256n, 2n ** 255n, 2n ** 256n - 1n])('hold %s', (value) => {
    expect(toHex(toBytes32(value))).toBe(toHex(value, { size: 32 }));
    expect(toInteger(toBytes32(value))).toBe(value);
  });

  it.each([-1n, 2n ** 256n])('do not hold %s', (value) => {
    expect(() => toBytes32(value)).toThrow(new RangeError('the integer does not fit 32 bytes'));
  });
});

describe('claims', () => {
  it('hash the words of the request', () => {
    const types = parseAbiParameters('bytes32, bytes32, bytes32, bytes32, uint256, bytes32');
    const words = (domain: string, notary: `0x${string}`, body: `0x${string}`) =>
      encodeAbiParameters(types, [digest(domain), notary, digest('GET'), digest(facts.url), 1_763_600_000n, body]);
    expect(requestCommitment(facts)).toBe(claimOf(words('credence.request.v2', zeroHash, zeroHash)));
    const body = digest('a=1');
    const withBody = requestFacts(facts, text('a=1'));
    expect(requestCommitment(withBody)).toBe(claimOf(words('credence.request.v2', zeroHash, body)));
    expect(requestFacts(facts, new Uint8Array())).toBe(facts);
    const unsealable = requestCommitment(facts, { kind: 'notary', sealable: false });
    expect(unsealable).toBe(claimOf(words('credence.unsealable-request.v2', zeroHash, zeroHash)));
    const notary = new Uint8Array(32).fill(0xab);
    const delegated = (partlyHidden: boolean) =>
      requestCommitment(withBody, { kind: 'delegate', notary, partlyHidden });
    expect(delegated(false)).toBe(claimOf(words('credence.delegated-request.v1', toHex(notary), body)));
    const hidden = words('credence.delegated-partly-hidden-request.v1', toHex(notary), body);
    expect(delegated(true)).toBe(claimOf(hidden));
  });

  it('of every attester and body belong to a guest id of their own', () => {
    const base = `0x${'12'.repeat(32)}` as const;
    const notary = new Uint8Array(32).fill(0xab);
    const body = toBytes32(7n);
    const delegate = (partlyHidden: boolean) => ({ kind: 'delegate', notary, partlyHidden }) as const;
    const derived = (domain: string, word: `0x${string}`) => keccak256(concat([base, digest(domain), word]));
    expect(programId(base, BY_NOTARY)).toBe(base);
    expect(programId(base, BY_NOTARY, body)).toBe(derived('credence.request.v2', toHex(body)));
    expect(programId(base, delegate(false))).toBe(derived('credence.delegated-request.v1', zeroHash));
    expect(programId(base, delegate(true), body)).toBe(
      derived('credence.delegated-partly-hidden-request.v1', toHex(body)),
    );
    // A router finds the verifier by the selector, whatever the body and whatever is hidden.
    expect(sealSelector(base, BY_NOTARY)).toBe('0x12121212');
    expect(sealSelector(base, delegate(true))).toBe(programId(base, delegate(false)).slice(0, 10));
  });

  it.each([
    ['string', 'ż', 1n, digest('ż')],
    ['uint256', '300', 2n, toHex(300n, { size: 32 })],
    ['json', '-1.5', 3n, digest('-1.5')],
  ] as const)('hash the words of a value: %s', (kind, value, number, word) => {
    const label = digest('response.bodyjmespatha.b');
    const words = encodeAbiParameters(parseAbiParameters('bytes32, uint256, bytes32'), [label, number, word]);
    expect(valueCommitment('a.b', { kind, text: value })).toBe(claimOf(words));
  });
});

describe('the tree', () => {
  const zeros = (count: number) => new Array<bigint>(count).fill(0n);
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i + 1));

  it('has nine claims and a salt to a leaf, nine leaves to a group, and the request and nine groups to the root', () => {
    const salt = (index: bigint) =>
      BigInt(`0x${createHmac('sha256', seed).update(toBytes32(index)).digest('hex')}`) >> 8n;
    const first = upTo(9);
    const second = [10n, 11n, 12n, ...zeros(6)];
    const group = [poseidon([salt(0n), ...first]), poseidon([salt(1n), ...second]), ...zeros(7)];
    const groups = [poseidon(group), ...zeros(8)];
    const tree = buildCommitmentTree(seed, { request: 99n, values: upTo(12) });
    expect(tree).toMatchObject({ request: 99n, groups, root: poseidon([99n, ...groups]) });
    expect(tree.open(12n)).toEqual({ salt: salt(1n), leaf: second, group });
    // What fills the last leaf up is no claim, and the request is none about a value.
    expect([0n, 13n, 99n].map((claim) => tree.open(claim))).toEqual([undefined, undefined, undefined]);
    const empty = buildCommitmentTree(seed, { request: 99n, values: [] });
    expect(empty).toMatchObject({ groups: zeros(9), root: poseidon([99n, ...zeros(9)]) });
  });

  it('opens claims in every part of it, as many as it holds', () => {
    const tree = buildCommitmentTree(seed, { request: 0n, values: upTo(TREE_CAPACITY) });
    for (const claim of [1n, 9n, 10n, 81n, 82n, 729n]) {
      const { salt = 0n, leaf = [], group = [] } = tree.open(claim) ?? {};
      expect(leaf).toContain(claim);
      expect(group).toContain(poseidon([salt, ...leaf]));
      expect(tree.groups).toContain(poseidon(group));
    }
    expect(() => buildCommitmentTree(seed, { request: 0n, values: upTo(730) })).toThrow(
      new RangeError('a tree holds at most 729 values, not 730'),
    );
  });
});

describe('Poseidon', () => {
  it('says of how many elements it is not', () => {
    expect(() => poseidon([1n, 2n, 3n])).toThrow(new RangeError('there is no Poseidon of 3 elements here'));
  });
});

describe('the signature over a root', () => {
  const holds = verifyValuesSignature;

  it('is about a digest that a contract can compute', () => {
    const words = concat([digest('credence.attested-values.v3'), toHex(5n, { size: 32 })]);
    expect(toHex(valuesDigest(5n))).toBe(keccak256(words));
  });

  it('stays the same for the same notary and root, and recovers to the key of the notary', async () => {
    const { r, s, v } = createValuesSigner(secretKey).sign(5n);
    expect(signer.sign(5n)).toEqual({ r, s, v });
    const hash = toHex(valuesDigest(5n));
    const signature = { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), v: BigInt(v) };
    const address = await recoverAddress({ hash, signature });
    expect(address).toBe(publicKeyToAddress(toHex(secp256k1.getPublicKey(secretKey, false))));
  });

  it('holds for every notary, whatever its recovery byte, and for no other root or key', () => {
    const seen = new Set<number>();
    for (let byte = 1; byte <= 8; byte++) {
      const secret = new Uint8Array(32).fill(byte);
      const signature = createValuesSigner(secret).sign(5n);
      expect(holds(secp256k1.getPublicKey(secret, true), 5n, signature)).toBe(true);
      expect(holds(secp256k1.getPublicKey(secret, true), 6n, signature)).toBe(false);
      expect(holds(notaryKey, 5n, signature)).toBe(byte === 7);
      seen.add(signature.v);
    }
    expect([...seen].sort()).toEqual([27, 28]);
  });

  it('does not hold in another form, which a contract would refuse', () => {
    const { r, s, v } = signer.sign(5n);
    const order = secp256k1.Point.Fn.ORDER;
    expect(holds(notaryKey, 5n, { r, s: order - s, v: 55 - v })).toBe(false);
    for (const other of [0, 1, 26, 29, 256 + v]) expect(holds(notaryKey, 5n, { r, s, v: other })).toBe(false);
    for (const change of [{ r: 0n }, { s: 0n }, { r: order }, { s: order }]) {
      expect(holds(notaryKey, 5n, { r, s, v, ...change })).toBe(false);
    }
    expect(holds(Uint8Array.from([0, ...notaryKey]), 5n, { r, s, v })).toBe(false);
  });

  it('does not show the secret of the notary', () => {
    const shown = JSON.stringify(signer.sign(1n), (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString(16) : value,
    );
    expect(shown).not.toContain('07070707');
  });
});

describe('the 97 bytes of an attestation', () => {
  const claims = { request: 1n, values: [2n, 3n] };
  const bytes = attestCommitments(signer, seed, claims);

  it('are seed and signature', () => {
    const { root } = buildCommitmentTree(seed, claims);
    const { r, s, v } = signer.sign(root);
    expect(toHex(bytes)).toBe(concat([toHex(seed), toHex(r, { size: 32 }), toHex(s, { size: 32 }), toHex(v)]));
    const opened = openAttestation(bytes, notaryKey, claims);
    expect(opened).toMatchObject({ seed, signature: { r, s, v }, tree: { root } });
  });

  const NOT_SIGNED = new AttestationError('the notary did not sign these values');
  it.each([
    ['seed', 31],
    ['r', 63],
    ['s', 95],
    ['v', 96],
  ])('do not hold with another %s', (_name, at) => {
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => openAttestation(changed, notaryKey, claims)).toThrow(NOT_SIGNED);
  });

  it('do not hold with another length, another key, or for other claims', () => {
    expect(() => openAttestation(bytes.subarray(1), notaryKey, claims)).toThrow(
      new AttestationError('the attestation of values has 96 bytes instead of 97'),
    );
    const otherKey = secp256k1.getPublicKey(new Uint8Array(32).fill(8), true);
    expect(() => openAttestation(bytes, otherKey, claims)).toThrow(NOT_SIGNED);
    for (const others of [
      { request: 1n, values: [2n, 4n] },
      { request: 1n, values: [2n] },
      { request: 1n, values: [3n, 2n] },
      { request: 2n, values: [2n, 3n] },
    ]) {
      expect(() => openAttestation(bytes, notaryKey, others)).toThrow(NOT_SIGNED);
    }
    for (const length of [31, 33]) {
      expect(() => attestCommitments(signer, new Uint8Array(length), claims)).toThrow(
        new RangeError('the seed has 32 bytes'),
      );
    }
  });
});

describe('the values of a response', () => {
  const valuesOf = (body: string, hidden: { start: number; end: number }[] = []) =>
    attestableValues({ ...request, status: 200, body: { bytes: text(body), hidden } });

  it('are its scalars by path, save those that no query may name', () => {
    const { scalars } = valuesOf('{"a":1,"response.bodyjmespath":2,"b":["x",null,true]}');
    expect([...(scalars ?? [])]).toEqual([
      ['a', { kind: 'uint256', text: '1' }],
      ['b[0]', { kind: 'string', text: 'x' }],
      ['b[2]', { kind: 'json', text: 'true' }],
    ]);
  });

  it('are none, with the reason', () => {
    expect(attestableValues({ ...request, status: 200, body: null })).toEqual({
      reason: 'the body of the response cannot be decoded',
    });
    expect(valuesOf(JSON.stringify(Array(729).fill(1)))).toEqual({ reason: 'the body has more than 728 values' });
    expect(valuesOf('<html>')).toEqual({ reason: expect.stringMatching(/^the body cannot be read as JSON: a value/) });
    expect(valuesOf(JSON.stringify(Array(728).fill(1))).scalars?.size).toBe(728);
  });

  it.each([200, 201, 203, 204, 299])('are signed for status %i', (status) => {
    const exchange = { ...request, status, body: { bytes: text('{"a":1}'), hidden: [] } };
    expect(attestableValues(exchange).scalars?.size).toBe(1);
    const opened = openValuesExtension([buildValuesExtension(signer, seed, exchange)], notaryKey, exchange);
    expect(opened?.tree.request).toBe(requestCommitment(facts));
  });

  it.each([206, 300, 301, 304, 404, 416, 500])('are not signed for status %i, nor the request for a seal', (status) => {
    const exchange = { ...request, status, body: { bytes: text('{"a":1}'), hidden: [] } };
    expect(attestableValues(exchange)).toEqual({ reason: `its status is ${status}` });
    const extension = buildValuesExtension(signer, seed, exchange);
    const opened = openValuesExtension([extension], notaryKey, exchange);
    expect(opened?.tree.open(valueCommitment('a', { kind: 'uint256', text: '1' }))).toBeUndefined();
    expect(opened?.tree.request).toBe(requestCommitment(facts, { kind: 'notary', sealable: false }));
    expect(() => openValuesExtension([extension], notaryKey, { ...exchange, status: 200 })).toThrow(AttestationError);
  });

  it('are no excuse for a defect', () => {
    const broken = {
      get bytes(): Uint8Array {
        throw new TypeError('a defect');
      },
      hidden: [],
    };
    expect(() => attestableValues({ ...request, status: 200, body: broken })).toThrow(new TypeError('a defect'));
  });

  it('may fill the tree, and no more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `q${i}`);
    const values = (count: number) => Array.from({ length: count }, () => ({ kind: 'json' as const, text: '1' }));
    expect(attestQueryValues(signer, seed, facts, many(729), values(729))).toHaveLength(97);
    expect(() => attestQueryValues(signer, seed, facts, many(730), values(730))).toThrow(
      new RangeError('a tree holds at most 729 values, not 730'),
    );
    expect(() => attestQueryValues(signer, seed, facts, many(2), values(1))).toThrow(
      new RangeError('there is one value for each query'),
    );
  });

  it('are attested once', () => {
    const exchange = { ...request, status: 200, body: null };
    const extension = buildValuesExtension(signer, seed, exchange);
    expect(toHex(extension.id)).toBe(toHex('credence.attested-values.v3'));
    expect(() => openValuesExtension([extension, extension], notaryKey, exchange)).toThrow(
      new AttestationError('there is more than one attestation of values'),
    );
  });
});
