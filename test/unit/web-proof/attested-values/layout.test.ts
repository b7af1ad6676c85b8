import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concat, toHex } from 'viem';
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
  openValuesExtension,
  type ProvableExchange,
  queryCommitments,
} from '../../../../core/web-proof/attested-values/extension.ts';
import { poseidon } from '../../../../core/web-proof/attested-values/poseidon.ts';
import {
  createValuesSigner,
  verifyValuesSignature,
} from '../../../../core/web-proof/attested-values/values-signature.ts';
import { buildValuesExtension, notaryKey, seed, signer } from '../../../support/values-extension.ts';

const facts = { method: 'GET', url: 'https://a.example/ż', tlsTimestamp: 1_763_600_000 };
const request = { ...facts, isRequestSealable: true };
const text = (value: string) => new TextEncoder().encode(value);

describe('the tree', () => {
  it('depends on order, request and seed', () => {
    const rootOf = (request: bigint, values: readonly bigint[], by = seed) =>
      buildCommitmentTree(by, { request, values }).root;
    const roots = [rootOf(9n, [1n, 2n]), rootOf(9n, [2n, 1n]), rootOf(9n, [1n, 2n, 3n]), rootOf(8n, [1n, 2n])];
    roots.push(rootOf(9n, [1n, 2n], new Uint8Array(32)));
    expect(new Set(roots).size).toBe(roots.length);
  });

  const upTo = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i + 1));

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

describe('the signature over a root', () => {
  const holds = verifyValuesSignature;

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
});

describe('the 97 bytes of an attestation', () => {
  const claims = { request: 1n, values: [2n, 3n] };
  const bytes = attestCommitments(signer, seed, claims);

  it('are seed and signature', () => {
    const { root } = buildCommitmentTree(seed, claims);
    const { r, s, v } = signer.sign(root);
    expect(toHex(bytes)).toBe(concat([toHex(seed), toHex(r, { size: 32 }), toHex(s, { size: 32 }), toHex(v)]));
    const opened = openAttestation(bytes, notaryKey, claims);
    expect(opened).toMatchObject({ signature: { r, s, v }, tree: { root } });
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
    expect([...valuesOf('{"a":1,"response.bodyjmespath":2,"b":["x",null,true]}')]).toEqual([
      ['a', { kind: 'uint256', text: '1' }],
      ['b[0]', { kind: 'string', text: 'x' }],
      ['b[2]', { kind: 'json', text: 'true' }],
    ]);
  });

  it('are none of a body that cannot be read, or has more of them than a tree holds', () => {
    expect(attestableValues({ ...request, status: 200, body: null }).size).toBe(0);
    const bodies = ['<html>', ...[729, 728].map((count) => JSON.stringify(Array(count).fill(1)))];
    expect(bodies.map((body) => valuesOf(body).size)).toEqual([0, 0, 728]);
  });

  it.each([200, 299])('are signed for status %i', (status) => {
    const exchange = { ...request, status, body: { bytes: text('{"a":1}'), hidden: [] } };
    expect(attestableValues(exchange).size).toBe(1);
    const opened = openValuesExtension([buildValuesExtension(signer, seed, exchange)], notaryKey, exchange);
    expect(opened?.tree.request).toBe(requestCommitment(facts));
  });

  it.each([206, 300, 404])('are not signed for status %i, nor the request for a seal', (status) => {
    const exchange = { ...request, status, body: { bytes: text('{"a":1}'), hidden: [] } };
    expect(attestableValues(exchange).size).toBe(0);
    const extension = buildValuesExtension(signer, seed, exchange);
    const opened = openValuesExtension([extension], notaryKey, exchange);
    expect(opened?.tree.open(valueCommitment('a', { kind: 'uint256', text: '1' }))).toBeUndefined();
    expect(opened?.tree.request).toBe(requestCommitment(facts, { kind: 'notary', sealable: false }));
    expect(() => openValuesExtension([extension], notaryKey, { ...exchange, status: 200 })).toThrow(AttestationError);
  });

  it('may fill the tree, and no more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `q${i}`);
    const values = (count: number) => Array.from({ length: count }, () => ({ kind: 'json' as const, text: '1' }));
    const signed = (queries: number, given = queries) =>
      attestCommitments(signer, seed, queryCommitments({ facts, queries: many(queries), values: values(given) }));
    expect(signed(729)).toHaveLength(97);
    expect(() => signed(730)).toThrow(new RangeError('a tree holds at most 729 values, not 730'));
    expect(() => signed(2, 1)).toThrow(new RangeError('there is one value for each query'));
  });

  it('are attested once', () => {
    // Without values it is the request alone.
    const exchange = { ...request, status: 200, body: null };
    const extension = buildValuesExtension(signer, seed, exchange);
    expect(toHex(extension.id)).toBe(toHex('credence.attested-values.v3'));
    expect(openValuesExtension([extension], notaryKey, exchange)?.tree.request).toBe(requestCommitment(facts));
    expect(() => openValuesExtension([extension, extension], notaryKey, exchange)).toThrow(
      new AttestationError('there is more than one attestation of values'),
    );
  });
});

describe('the extension', () => {
  const exchange = (body: string, change: Partial<ProvableExchange> = {}): ProvableExchange => ({
    ...request,
    status: 200,
    body: { bytes: text(body), hidden: [] },
    ...change,
  });
  const BODY = '{"a":"x","b":[1,2]}';
  const made = buildValuesExtension(signer, seed, exchange(BODY));
  const open = (shown: ProvableExchange) => openValuesExtension([made], notaryKey, shown);

  it('can be rebuilt from what the presentation reveals', () => {
    expect(open(exchange(BODY))?.tree.open(valueCommitment('b[1]', { kind: 'uint256', text: '2' }))).toBeDefined();
    // White space is no value.
    expect(open(exchange('{ "a": "x", "b": [1, 2] }'))).toBeDefined();
  });

  it.each([
    ['another value', exchange('{"a":"y","b":[1,2]}')],
    ['another type', exchange('{"a":"x","b":["1",2]}')],
    ['a value less', exchange('{"a":"x","b":[1]}')],
    ['a value more', exchange('{"a":"x","b":[1,2],"c":true}')],
    ['another method', exchange(BODY, { method: 'POST' })],
    ['another URL', exchange(BODY, { url: 'https://api.example.com/' })],
    ['another time', exchange(BODY, { tlsTimestamp: 1 })],
    ['no body', exchange('', { body: null })],
    ['a hidden value', exchange('', { body: { bytes: text(BODY), hidden: [{ start: 6, end: 7 }] } })],
  ])('does not open for %s', (_name, shown) => {
    expect(() => open(shown)).toThrow(AttestationError);
  });

  it('has no hidden data in it: what is hidden does not change it', () => {
    const hidden = (secret: string) =>
      exchange('', { body: { bytes: text(`{"a":"${secret}","n":1}`), hidden: [{ start: 6, end: 10 }] } });
    const [one, other] = ['pin1', 'pin2'].map((pin) => buildValuesExtension(signer, seed, hidden(pin)));
    expect(one).toEqual(other);
  });
});
