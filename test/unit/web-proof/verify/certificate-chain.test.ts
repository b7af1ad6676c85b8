import { describe, expect, it } from 'vitest';
import { certificateVerdicts } from '../../../support/certificate-verdicts.ts';
import { makeHandshake, seededRandom } from '../../../support/proof-builder.ts';
import { issueOracleRoot } from '../../../support/replaced-root.ts';
import {
  ANY_EXTENDED_KEY_USAGE,
  CLIENT_AUTH,
  type IssuedCertificate,
  type IssueOptions,
  issueIntermediate,
  issueLeaf,
  issueRoot,
  newKey,
} from '../../../support/test-ca.ts';

const NOW = Math.floor(Date.now() / 1000);
const at = (seconds: number) => new Date(seconds * 1000);

const root = issueOracleRoot();
const mid = issueIntermediate(root);
const leaf = issueLeaf(mid, ['a.test']);
const otherMid = issueIntermediate(root, { subject: { commonName: 'Another Intermediate' } });

const verdictsOf = certificateVerdicts(root);

interface Case {
  readonly chain: readonly IssuedCertificate[];
  readonly name?: string;
  readonly time?: number;
  readonly variant?: number;
  /** By both verifiers, unless `official` says otherwise. */
  readonly accepted: boolean;
  /** What the official verifier says where ours is stricter on purpose. */
  readonly official?: boolean;
}

/** A chain below a leaf option, a mid option: most cases change one thing. */
const withLeaf = (options: Partial<IssueOptions>, dns: readonly string[] = ['a.test']) => [
  issueLeaf(mid, dns, options),
  mid,
];
const withMid = (options: Partial<IssueOptions>) => {
  const changed = issueIntermediate(root, options);
  return [issueLeaf(changed, ['a.test']), changed];
};
const chainOf = (intermediates: number) => {
  const chain: IssuedCertificate[] = [];
  let issuer = root;
  for (let i = 0; i < intermediates; i++) {
    issuer = issueIntermediate(issuer, { subject: { commonName: `Intermediate ${i}` } });
    chain.unshift(issuer);
  }
  return [issueLeaf(issuer, ['a.test']), ...chain];
};
const sameName = (key: 'p256' | 'p384') => issueIntermediate(root, { key: newKey(key) });

const CASES: Record<string, () => Case> = {
  'leaf, intermediate': () => ({ chain: [leaf, mid], accepted: true }),
  'leaf issued by a root': () => ({ chain: [issueLeaf(root, ['a.test'])], accepted: true }),
  'intermediates in any order, extra and repeated ones, root included': () => {
    const lower = issueIntermediate(mid, { subject: { commonName: 'Lower' } });
    return { chain: [issueLeaf(lower, ['a.test']), root, mid, otherMid, lower, mid], accepted: true };
  },
  'six intermediates': () => ({ chain: chainOf(6), accepted: true }),
  'seven intermediates': () => ({ chain: chainOf(7), accepted: false }),
  'intermediate missing': () => ({ chain: [leaf], accepted: false }),
  'leaf behind the intermediate': () => ({ chain: [mid, leaf], accepted: false }),
  'self-signed leaf': () => ({ chain: [issueLeaf(mid, ['a.test'], { issuer: undefined })], accepted: false }),
  'an untrusted root that is sent along': () => {
    const stranger = issueRoot({ subject: { commonName: 'Stranger' } });
    return { chain: [issueLeaf(stranger, ['a.test']), stranger], accepted: false };
  },
  'a root of the trusted name with another key': () => {
    const impostor = issueRoot({ subject: root.subject });
    return { chain: [issueLeaf(impostor, ['a.test']), impostor], accepted: false };
  },
  'leaf from the second on': () => ({ chain: withLeaf({ notBefore: at(NOW) }), time: NOW, accepted: true }),
  'leaf a second too early': () => ({ chain: withLeaf({ notBefore: at(NOW) }), time: NOW - 1, accepted: false }),
  'leaf up to the second': () => ({ chain: withLeaf({ notAfter: at(NOW) }), time: NOW, accepted: true }),
  'leaf expired a second ago': () => ({ chain: withLeaf({ notAfter: at(NOW) }), time: NOW + 1, accepted: false }),
  'intermediate expired': () => ({ chain: withMid({ notAfter: at(NOW) }), time: NOW + 1, accepted: false }),
  'intermediate not yet valid': () => ({ chain: withMid({ notBefore: at(NOW) }), time: NOW - 1, accepted: false }),
  'leaf is a CA': () => ({ chain: withLeaf({ ca: true }), accepted: false }),
  'leaf with explicit CA:FALSE': () => ({ chain: withLeaf({ ca: false }), accepted: true }),
  'leaf of X.509 v1': () => ({ chain: withLeaf({ versionOne: true }), accepted: false }),
  'leaf without extended key usage': () => ({ chain: withLeaf({ extendedKeyUsage: [] }), accepted: true }),
  'leaf for clients only': () => ({ chain: withLeaf({ extendedKeyUsage: [CLIENT_AUTH] }), accepted: false }),
  'leaf for any use': () => ({ chain: withLeaf({ extendedKeyUsage: [ANY_EXTENDED_KEY_USAGE] }), accepted: false }),
  'leaf whose key may sign': () => ({ chain: withLeaf({ keyUsage: 0x80 }), accepted: true }),
  'leaf whose key must not sign': () => ({ chain: withLeaf({ keyUsage: 0x20 }), accepted: false, official: true }),
  'eight certificates, of which six are superfluous': () => ({
    chain: [leaf, ...Array.from({ length: 6 }, () => sameName('p256')), mid],
    accepted: true,
  }),
  'intermediate without basic constraints': () => ({
    chain: withMid({ withoutBasicConstraints: true }),
    accepted: false,
  }),
  'intermediate with CA:FALSE': () => ({ chain: withMid({ ca: false }), accepted: false }),
  'intermediate for clients only': () => ({ chain: withMid({ extendedKeyUsage: [CLIENT_AUTH] }), accepted: false }),
  'path length kept': () => {
    const upper = issueIntermediate(root, { pathLength: 1 });
    const lower = issueIntermediate(upper, { subject: { commonName: 'Lower' }, pathLength: 0 });
    return { chain: [issueLeaf(lower, ['a.test']), lower, upper], accepted: true };
  },
  'path length broken': () => {
    const upper = issueIntermediate(root, { pathLength: 0 });
    const lower = issueIntermediate(upper, { subject: { commonName: 'Lower' } });
    return { chain: [issueLeaf(lower, ['a.test']), lower, upper], accepted: false };
  },
  'intermediate with name constraints, even when met': () => ({
    chain: withMid({ nameConstraints: { permitted: [[2, 'test']] } }),
    accepted: false,
  }),
  'intermediate with name constraints that are not met': () => ({
    chain: withMid({ nameConstraints: { permitted: [[2, 'example']] } }),
    accepted: false,
  }),
  'unknown critical extension in the leaf': () => ({
    chain: withLeaf({ unknownCriticalExtension: true }),
    accepted: false,
  }),
  'unknown critical extension in the intermediate': () => ({
    chain: withMid({ unknownCriticalExtension: true }),
    accepted: false,
  }),
  'two different signature algorithms named': () => ({
    chain: withLeaf({ outerSignature: 'ecdsa-sha384' }),
    accepted: false,
  }),
  'leaf signed with ECDSA and SHA-384 by P-256': () => ({
    chain: withLeaf({ signature: 'ecdsa-sha384' }),
    accepted: true,
  }),
  'leaf signed with ECDSA and SHA-512': () => ({ chain: withLeaf({ signature: 'ecdsa-sha512' }), accepted: false }),
  'leaf signed with ECDSA and SHA-1': () => ({ chain: withLeaf({ signature: 'ecdsa-sha1' }), accepted: false }),
  'RSA key of 1024 bits in the leaf': () => ({ chain: withLeaf({ key: newKey('rsa-1024') }), accepted: false }),
  'RSA key of 1024 bits in the intermediate': () => ({ chain: withMid({ key: newKey('rsa-1024') }), accepted: false }),
  'P-521 key in the leaf': () => ({ chain: withLeaf({ key: newKey('p521') }), accepted: false }),
  'P-384 key in the leaf': () => ({ chain: withLeaf({ key: newKey('p384') }), accepted: true }),
  'P-384 key in the leaf with SHA-384': () => ({
    chain: withLeaf({ key: newKey('p384') }),
    variant: 5,
    accepted: true,
  }),
  'Ed25519 key in the leaf': () => ({ chain: withLeaf({ key: newKey('ed25519') }), accepted: true }),
  'Ed25519 key in the intermediate': () => ({
    chain: withMid({ key: newKey('ed25519') }),
    accepted: false,
    official: true,
  }),
  'two intermediates of one name, the wrong key first': () => {
    const right = sameName('p256');
    return { chain: [issueLeaf(right, ['a.test']), sameName('p384'), sameName('p256'), right], accepted: true };
  },
  'common name only': () => ({
    chain: [issueLeaf(mid, [], { subject: { commonName: 'a.test' }, dns: undefined }), mid],
    accepted: false,
  }),
  'another name': () => ({ chain: [leaf, mid], name: 'b.test', accepted: false }),
  'wildcard, one label': () => ({ chain: withLeaf({}, ['*.b.test']), name: 'a.b.test', accepted: true }),
  'wildcard, no label': () => ({ chain: withLeaf({}, ['*.b.test']), name: 'b.test', accepted: false }),
  'wildcard, two labels': () => ({ chain: withLeaf({}, ['*.b.test']), name: 'x.a.b.test', accepted: false }),
  'wildcard with one label after it': () => ({ chain: withLeaf({}, ['*.test']), name: 'a.test', accepted: false }),
  'wildcard inside a label': () => ({ chain: withLeaf({}, ['a*.b.test']), name: 'ab.b.test', accepted: false }),
  'certificate in upper case': () => ({ chain: withLeaf({}, ['A.TEST']), accepted: true }),
  'name in upper case': () => ({ chain: [leaf, mid], name: 'A.test', accepted: false, official: true }),
  'name with a trailing dot': () => ({ chain: [leaf, mid], name: 'a.test.', accepted: false, official: true }),
  'name with two trailing dots': () => ({ chain: [leaf, mid], name: 'a.test..', accepted: false }),
  'name empty': () => ({ chain: [leaf, mid], name: '', accepted: false }),
  'name is a wildcard': () => ({ chain: withLeaf({}, ['*.b.test']), name: '*.b.test', accepted: false }),
  'name is an address': () => ({ chain: withLeaf({}, ['127.0.0.1']), name: '127.0.0.1', accepted: false }),
  'label ends in a hyphen': () => ({ chain: withLeaf({}, ['a-.test']), name: 'a-.test', accepted: false }),
  'last label all digits': () => ({ chain: withLeaf({}, ['a.12']), name: 'a.12', accepted: false }),
  'first label all digits': () => ({ chain: withLeaf({}, ['12.test']), name: '12.test', accepted: true }),
  'single label': () => ({ chain: withLeaf({}, ['localhost']), name: 'localhost', accepted: true }),
  'underscore in a label': () => ({ chain: withLeaf({}, ['a_b.test']), name: 'a_b.test', accepted: true }),
  punycode: () => ({ chain: withLeaf({}, ['xn--bcher-kva.test']), name: 'xn--bcher-kva.test', accepted: true }),
};

const RSA = newKey('rsa');
for (const variant of [2, 4, 6, 8, 9, 10]) {
  CASES[`RSA leaf, scheme ${variant}`] = () => ({ chain: withLeaf({ key: RSA }), variant, accepted: true });
}
for (const signature of ['rsa-sha256', 'rsa-sha384', 'rsa-sha512', 'rsa-pss-sha256'] as const) {
  CASES[`leaf signed with ${signature}`] = () => {
    const issuer = issueIntermediate(root, { key: RSA });
    return { chain: [issueLeaf(issuer, ['a.test'], { signature }), issuer], accepted: true };
  };
}
CASES['leaf signed with RSA, without parameters'] = () => {
  const issuer = issueIntermediate(root, { key: RSA });
  const leafWithout = issueLeaf(issuer, ['a.test'], { withoutParameters: true });
  // RFC 4055 section 5 demands of readers what the official verifier does not do.
  return { chain: [leafWithout, issuer], accepted: true, official: false };
};
CASES['leaf signed with rsa-sha1'] = () => {
  const issuer = issueIntermediate(root, { key: RSA });
  return { chain: [issueLeaf(issuer, ['a.test'], { signature: 'rsa-sha1' }), issuer], accepted: false };
};

describe('certificate chains', () => {
  for (const [title, make] of Object.entries(CASES)) {
    it(`${title}`, async () => {
      const { chain, name = 'a.test', time = NOW, variant, accepted, official = accepted } = make();
      const random = seededRandom(1).bytes;
      const key = chain[0]?.privateKey ?? leaf.privateKey;
      const usable = variant ?? (key.asymmetricKeyDetails?.namedCurve === 'secp521r1' ? 3 : undefined);
      const { official: verdict, ...verdicts } = await verdictsOf({
        handshake: makeHandshake(
          key,
          chain.map((certificate) => certificate.der),
          random,
          usable,
        ),
        serverName: name,
        time,
        random,
      });
      const ours = verdicts.ours ?? 'accepted';
      const withoutNode = verdicts.withoutNode ?? 'accepted';
      if (accepted) expect(ours).toBe('accepted');
      else expect(ours).toMatch(/^Verification failed: /);
      // Without pkijs it may accept what the official verifier does.
      if (accepted || !official) expect(withoutNode).toBe(ours);
      else expect(withoutNode).toMatch(/^(Verification failed: |accepted$)/);
      expect(verdict.accepted, verdict.accepted ? '' : verdict.reason).toBe(official);
    });
  }
});
