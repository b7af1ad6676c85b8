/** The bytes and digests that circuit and contract rely on, computed a second time by other means. */
import { createHmac } from 'node:crypto';
import { babyjubjub } from '@noble/curves/misc.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concat, encodeAbiParameters, keccak256, parseAbiParameters, toHex, zeroHash } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  AttestationError,
  attestClaims,
  openAttestation,
} from '../../../../core/web-proof/attested-values/attestation.ts';
import { buildClaimTree, TREE_CAPACITY } from '../../../../core/web-proof/attested-values/claim-tree.ts';
import { requestClaim, valueClaim } from '../../../../core/web-proof/attested-values/claims.ts';
import {
  attestableValues,
  attestQueryValues,
  buildValuesExtension,
  openValuesExtension,
} from '../../../../core/web-proof/attested-values/extension.ts';
import { toBytes32, toInteger } from '../../../../core/web-proof/attested-values/field-bytes.ts';
import { FIELD_ORDER, poseidon } from '../../../../core/web-proof/attested-values/poseidon.ts';
import { BY_NOTARY, programId, sealSelector } from '../../../../core/web-proof/attested-values/program.ts';
import { requestFacts } from '../../../../core/web-proof/attested-values/sealable.ts';
import {
  bindingDigest,
  createValuesSigner,
  verifyBinding,
  verifyValuesSignature,
} from '../../../../core/web-proof/attested-values/values-key.ts';

const secretKey = new Uint8Array(32).fill(7);
const notaryKey = secp256k1.getPublicKey(secretKey, true);
const signer = createValuesSigner(secretKey);
const seed = new Uint8Array(32).fill(1);
const ORDER = babyjubjub.Point.Fn.ORDER;
const facts = { method: 'GET', url: 'https://a.example/ż', tlsTimestamp: 1_763_600_000 };
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
    expect(requestClaim(facts)).toBe(claimOf(words('credence.request.v2', zeroHash, zeroHash)));
    const body = digest('a=1');
    const withBody = requestFacts(facts, text('a=1'));
    expect(requestClaim(withBody)).toBe(claimOf(words('credence.request.v2', zeroHash, body)));
    expect(requestFacts(facts, new Uint8Array())).toBe(facts);
    const unsealable = requestClaim(facts, { kind: 'notary', sealable: false });
    expect(unsealable).toBe(claimOf(words('credence.unsealable-request.v2', zeroHash, zeroHash)));
    const notary = new Uint8Array(32).fill(0xab);
    const delegated = (partlyHidden: boolean) => requestClaim(withBody, { kind: 'delegate', notary, partlyHidden });
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
    expect(valueClaim('a.b', { kind, text: value })).toBe(claimOf(words));
  });
});

describe('the tree', () => {
  it('has nine claims and a salt to a leaf, and nine nodes to a node', () => {
    const claims = Array.from({ length: 12 }, (_, i) => BigInt(i + 1));
    const salt = (index: bigint) =>
      BigInt(`0x${createHmac('sha256', seed).update(toBytes32(index)).digest('hex')}`) >> 8n;
    const first = claims.slice(0, 9);
    const second = [...claims.slice(9), 0n, 0n, 0n, 0n, 0n, 0n];
    const zeros = (count: number) => new Array<bigint>(count).fill(0n);
    const leaves = [poseidon([salt(0n), ...first]), poseidon([salt(1n), ...second]), ...zeros(7)];
    const top = [poseidon(leaves), ...zeros(8)];
    const tree = buildClaimTree(seed, claims);
    expect(tree.root).toBe(poseidon(top));
    expect(tree.open(12n)).toEqual({ salt: salt(1n), claims: second, groups: [leaves, top] });
    // What fills the last leaf up is no claim.
    expect([0n, 13n].map((claim) => tree.open(claim))).toEqual([undefined, undefined]);
    const full = [poseidon([salt(0n), ...first]), ...zeros(8)];
    expect(buildClaimTree(seed, first).root).toBe(poseidon([poseidon(full), ...zeros(8)]));
  });

  it('opens claims in every part of it, as many as it holds', () => {
    const claims = Array.from({ length: TREE_CAPACITY }, (_, i) => BigInt(i + 1));
    const tree = buildClaimTree(seed, claims);
    for (const claim of [1n, 9n, 10n, 81n, 82n, 729n]) {
      const opening = tree.open(claim);
      let node = poseidon([opening?.salt ?? 0n, ...(opening?.claims ?? [])]);
      for (const group of opening?.groups ?? []) {
        expect(group).toContain(node);
        node = poseidon(group);
      }
      expect(node).toBe(tree.root);
    }
    for (const count of [0, 730]) {
      expect(() => buildClaimTree(seed, new Array<bigint>(count).fill(1n))).toThrow(
        new RangeError(`a tree holds 1 to 729 claims, not ${count}`),
      );
    }
  });
});

describe('Poseidon', () => {
  it('says of how many elements it is not', () => {
    expect(() => poseidon([1n, 2n, 3n])).toThrow(new RangeError('there is no Poseidon of 3 elements here'));
  });
});

describe('the values key', () => {
  it('stays the same for the same notary, and so do its signatures', () => {
    const again = createValuesSigner(secretKey);
    expect(again.publicKey).toEqual(KNOWN.publicKey);
    expect(again.sign(5n)).toEqual(KNOWN.signature);
  });

  it('is bound by a digest that a contract can compute', () => {
    const { x, y } = signer.publicKey;
    const words = concat([digest('credence.values-key.v1'), toHex(x, { size: 32 }), toHex(y, { size: 32 })]);
    expect(toHex(bindingDigest(signer.publicKey))).toBe(keccak256(words));
  });

  it('is bound by every notary, whatever its recovery byte', () => {
    const seen = new Set<number>();
    for (let byte = 1; byte <= 8; byte++) {
      const secret = new Uint8Array(32).fill(byte);
      const { publicKey, binding } = createValuesSigner(secret);
      expect(verifyBinding(secp256k1.getPublicKey(secret, true), publicKey, binding)).toBe(true);
      seen.add(binding.v);
    }
    expect([...seen].sort()).toEqual([27, 28]);
    for (const v of [0, 1, 26, 29, 256 + signer.binding.v])
      expect(verifyBinding(notaryKey, signer.publicKey, { ...signer.binding, v })).toBe(false);
    expect(verifyBinding(notaryKey, signer.publicKey, { ...signer.binding, r: 0n })).toBe(false);
    const longer = Uint8Array.from([0, ...notaryKey]);
    expect(verifyBinding(longer, signer.publicKey, signer.binding)).toBe(false);
  });

  it('takes no number for another that is the same in the field', () => {
    const key = signer.publicKey;
    const five = signer.sign(5n);
    expect(verifyValuesSignature(key, 5n, five)).toBe(true);
    expect(verifyValuesSignature(key, 5n - FIELD_ORDER, five)).toBe(false);
    expect(verifyValuesSignature(key, FIELD_ORDER, signer.sign(0n))).toBe(false);
    expect(verifyValuesSignature(key, 0n, signer.sign(0n))).toBe(true);
    expect(verifyValuesSignature(key, 5n, { ...five, s: five.s + ORDER })).toBe(false);
    expect(verifyValuesSignature(key, 5n, { ...five, s: ORDER })).toBe(false);
    for (const change of [{ r8x: five.r8x - FIELD_ORDER }, { r8y: five.r8y + FIELD_ORDER }]) {
      expect(verifyValuesSignature(key, 5n, { ...five, ...change })).toBe(false);
    }
    expect(verifyValuesSignature({ ...key, y: key.y + FIELD_ORDER }, 5n, five)).toBe(false);
    expect(verifyValuesSignature({ ...key, x: key.x - FIELD_ORDER }, 5n, five)).toBe(false);
  });
});

describe('a signature of values', () => {
  it('does not hold with the nonce zero, which gives the secret away', () => {
    const secret = 5n;
    const { x, y } = babyjubjub.Point.BASE.multiply(secret).toAffine();
    const s = (8n * poseidon([0n, 1n, x, y, 7n]) * secret) % ORDER;
    expect(verifyValuesSignature({ x, y }, 7n, { r8x: 0n, r8y: 1n, s })).toBe(false);
  });

  it('does not hold for a point beside the curve', () => {
    const five = signer.sign(5n);
    expect(verifyValuesSignature(signer.publicKey, 5n, { ...five, r8y: five.r8y + 1n })).toBe(false);
    expect(verifyValuesSignature({ x: 0n, y: 2n }, 5n, five)).toBe(false);
  });
});

describe('the 289 bytes of an attestation', () => {
  const claims = [1n, 2n, 3n];
  const bytes = attestClaims(signer, seed, claims);

  it('are seed, root, key, signature and binding', () => {
    const { root } = buildClaimTree(seed, claims);
    const domain = BigInt(toHex('credence.attested-values.v1'));
    const { r8x, r8y, s } = signer.sign(poseidon([domain, root]));
    const { r, s: bindingS, v } = signer.binding;
    const integers = [root, signer.publicKey.x, signer.publicKey.y, r8x, r8y, s, r, bindingS];
    expect(toHex(bytes)).toBe(concat([toHex(seed), ...integers.map((each) => toHex(each, { size: 32 })), toHex(v)]));
    expect(openAttestation(bytes, notaryKey, claims).attestation).toEqual({
      seed,
      root,
      key: signer.publicKey,
      signature: { r8x, r8y, s },
      binding: signer.binding,
    });
  });

  const VALUES = 'the signed values are not those of the response';
  const KEY = 'the notary did not sign the key that signed the values';
  const SIGNATURE = 'the signature over the values is wrong';
  it.each([
    ['seed', 31, VALUES],
    ['root', 63, SIGNATURE],
    ['key, x', 95, KEY],
    ['key, y', 127, KEY],
    ['signature, r8x', 159, SIGNATURE],
    ['signature, r8y', 191, SIGNATURE],
    ['signature, s', 223, SIGNATURE],
    ['binding, r', 255, KEY],
    ['binding, s', 287, KEY],
    ['binding, v', 288, KEY],
  ])('do not hold with another %s', (_name, at, message) => {
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => openAttestation(changed, notaryKey, claims)).toThrow(new AttestationError(message));
  });

  it('do not hold with a root outside of the field, of another length, or for other claims', () => {
    const large = bytes.slice();
    large.set(toBytes32(FIELD_ORDER), 32);
    expect(() => openAttestation(large, notaryKey, claims)).toThrow(
      new AttestationError('the root of the values is not a field element'),
    );
    expect(() => openAttestation(bytes.subarray(1), notaryKey, claims)).toThrow(
      new AttestationError('the attestation of values has 288 bytes instead of 289'),
    );
    expect(() => openAttestation(bytes, notaryKey, [1n, 2n, 4n])).toThrow(new AttestationError(VALUES));
    for (const length of [31, 33]) {
      expect(() => attestClaims(signer, new Uint8Array(length), claims)).toThrow(
        new RangeError('the seed has 32 bytes'),
      );
    }
  });
});

describe('the values of a response', () => {
  const valuesOf = (body: string, hidden: { start: number; end: number }[] = []) =>
    attestableValues({ ...facts, status: 200, body: { bytes: text(body), hidden } });

  it('are its scalars by path, save those that no query may name', () => {
    const { scalars } = valuesOf('{"a":1,"response.bodyjmespath":2,"b":["x",null,true]}');
    expect([...(scalars ?? [])]).toEqual([
      ['a', { kind: 'uint256', text: '1' }],
      ['b[0]', { kind: 'string', text: 'x' }],
      ['b[2]', { kind: 'json', text: 'true' }],
    ]);
  });

  it('are none, with the reason', () => {
    expect(attestableValues({ ...facts, status: 200, body: null })).toEqual({
      reason: 'the body of the response cannot be decoded',
    });
    expect(valuesOf(JSON.stringify(Array(729).fill(1)))).toEqual({ reason: 'the body has more than 728 values' });
    expect(valuesOf('<html>')).toEqual({ reason: expect.stringMatching(/^the body cannot be read as JSON: a value/) });
    expect(valuesOf(JSON.stringify(Array(728).fill(1))).scalars?.size).toBe(728);
  });

  it.each([200, 201, 203, 204, 299])('are signed for status %i', (status) => {
    const exchange = { ...facts, status, body: { bytes: text('{"a":1}'), hidden: [] } };
    expect(attestableValues(exchange).scalars?.size).toBe(1);
    const opened = openValuesExtension([buildValuesExtension(signer, seed, exchange)], notaryKey, exchange);
    expect(opened?.tree.open(requestClaim(facts))).toBeDefined();
  });

  it.each([206, 300, 301, 304, 404, 416, 500])('are not signed for status %i, nor the request for a seal', (status) => {
    const exchange = { ...facts, status, body: { bytes: text('{"a":1}'), hidden: [] } };
    expect(attestableValues(exchange)).toEqual({ reason: `its status is ${status}` });
    const extension = buildValuesExtension(signer, seed, exchange);
    const opened = openValuesExtension([extension], notaryKey, exchange);
    expect(opened?.tree.open(requestClaim(facts))).toBeUndefined();
    expect(opened?.tree.open(valueClaim('a', { kind: 'uint256', text: '1' }))).toBeUndefined();
    expect(opened?.tree.open(requestClaim(facts, { kind: 'notary', sealable: false }))).toBeDefined();
    expect(() => openValuesExtension([extension], notaryKey, { ...exchange, status: 200 })).toThrow(AttestationError);
  });

  it('are no excuse for a defect', () => {
    const broken = {
      get bytes(): Uint8Array {
        throw new TypeError('a defect');
      },
      hidden: [],
    };
    expect(() => attestableValues({ ...facts, status: 200, body: broken })).toThrow(new TypeError('a defect'));
  });

  it('may fill the tree, and no more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `q${i}`);
    const values = (count: number) => Array.from({ length: count }, () => ({ kind: 'json' as const, text: '1' }));
    expect(attestQueryValues(signer, seed, facts, many(728), values(728))).toHaveLength(289);
    expect(() => attestQueryValues(signer, seed, facts, many(729), values(729))).toThrow(
      new RangeError('more values than a tree holds'),
    );
    expect(() => attestQueryValues(signer, seed, facts, many(2), values(1))).toThrow(
      new RangeError('there is one value for each query'),
    );
  });

  it('are attested once', () => {
    const exchange = { ...facts, status: 200, body: null };
    const extension = buildValuesExtension(signer, seed, exchange);
    expect(toHex(extension.id)).toBe(toHex('credence.attested-values.v2'));
    expect(() => openValuesExtension([extension, extension], notaryKey, exchange)).toThrow(
      new AttestationError('there is more than one attestation of values'),
    );
  });
});

/** Of the secret 32 × 07: proofs that are out there name this key. */
const KNOWN = {
  publicKey: {
    x: 21566254485003618141037681259007275696415280731283172282638075750641664120619n,
    y: 3090976224687548486360017345265517562688246830468256919233231819235898521987n,
  },
  signature: {
    r8x: 7738038200835122735576876011387040844038089693900693428422694670553576856543n,
    r8y: 2671091569537829479924339562776350083631354764456588497803378372577252560531n,
    s: 173221171309818130957732873627341742181347204684241367232849903833003785854n,
  },
};
