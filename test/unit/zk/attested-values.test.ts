import { secp256k1 } from '@noble/curves/secp256k1.js';
import { buildEddsa, buildPoseidon } from 'circomlibjs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ATTESTATION_LENGTH,
  AttestationError,
  attestClaims,
  openAttestation,
} from '../../../core/web-proof/attested-values/attestation.ts';
import { buildClaimTree, TREE_CAPACITY } from '../../../core/web-proof/attested-values/claim-tree.ts';
import { requestClaim, valueClaim } from '../../../core/web-proof/attested-values/claims.ts';
import {
  attestableValues,
  buildValuesExtension,
  EXTENSION_ID,
  openValuesExtension,
  type ProvableExchange,
} from '../../../core/web-proof/attested-values/extension.ts';
import { FIELD_ORDER, poseidon } from '../../../core/web-proof/attested-values/poseidon.ts';
import {
  createValuesSigner,
  verifyBinding,
  verifyValuesSignature,
} from '../../../core/web-proof/attested-values/values-key.ts';

const secretKey = new Uint8Array(32).fill(7);
const notaryKey = secp256k1.getPublicKey(secretKey, true);
const otherKey = secp256k1.getPublicKey(new Uint8Array(32).fill(8), true);
const signer = createValuesSigner(secretKey);
const seed = new Uint8Array(32).fill(1);

const text = (value: string) => new TextEncoder().encode(value);

function exchange(body: string, change: Partial<ProvableExchange> = {}): ProvableExchange {
  const content = { bytes: text(body), hidden: [] };
  return {
    method: 'GET',
    url: 'https://api.example.com/a?b=1',
    tlsTimestamp: 1_763_600_000,
    status: 200,
    body: content,
    ...change,
  };
}

describe('Poseidon', () => {
  let reference: Awaited<ReturnType<typeof buildPoseidon>>;
  beforeAll(async () => {
    reference = await buildPoseidon();
  });

  it.each([2, 5, 9, 10])('of %i elements is what circomlib computes', (count) => {
    const small = Array.from({ length: count }, (_, i) => BigInt(i));
    const large = Array.from({ length: count }, (_, i) => FIELD_ORDER - 1n - BigInt(i) ** 40n);
    for (const inputs of [small, large]) {
      expect(poseidon(inputs)).toBe(reference.F.toObject(reference(inputs)));
    }
  });

  it('refuses another number of elements', () => {
    expect(() => poseidon([1n, 2n, 3n])).toThrow(RangeError);
  });
});

describe('the values key', () => {
  it('signs as circomlib verifies', async () => {
    const eddsa = await buildEddsa();
    const { F } = eddsa;
    const message = 123_456_789n;
    const { r8x, r8y, s } = signer.sign(message);
    const point = (x: bigint, y: bigint): [Uint8Array, Uint8Array] => [F.e(x), F.e(y)];
    const key = point(signer.publicKey.x, signer.publicKey.y);
    expect(eddsa.verifyPoseidon(F.e(message), { R8: point(r8x, r8y), S: s }, key)).toBe(true);
    expect(eddsa.verifyPoseidon(F.e(message + 1n), { R8: point(r8x, r8y), S: s }, key)).toBe(false);
  });

  it('is derived from the key of the notary, and signed by it', () => {
    expect(createValuesSigner(secretKey).publicKey).toEqual(signer.publicKey);
    expect(createValuesSigner(new Uint8Array(32).fill(8)).publicKey).not.toEqual(signer.publicKey);
    expect(verifyBinding(notaryKey, signer.publicKey, signer.binding)).toBe(true);
    expect(verifyBinding(otherKey, signer.publicKey, signer.binding)).toBe(false);
    expect(verifyBinding(notaryKey, { ...signer.publicKey, x: 1n }, signer.binding)).toBe(false);
    const order = secp256k1.Point.Fn.ORDER;
    const twin = { ...signer.binding, s: order - signer.binding.s, v: 55 - signer.binding.v };
    expect(verifyBinding(notaryKey, signer.publicKey, twin)).toBe(false);
    expect(verifyBinding(notaryKey, signer.publicKey, { ...signer.binding, v: 29 })).toBe(false);
    expect(verifyBinding(notaryKey, signer.publicKey, { ...signer.binding, r: 0n })).toBe(false);
  });

  it('refuses what its signature is not about', () => {
    const signature = signer.sign(5n);
    const key = signer.publicKey;
    const order = 2736030358979909402780800718157159386076813972158567259200215660948447373041n;
    expect(verifyValuesSignature(key, 5n, signature)).toBe(true);
    expect(verifyValuesSignature(key, 6n, signature)).toBe(false);
    expect(verifyValuesSignature(key, 5n + FIELD_ORDER, signature)).toBe(false);
    expect(verifyValuesSignature(key, 5n, { ...signature, s: signature.s + 1n })).toBe(false);
    expect(verifyValuesSignature(key, 5n, { ...signature, s: signature.s + order })).toBe(false);
    expect(verifyValuesSignature(key, 5n, { ...signature, r8x: signature.r8x + 1n })).toBe(false);
    expect(verifyValuesSignature(key, 5n, { ...signature, r8x: signature.r8x + FIELD_ORDER })).toBe(false);
    expect(verifyValuesSignature({ x: 0n, y: FIELD_ORDER - 1n }, 5n, signature)).toBe(false);
    expect(verifyValuesSignature({ x: 1n, y: 1n }, 5n, signature)).toBe(false);
  });

  it('does not show the secret of the notary', () => {
    const shown = JSON.stringify([signer.publicKey, signer.sign(1n), signer.binding], (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString(16) : value,
    );
    expect(shown).not.toContain('07070707');
  });
});

describe('claims', () => {
  const facts = { method: 'GET', url: 'https://a.example/', tlsTimestamp: 1 };

  it('differ by everything that they claim, and fit the field', () => {
    const claims = [
      requestClaim(facts),
      requestClaim({ ...facts, method: 'POST' }),
      requestClaim({ ...facts, url: 'https://b.example/' }),
      requestClaim({ ...facts, tlsTimestamp: 2 }),
      valueClaim('a', { kind: 'string', text: 'true' }),
      valueClaim('a', { kind: 'json', text: 'true' }),
      valueClaim('b', { kind: 'string', text: 'true' }),
      valueClaim('a', { kind: 'string', text: '1' }),
      valueClaim('a', { kind: 'uint256', text: '1' }),
    ];
    expect(new Set(claims).size).toBe(claims.length);
    for (const claim of claims) expect(claim >> 248n).toBe(0n);
  });
});

describe('the claim tree', () => {
  const claims = Array.from({ length: 100 }, (_, i) => BigInt(i + 1));

  it('opens every claim: leaf, node and root follow from each other', () => {
    const tree = buildClaimTree(seed, claims);
    for (const claim of claims) {
      const opening = tree.open(claim);
      if (opening === undefined) throw new Error(`no opening of ${claim}`);
      expect(opening.claims).toContain(claim);
      let node = poseidon([opening.salt, ...opening.claims]);
      for (const group of opening.groups) {
        expect(group).toContain(node);
        node = poseidon(group);
      }
      expect(node).toBe(tree.root);
    }
  });

  it('opens nothing that is not there, zero least of all', () => {
    const tree = buildClaimTree(seed, [1n, 2n]);
    expect(tree.open(3n)).toBeUndefined();
    expect(tree.open(0n)).toBeUndefined();
  });

  it('depends on order and seed', () => {
    const roots = [
      buildClaimTree(seed, [1n, 2n]).root,
      buildClaimTree(seed, [2n, 1n]).root,
      buildClaimTree(seed, [1n, 2n, 3n]).root,
      buildClaimTree(new Uint8Array(32), [1n, 2n]).root,
    ];
    expect(new Set(roots).size).toBe(roots.length);
  });

  it('refuses none and too many', () => {
    expect(() => buildClaimTree(seed, [])).toThrow(RangeError);
    expect(() => buildClaimTree(seed, new Array<bigint>(TREE_CAPACITY + 1).fill(1n))).toThrow(RangeError);
  });
});

describe('the attestation', () => {
  const bytes = attestClaims(signer, seed, [1n, 2n, 3n]);

  it('opens with its own claims and key only', () => {
    expect(bytes).toHaveLength(ATTESTATION_LENGTH);
    expect(openAttestation(bytes, notaryKey, [1n, 2n, 3n]).tree.open(2n)).toBeDefined();
    expect(() => openAttestation(bytes, otherKey, [1n, 2n, 3n])).toThrow(AttestationError);
    expect(() => openAttestation(bytes, notaryKey, [1n, 2n, 4n])).toThrow(AttestationError);
    expect(() => openAttestation(bytes, notaryKey, [1n, 2n])).toThrow(AttestationError);
  });

  it('refuses every changed byte and every other length', () => {
    for (let at = 0; at < bytes.length; at += 13) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openAttestation(changed, notaryKey, [1n, 2n, 3n]), `byte ${at}`).toThrow(AttestationError);
    }
    expect(() => openAttestation(bytes.subarray(1), notaryKey, [1n, 2n, 3n])).toThrow('289');
    expect(() => openAttestation(new Uint8Array(0), notaryKey, [1n, 2n, 3n])).toThrow('289');
  });
});

describe('the extension', () => {
  const open = (shown: ProvableExchange, made = exchange('{"a":"x","b":[1,2]}')) =>
    openValuesExtension([buildValuesExtension(signer, seed, made)], notaryKey, shown);

  it('can be rebuilt from what the presentation reveals', () => {
    expect(
      open(exchange('{"a":"x","b":[1,2]}'))?.tree.open(valueClaim('b[1]', { kind: 'uint256', text: '2' })),
    ).toBeDefined();
    // White space is no value.
    expect(open(exchange('{ "a": "x", "b": [1, 2] }'))).toBeDefined();
  });

  it.each([
    ['another value', exchange('{"a":"y","b":[1,2]}')],
    ['another type', exchange('{"a":"x","b":["1",2]}')],
    ['another name', exchange('{"c":"x","b":[1,2]}')],
    ['a value less', exchange('{"a":"x","b":[1]}')],
    ['a value more', exchange('{"a":"x","b":[1,2],"c":true}')],
    ['another method', exchange('{"a":"x","b":[1,2]}', { method: 'POST' })],
    ['another URL', exchange('{"a":"x","b":[1,2]}', { url: 'https://api.example.com/' })],
    ['another time', exchange('{"a":"x","b":[1,2]}', { tlsTimestamp: 1 })],
    ['no body', exchange('', { body: null })],
    ['a hidden value', exchange('', { body: { bytes: text('{"a":"x","b":[1,2]}'), hidden: [{ start: 6, end: 7 }] } })],
  ])('does not open for %s', (_name, shown) => {
    expect(() => open(shown)).toThrow(AttestationError);
  });

  it('has no hidden data in it: what is hidden does not change it', () => {
    const hidden = (secret: string) =>
      exchange('', { body: { bytes: text(`{"a":"${secret}","n":1}`), hidden: [{ start: 6, end: 10 }] } });
    expect(buildValuesExtension(signer, seed, hidden('pin1'))).toEqual(
      buildValuesExtension(signer, seed, hidden('pin2')),
    );
  });

  it('is the request alone where there are no values to prove', () => {
    for (const body of ['<html>', '', '{"a":1,"a":2}', JSON.stringify(new Array(800).fill(1))]) {
      const made = exchange(body);
      expect(attestableValues(made)).toMatchObject({ reason: expect.any(String) });
      expect(open(made, made)?.tree.open(requestClaim(made))).toBeDefined();
    }
  });

  it('is found by its id, once', () => {
    const extension = buildValuesExtension(signer, seed, exchange('1'));
    expect(new TextDecoder().decode(extension.id)).toBe(EXTENSION_ID);
    const other = { id: text('other'), value: new Uint8Array(3) };
    expect(openValuesExtension([other], notaryKey, exchange('1'))).toBeUndefined();
    expect(openValuesExtension([other, extension], notaryKey, exchange('1'))).toBeDefined();
    expect(() => openValuesExtension([extension, extension], notaryKey, exchange('1'))).toThrow('more than one');
  });
});
