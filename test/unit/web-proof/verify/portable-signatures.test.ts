/** Signatures of certificates and servers, checked in JavaScript, against those that node:crypto makes and accepts. */
import { constants, createPublicKey, type KeyObject, type SignKeyObjectInput, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCertificateKey } from '../../../../adapters/x509/portable/public-keys.ts';
import { SIGNATURE_SCHEMES, type SignatureScheme } from '../../../../core/web-proof/tlsnotary/signature-schemes.ts';
import { seededRandom } from '../../../support/proof-builder.ts';
import { newKey } from '../../../support/test-ca.ts';

const KEYS = { rsa: newKey('rsa'), p256: newKey('p256'), p384: newKey('p384'), ed25519: newKey('ed25519') };
const keysOf = ({ key }: SignatureScheme) => (key === 'ec' ? [KEYS.p256, KEYS.p384] : [KEYS[key]]);
const message = new TextEncoder().encode('what the server signed');

function options(
  key: KeyObject,
  { padding }: Pick<SignatureScheme, 'padding'>,
  salt: number = constants.RSA_PSS_SALTLEN_DIGEST,
) {
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt };
  return { key, ...(padding === 'pss' ? pss : {}) } satisfies SignKeyObjectInput;
}

const portable = (key: KeyObject) => readCertificateKey(createPublicKey(key).export({ type: 'spki', format: 'der' }));

describe.each(SIGNATURE_SCHEMES.map((scheme) => [scheme.tlsNumber.toString(16), scheme] as const))(
  'the scheme 0x%s',
  (_number, scheme) => {
    const made = keysOf(scheme).map((key) => ({ key, signature: sign(scheme.hash, message, options(key, scheme)) }));

    it('accepts what node:crypto signs, by this scheme only', () => {
      for (const { key, signature } of made) {
        for (const other of SIGNATURE_SCHEMES) {
          expect(portable(key).verify(other, message, signature), `${other.tlsNumber}`).toBe(other === scheme);
        }
      }
    });

    it('refuses every changed signature, message and key, as node:crypto does', () => {
      const random = seededRandom(scheme.variant);
      for (const { key, signature } of made) {
        const mutated = Array.from({ length: 8 }, () => {
          const changed = Uint8Array.from(signature);
          const at = random.below(changed.length);
          changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
          return [changed, signature.subarray(0, at)];
        });
        const forms = [...mutated.flat(), Uint8Array.of(0, ...signature), Uint8Array.of(...signature, 0)];
        const known = portable(key);
        const publicKey = options(createPublicKey(key), scheme);
        for (const form of forms) {
          const native = verify(scheme.hash, message, publicKey, form);
          expect(known.verify(scheme, message, form)).toBe(native);
        }
        expect(known.verify(scheme, Uint8Array.of(...message, 0), signature)).toBe(false);
      }
      const stranger = keysOf(scheme).map((key) =>
        newKey(
          key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'p384' : scheme.key === 'ec' ? 'p256' : scheme.key,
        ),
      );
      made.forEach(({ signature }, index) => {
        expect(portable(stranger[index] as KeyObject).verify(scheme, message, signature)).toBe(false);
      });
    });
  },
);

describe('RSA-PSS', () => {
  it('needs a salt as long as the digest', () => {
    const scheme = { key: 'rsa', padding: 'pss', hash: 'sha256' } as const;
    for (const salt of [0, 20, 31, 33, 64]) {
      const signature = sign('sha256', message, options(KEYS.rsa, scheme, salt));
      expect(portable(KEYS.rsa).verify(scheme, message, signature)).toBe(false);
    }
  });
});

describe('a key', () => {
  it('is strong as the other checker judges it', () => {
    for (const key of Object.values(KEYS)) expect(portable(key).isStrong).toBe(true);
    expect(portable(newKey('rsa-1024')).isStrong).toBe(false);
    expect(portable(newKey('p521')).isStrong).toBe(false);
  });
});
