import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { AttestationError } from '../../../core/web-proof/attested-values/attestation.ts';
import { buildCommitmentTree } from '../../../core/web-proof/attested-values/commitment-tree.ts';
import { requestCommitment, valueCommitment } from '../../../core/web-proof/attested-values/commitments.ts';
import {
  attestableValues,
  openValuesExtension,
  type ProvableExchange,
} from '../../../core/web-proof/attested-values/extension.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-signature.ts';
import { buildValuesExtension } from '../../support/values-extension.ts';

const secretKey = new Uint8Array(32).fill(7);
const notaryKey = secp256k1.getPublicKey(secretKey, true);
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
    isRequestSealable: true,
    body: content,
    ...change,
  };
}

describe('the claim tree', () => {
  it('depends on order, request and seed', () => {
    const roots = [
      buildCommitmentTree(seed, { request: 9n, values: [1n, 2n] }).root,
      buildCommitmentTree(seed, { request: 9n, values: [2n, 1n] }).root,
      buildCommitmentTree(seed, { request: 9n, values: [1n, 2n, 3n] }).root,
      buildCommitmentTree(seed, { request: 8n, values: [1n, 2n] }).root,
      buildCommitmentTree(new Uint8Array(32), { request: 9n, values: [1n, 2n] }).root,
    ];
    expect(new Set(roots).size).toBe(roots.length);
  });
});

describe('the extension', () => {
  const open = (shown: ProvableExchange, made = exchange('{"a":"x","b":[1,2]}')) =>
    openValuesExtension([buildValuesExtension(signer, seed, made)], notaryKey, shown);

  it('can be rebuilt from what the presentation reveals', () => {
    expect(
      open(exchange('{"a":"x","b":[1,2]}'))?.tree.open(valueCommitment('b[1]', { kind: 'uint256', text: '2' })),
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
      expect(open(made, made)?.tree.request).toBe(requestCommitment(made));
    }
  });
});
