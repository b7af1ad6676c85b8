import { createPublicKey } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { readSubject } from '../../../../adapters/x509/certificate-profile.ts';
import { loadTrustedRoots } from '../../../../adapters/x509/trusted-roots.ts';
import { certificateVerdicts } from '../../../support/certificate-verdicts.ts';
import { type CertificateParts, element, rewriteCertificate } from '../../../support/der-mutations.ts';
import { makeHandshake, seededRandom } from '../../../support/proof-builder.ts';
import { issueOracleRoot } from '../../../support/replaced-root.ts';
import { issueIntermediate, issueLeaf, newKey } from '../../../support/test-ca.ts';

const root = issueOracleRoot();
const mid = issueIntermediate(root);
const leaf = issueLeaf(mid, ['a.test'], { extendedKeyUsage: [] });
const rsaKey = newKey('rsa');
const rsaLeaf = issueLeaf(mid, ['a.test'], { key: rsaKey });

const verdictsOf = certificateVerdicts(root);

/** Positions in what the issuer signs. */
const AT = { version: 0, serial: 1, algorithm: 2, validity: 4, subject: 5, key: 6, extensions: 7 } as const;
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const text = (value: string) => Uint8Array.from(Buffer.from(value, 'latin1'));
const sequence = (...content: Uint8Array[]) => element(0x30, ...content);
const integer = (hex: string) => element(0x02, bytes(hex));
const ECDSA_SHA256 = '06082a8648ce3d040302';
const SUBJECT_KEY_ID = '0603551d0e';
const KEY_USAGE = '0603551d0f';
const SUBJECT_ALT_NAME = '0603551d11';
const AUTHORITY_KEY_ID = '0603551d23';
const BASIC_CONSTRAINTS = '0603551d13';
const EXTENDED_KEY_USAGE = '0603551d25';

type Edit = (parts: CertificateParts) => void;
const set =
  (at: keyof typeof AT, value: Uint8Array): Edit =>
  ({ tbs }) => {
    tbs[AT[at]] = value;
  };
const utc = (value: string) => element(0x17, text(value));
const generalized = (value: string) => element(0x18, text(value));
const extension = (oid: string, value: Uint8Array, critical?: number) =>
  sequence(
    bytes(oid),
    ...(critical === undefined ? [] : [element(0x01, Uint8Array.of(critical))]),
    element(0x04, value),
  );
const withExtensions = (...list: Uint8Array[]) => set('extensions', element(0xa3, sequence(...list)));
const names = (...list: Uint8Array[]) => extension(SUBJECT_ALT_NAME, sequence(...list));
const dns = (value: string) => element(0x82, text(value));
const withNames = (...list: Uint8Array[]) => withExtensions(names(...list));
const NAMES = names(dns('a.test'));
/** The right name, and another extension. */
const beside = (oid: string, value: Uint8Array) => withExtensions(NAMES, extension(oid, value));
/** Before the right name, and behind it. */
const first = (...names: (string | Uint8Array)[]) =>
  withNames(...names.map((name) => (typeof name === 'string' ? dns(name) : name)), dns('a.test'));
const until2049 = (notBefore: Uint8Array) => set('validity', sequence(notBefore, utc('491231235959Z')));
const keyOf = (algorithm: string, ...more: Uint8Array[]) =>
  set('key', sequence(sequence(bytes(algorithm)), element(0x03, Uint8Array.of(0, 4, ...point)), ...more));
const point = createPublicKey(leaf.privateKey).export({ type: 'spki', format: 'der' }).subarray(-64);
const EC_ON_P256 = '06072a8648ce3d020106082a8648ce3d030107';
const p256 = (key: Uint8Array) => set('key', sequence(sequence(bytes(EC_ON_P256)), element(0x03, key)));
const modulus = createPublicKey(rsaKey).export({ format: 'jwk' }).n ?? '';

const REFUSED: Record<string, Edit> = {
  'serial number zero': set('serial', integer('00')),
  'serial number negative': set('serial', integer('80')),
  'serial number of 21 bytes': set('serial', integer('01'.repeat(21))),
  'serial number of 40 bytes': set('serial', integer('01'.repeat(40))),
  'serial number with a needless zero in front': set('serial', integer('0001')),
  'serial number empty': set('serial', integer('')),
  'version 1 written out': set('version', element(0xa0, integer('00'))),
  'version 2': set('version', element(0xa0, integer('01'))),
  'version 4': set('version', element(0xa0, integer('03'))),
  'version of two bytes': set('version', element(0xa0, integer('0002'))),
  'version twice': set('version', element(0xa0, integer('02'), integer('02'))),
  'version as a plain integer': set('version', integer('02')),
  'issuer unique id': ({ tbs }) => void tbs.splice(AT.extensions, 0, element(0x81, bytes('0001'))),
  'subject unique id': ({ tbs }) => void tbs.splice(AT.extensions, 0, element(0x82, bytes('0001'))),
  'something after the extensions': ({ tbs }) => void tbs.push(element(0x05)),
  'extensions twice': ({ tbs }) => void tbs.push(tbs[AT.extensions] ?? bytes('')),
  'no extensions': ({ tbs }) => void tbs.pop(),
  'an empty list of extensions': withExtensions(),
  'notBefore in year 1': until2049(generalized('00010101000000Z')),
  'notBefore in 1969': until2049(utc('691231235959Z')),
  'notBefore on 30 February': until2049(utc('250230000000Z')),
  'notBefore with a leap second': until2049(utc('161231235960Z')),
  'notBefore without seconds': until2049(utc('2501010000Z')),
  'notBefore with a time zone': until2049(utc('250101000000+0000')),
  'notBefore with fractions': until2049(generalized('20250101000000.5Z')),
  'three dates': set('validity', sequence(utc('250101000000Z'), utc('491231235959Z'), utc('491231235959Z'))),
  'a compressed key': p256(Uint8Array.of(0, 2 + ((point[63] ?? 0) & 1), ...point.subarray(0, 32))),
  'a key in hybrid form': p256(Uint8Array.of(0, 6 + ((point[63] ?? 0) & 1), ...point)),
  'a key with unused bits': p256(Uint8Array.of(1, 4, ...point)),
  'a key with something after it': keyOf(EC_ON_P256, element(0x05)),
  'a key without a named curve': keyOf('06072a8648ce3d0201'),
  'a signature with unused bits': ({ rest }) => void rest.push(element(0x03, bytes('0130060201010201'))),
  'something after the signature': ({ rest }) => void rest.push(element(0x03, bytes('00')), element(0x05)),
  'algorithm parameters where there must be none': ({ tbs, rest }) => {
    tbs[AT.algorithm] = sequence(bytes(ECDSA_SHA256), element(0x05));
    rest[0] = tbs[AT.algorithm] ?? bytes('');
  },
  'names with trailing bytes': withExtensions(
    extension(SUBJECT_ALT_NAME, Uint8Array.of(...sequence(dns('a.test')), 0)),
  ),
  'no names': withNames(),
  'names not in a sequence': withExtensions(extension(SUBJECT_ALT_NAME, dns('a.test'))),
  'an empty name first': first(''),
  'the name *.* first': first('*.*'),
  'the name * first': first('*'),
  'a wildcard over one label first': first('*.test'),
  'a name with a wildcard inside first': first('x.*.test'),
  'a name that is not ASCII first': first('b\xfccher.test'),
  'a name with a zero byte first': first('a.test\0.b.test'),
  'a name with a trailing dot first': first('b.test.'),
  'a name with a trailing dot only': withNames(dns('a.test.')),
  'an address as a DNS name first': first('127.0.0.1'),
  'a name with a space first': first(' a.test'),
  'a constructed name': withNames(element(0xa2, element(0x16, text('a.test')))),
  'a constructed name first': first(element(0xa2, element(0x16, text('b.test')))),
  'a name of an unknown kind first': first(element(0x89, text('b'))),
  'a name of more than 253 characters first': first(`${'a.'.repeat(125)}test`),
  'names twice': withExtensions(NAMES, NAMES),
  'a length with a needless byte': set('serial', bytes('02810101')),
  'an indefinite length': set('key', Uint8Array.of(0x30, 0x80, ...element(0x05), 0, 0)),
  'critical flag of another value': withExtensions(extension(SUBJECT_ALT_NAME, sequence(dns('a.test')), 1)),
  'basic constraints with trailing bytes': beside(BASIC_CONSTRAINTS, Uint8Array.of(...sequence(), 0)),
  'basic constraints with something unknown': beside(BASIC_CONSTRAINTS, sequence(integer('00'), integer('00'))),
  'basic constraints that are no sequence': beside(BASIC_CONSTRAINTS, element(0x05)),
  'an empty list of uses': beside(EXTENDED_KEY_USAGE, sequence()),
};

const ACCEPTED: Record<string, Edit> = {
  'serial number of 20 bytes': set('serial', integer('7f'.repeat(20))),
  'serial number of 20 bytes and a sign byte': set('serial', integer(`00${'ff'.repeat(20)}`)),
  'notBefore in 1970': until2049(utc('700101000000Z')),
  'dates with long years': set('validity', sequence(generalized('20250101000000Z'), generalized('99991231235959Z'))),
  'a critical flag spelled out as false': withExtensions(extension(SUBJECT_ALT_NAME, sequence(dns('a.test')), 0)),
  'CA:FALSE spelled out': withExtensions(NAMES, extension(BASIC_CONSTRAINTS, sequence(element(0x01, bytes('00'))))),
  'names of all other kinds': withNames(
    element(0x81, text('me@a.test')),
    element(0x86, text('https://a.test/')),
    element(0x87, bytes('7f000001')),
    dns('a.test'),
  ),
  'a malformed name after the right one': withNames(dns('a.test'), dns('b.test.')),
  'an unknown extension that is not critical': beside('06032a0304', element(0x05)),
};

const COMMON_NAME = bytes('0603550403');
const ofName = (...sets: Uint8Array[]) => set('subject', sequence(...sets));

/** Libraries differ on these, so that one of our checkers would refuse what the other accepts. */
const REFUSED_BY_OURS: Record<string, Edit> = {
  'a key usage with trailing bytes': beside(KEY_USAGE, bytes('03020780aa')),
  'a key usage that is no bit string': beside(KEY_USAGE, element(0x05)),
  'a key identifier with trailing bytes': beside(SUBJECT_KEY_ID, bytes('040101aa')),
  'the identifier of an authority that is no sequence': beside(AUTHORITY_KEY_ID, element(0x05)),
  'a subject that has no sets': ofName(sequence(COMMON_NAME, element(0x13, text('a')))),
  'a subject with an empty set': ofName(element(0x31)),
  'a subject with a value missing': ofName(element(0x31, sequence(COMMON_NAME))),
  'a subject with two values in one pair': ofName(
    element(0x31, sequence(COMMON_NAME, element(0x13, text('a')), element(0x13, text('b')))),
  ),
  'an object identifier that is cut short': beside('06032a0384', element(0x05)),
  'an object identifier with needless zeros': beside('06042a800304', element(0x05)),
  'a name of an unknown kind behind the right one': withNames(dns('a.test'), element(0x89, text('b'))),
};

/** The key of an RSA certificate with another exponent or modulus. */
const rsa = (n: Uint8Array, e: string) =>
  set(
    'key',
    sequence(
      sequence(bytes('06092a864886f70d0101010500')),
      element(0x03, Uint8Array.of(0, ...sequence(element(0x02, n), integer(e)))),
    ),
  );
const MODULUS = Uint8Array.of(0, ...Buffer.from(modulus, 'base64url'));
const RSA_REFUSED: Record<string, Edit> = {
  'an RSA exponent of 1': rsa(MODULUS, '01'),
  'an even RSA exponent': rsa(MODULUS, '010002'),
  'a large RSA exponent': rsa(MODULUS, '0200000001'),
  'a negative RSA modulus': rsa(MODULUS.subarray(1), '010001'),
  'an RSA modulus with a needless zero': rsa(Uint8Array.of(0, ...MODULUS), '010001'),
  'an RSA key without parameters': set(
    'key',
    sequence(
      sequence(bytes('06092a864886f70d010101')),
      element(0x03, Uint8Array.of(0, ...sequence(element(0x02, MODULUS), integer('010001')))),
    ),
  ),
};

async function verdicts(base: typeof leaf, edit: Edit): Promise<{ ours: string; official: boolean }> {
  const random = seededRandom(1).bytes;
  const certificates = [rewriteCertificate(base.der, mid.privateKey, edit), mid.der];
  const handshake = makeHandshake(base.privateKey, certificates, random);
  const { ours, withoutNode, official } = await verdictsOf({ handshake, random });
  expect(withoutNode).toBe(ours);
  return { ours: ours ?? 'accepted', official: official.accepted };
}

describe('a certificate with', () => {
  const refused = [
    ...Object.entries(REFUSED).map(([title, edit]) => [title, leaf, edit] as const),
    ...Object.entries(RSA_REFUSED).map(([title, edit]) => [title, rsaLeaf, edit] as const),
  ];
  it.each(refused)('%s is refused, as by the official verifier', async (_title, base, edit) => {
    const refusal = expect.stringMatching(/^Verification failed: /);
    expect(await verdicts(base, edit)).toEqual({ ours: refusal, official: false });
  });

  it.each(Object.entries(REFUSED_BY_OURS))(
    '%s is refused by both checkers, though not by the official verifier',
    async (_title, edit) => {
      const refusal = /^Verification failed: a certificate is not acceptable: (?!it cannot be read)/;
      expect(await verdicts(leaf, edit)).toEqual({ ours: expect.stringMatching(refusal), official: true });
    },
  );

  it.each(Object.entries(ACCEPTED))('%s is accepted, as by the official verifier', async (_title, edit) => {
    expect(await verdicts(leaf, edit)).toEqual({ ours: 'accepted', official: true });
  });

  it('nothing changed is accepted after signing again', async () => {
    const nothing = () => {};
    expect(await verdicts(leaf, nothing)).toEqual({ ours: 'accepted', official: true });
    expect(await verdicts(rsaLeaf, nothing)).toEqual({ ours: 'accepted', official: true });
  });
});

describe('trusted roots', () => {
  it('leave out the root that browsers trust for some names only', () => {
    const [constrained] = rootCertificates.filter((pem) =>
      Buffer.from(pem.split('\n').slice(1, -1).join(''), 'base64').includes('TUBITAK'),
    );
    if (constrained === undefined) throw new Error('The root is gone: the exception can go too');
    const der = Buffer.from(constrained.split('\n').slice(1, -1).join(''), 'base64');
    expect(loadTrustedRoots([], true).named(readSubject(der))).toEqual([]);
    expect(loadTrustedRoots([constrained], false).named(readSubject(der))).toHaveLength(1);
  });
});
