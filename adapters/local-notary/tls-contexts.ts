/** What we offer in TLS handshakes. */
import { createSecureContext, rootCertificates, type SecureContext, type SecureContextOptions } from 'node:tls';

const CIPHERS = ['ECDSA-AES128', 'RSA-AES128', 'ECDSA-AES256', 'RSA-AES256']
  .map((suite) => `ECDHE-${suite}-GCM-SHA${suite.endsWith('256') ? '384' : '256'}`)
  .join(':');

/** OpenSSL's names of the schemes that verifiers accept: an unusable server then fails in the handshake already. */
const SIGNATURE_ALGORITHMS = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ed25519',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
];

/** What a proof can be made of. In TLS 1.2 the groups also limit the curves of certificates. */
const PROVABLE: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  ecdhCurve: 'P-256',
  sigalgs: SIGNATURE_ALGORITHMS.join(':'),
};
const WITH_P384: SecureContextOptions = { ...PROVABLE, ecdhCurve: 'P-256:P-384' };
/** What MPC-TLS can do of it. */
const BLIND_CIPHERS = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';

const OFFERS = {
  /** First: only P-256, so that no server chooses another group for its ephemeral key. */
  provable: PROVABLE,
  /** For certificates on P-384. Who prefers P-384 for the ephemeral key, too, cannot be proven. */
  provableWithP384: WITH_P384,
  /** The same for the probe of a blind session. */
  blind: { ...PROVABLE, ciphers: BLIND_CIPHERS },
  blindWithP384: { ...WITH_P384, ciphers: BLIND_CIPHERS },
  // The others show why a server refuses both; nothing is proven with them.
  anyCipher: { ...WITH_P384, ciphers: 'ECDHE' },
  anyTls12: {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: `${CIPHERS}:ECDHE:ALL`,
    ecdhCurve: 'P-256:P-384:P-521:X25519:X448',
  },
  tls13: { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
} as const satisfies Record<string, SecureContextOptions>;

export type OfferName = keyof typeof OFFERS;

/**
 * Makes each context once, when it is first asked for: parsing all roots takes milliseconds.
 * @param extraRoots PEM roots trusted besides Node's.
 */
export function createTlsContexts(extraRoots: readonly string[]): (offer: OfferName) => SecureContext {
  const made = new Map<OfferName, SecureContext>();
  return (offer) => {
    const context =
      made.get(offer) ?? createSecureContext({ ...OFFERS[offer], ca: [...rootCertificates, ...extraRoots] });
    made.set(offer, context);
    return context;
  };
}
