import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { createNodeSignatureVerifier } from '../../../../adapters/node-signatures/index.ts';
import { javascriptSignatures } from '../../../../core/web-proof/tlsnotary/javascript-signatures.ts';
import { seededRandom } from '../../../support/proof-builder.ts';

const CURVES = { secp256k1, p256 };
const VERIFIERS = { 'in JavaScript': javascriptSignatures, 'by Node': createNodeSignatureVerifier() };
const secret = new Uint8Array(32).fill(5);
const message = new Uint8Array(54).fill(9);

function word(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}

describe.each(Object.keys(CURVES) as (keyof typeof CURVES)[])('signatures on %s', (name) => {
  const curve = CURVES[name];
  const order = curve.Point.Fn.ORDER;
  const key = curve.getPublicKey(secret, true);
  const signature = curve.sign(message, secret);
  const [r, s] = [signature.slice(0, 32), BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`)];

  describe.each(Object.entries(VERIFIERS))('checked %s', (_title, { verifyEcdsa }) => {
    it('hold with either value of s', () => {
      expect(verifyEcdsa(name, key, message, signature)).toBe(true);
      expect(verifyEcdsa(name, key, message, Uint8Array.of(...r, ...word(order - s)))).toBe(true);
    });

    it('do not hold for another message or another key', () => {
      expect(verifyEcdsa(name, key, message.slice(1), signature)).toBe(false);
      const other = curve.getPublicKey(new Uint8Array(32).fill(6), true);
      expect(verifyEcdsa(name, other, message, signature)).toBe(false);
    });

    it('do not hold with a number that is zero or not below the order', () => {
      for (const value of [0n, order, order + 1n, 2n ** 256n - 1n]) {
        expect(verifyEcdsa(name, key, message, Uint8Array.of(...word(value), ...word(s)))).toBe(false);
        expect(verifyEcdsa(name, key, message, Uint8Array.of(...r, ...word(value)))).toBe(false);
      }
    });

    it('do not hold for bytes that are no key, and do not throw', () => {
      const offCurve = Uint8Array.of(2, ...new Uint8Array(32).fill(0xff));
      for (const bytes of [offCurve, new Uint8Array(33), new Uint8Array(0)]) {
        const verdict = () => verifyEcdsa(name, bytes, message, signature);
        expect(verdict).not.toThrow();
        expect(verdict()).toBe(false);
      }
    });
  });

  it('are judged alike by both after any change of a bit', () => {
    const random = seededRandom(3);
    for (let i = 0; i < 16; i += 1) {
      const changed = Uint8Array.from(signature);
      const at = random.below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      for (const { verifyEcdsa } of Object.values(VERIFIERS)) {
        expect(verifyEcdsa(name, key, message, changed)).toBe(false);
      }
    }
  });
});
