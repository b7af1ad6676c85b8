/** Roots of one's own, with and without constraints: both checkers say the same. */
import { describe, expect, it } from 'vitest';
import { createX509CertificateChecker } from '../../../../adapters/x509/index.ts';
import { createPortableCertificateChecker } from '../../../../adapters/x509/portable/portable-certificate-checker.ts';
import type { CertificateVerdict } from '../../../../core/ports/certificate-checker.ts';
import { keyExchangeOf, makeHandshake, seededRandom } from '../../../support/proof-builder.ts';
import {
  encodeName,
  type IssuedCertificate,
  type IssueOptions,
  issueIntermediate,
  issueLeaf,
  issueRoot,
  type NameConstraints,
  newKey,
} from '../../../support/test-ca.ts';

const leafKey = newKey('p256');
const keyExchange = keyExchangeOf(makeHandshake(leafKey, [], seededRandom(1).bytes));
const NO_CHAIN = { ok: false, reason: "no certificate chain to a trusted root holds at the session's time" };
const address = (...bytes: number[]) => Uint8Array.from(bytes);
const IP6 = address(0x20, 1, 0xd, 0xb8, ...new Uint8Array(12));
const NETWORK_10 = address(10, 0, 0, 0, 255, 0, 0, 0);

/** What both checkers say of a server that sends these certificates. */
async function verdictOn(root: IssuedCertificate, ...certificates: Uint8Array[]): Promise<CertificateVerdict> {
  const claim = { certificates, serverName: 'a.test', time: Math.floor(Date.now() / 1000), keyExchange };
  const [host, portable] = await Promise.all([
    createX509CertificateChecker({ extraRoots: [root.pem], nodeRoots: false }).check(claim),
    createPortableCertificateChecker({ extraRoots: [root.pem], mozillaRoots: false }).check(claim),
  ]);
  expect(portable).toEqual(host);
  return portable as CertificateVerdict;
}

/** The same of a server below a root. */
async function verdict(
  rootOptions: Partial<IssueOptions>,
  { dns = ['a.test'], ...leafOptions }: Partial<IssueOptions> = {},
): Promise<CertificateVerdict> {
  const root = issueRoot(rootOptions);
  const mid = issueIntermediate(root);
  return verdictOn(root, issueLeaf(mid, dns, { key: leafKey, ...leafOptions }).der, mid.der);
}

type Constrained = readonly [NameConstraints, Partial<IssueOptions>?];
const dns = (...names: string[]) => names.map((name) => [2, name] as const);
const ip = (...networks: Uint8Array[]) => networks.map((network) => [7, network] as const);
const having = (...addresses: Uint8Array[]) => ({ addresses });

const ALLOWED: Record<string, Constrained> = {
  'a name above it': [{ permitted: dns('test') }],
  'its name': [{ permitted: dns('a.test') }],
  'its name, in upper case': [{ permitted: dns('A.TEST') }],
  'all names': [{ permitted: dns('') }],
  'names below one, with a dot before it': [{ permitted: dns('.test') }],
  'one of two': [{ permitted: dns('other', 'test') }],
  'the names of a wildcard': [{ permitted: dns('test') }, { dns: ['*.b.test', 'a.test'] }],
  'addresses only, and it has none': [{ permitted: ip(NETWORK_10) }],
  'its address too': [{ permitted: [...ip(NETWORK_10), ...dns('test')] }, having(address(10, 255, 0, 1))],
  'its IPv6 address': [
    { permitted: ip(address(...IP6, ...new Uint8Array(4).fill(255), ...new Uint8Array(12))) },
    having(IP6),
  ],
  'what is not excluded': [{ excluded: dns('other', 'x.a.test', 'ba.test', '.a.test') }],
  'no addresses, and it has none': [{ excluded: ip(new Uint8Array(8), new Uint8Array(32)) }],
  'mail addresses it does not have, not critical': [{ permitted: [[1, 'test']], critical: false }],
};

const REFUSED: Record<string, Constrained> = {
  'another name only': [{ permitted: dns('other') }],
  'another name only, not critical': [{ permitted: dns('other'), critical: false }],
  'names that end alike': [{ permitted: dns('est') }],
  'names below its own': [{ permitted: dns('.a.test') }],
  'one of its two names': [{ permitted: dns('a.test') }, { dns: ['a.test', 'b.test'] }],
  'some names of a wildcard': [{ permitted: dns('a.test', 'c.b.test') }, { dns: ['a.test', '*.b.test'] }],
  'a name that it excludes too': [{ permitted: dns('test'), excluded: dns('a.test') }],
  'all but what is above it': [{ excluded: dns('test') }],
  nothing: [{ excluded: dns('') }],
  'all but one name of a wildcard': [{ excluded: dns('c.b.test') }, { dns: ['a.test', '*.b.test'] }],
  'names, of which one is malformed': [{ permitted: dns('') }, { dns: ['a.test', 'b.test.'] }],
  'other addresses': [{ permitted: ip(NETWORK_10) }, having(address(11, 0, 0, 1))],
  'addresses of the other family': [{ permitted: ip(NETWORK_10) }, having(IP6)],
  'all but its address': [{ excluded: ip(address(10, 0, 0, 1, 255, 255, 255, 255)) }, having(address(10, 0, 0, 1))],
  'no addresses': [{ excluded: ip(new Uint8Array(8)) }, having(address(10, 0, 0, 1))],
  'an address, and it has a malformed one': [{ permitted: ip(NETWORK_10) }, having(address(10, 0, 0))],
  'mail addresses only': [{ permitted: [[1, 'test']] }],
  'all but a URI': [{ excluded: [[6, 'other']] }],
  'a directory name, not critical': [{ permitted: [[4, encodeName({ commonName: 'Test Leaf' })]], critical: false }],
  'a registered id': [{ excluded: [[8, address(42)]] }],
};

describe('a root', () => {
  it.each(Object.entries(ALLOWED))('that permits %s can prove the server', async (_what, [nameConstraints, leaf]) => {
    expect(await verdict({ nameConstraints }, leaf)).toEqual({ ok: true });
  });

  it.each(Object.entries(REFUSED))('that permits %s cannot', async (_what, [nameConstraints, leaf]) => {
    expect(await verdict({ nameConstraints }, leaf)).toEqual(NO_CHAIN);
  });

  it('constrains the names of intermediates too', async () => {
    const root = issueRoot({ nameConstraints: { permitted: dns('test') } });
    const mid = issueIntermediate(root, { dns: ['other'] });
    const leaf = issueLeaf(mid, ['a.test'], { key: leafKey });
    expect(await verdictOn(root, leaf.der, mid.der)).toEqual(NO_CHAIN);
  });

  it.each<[string, NameConstraints]>([
    ['no list', {}],
    ['an empty list', { permitted: [] }],
    ['an address that is none', { permitted: ip(address(10, 0, 0)) }],
    ['a mask with gaps', { excluded: ip(address(10, 0, 0, 0, 255, 0, 255, 0)) }],
    ['a wildcard', { permitted: dns('*.test') }],
    ['a name that is none', { permitted: dns('a test') }],
    ['two dots before a name', { excluded: dns('..test') }],
  ])('whose name constraints have %s is refused at once', (_what, nameConstraints) => {
    const { pem, der } = issueRoot({ nameConstraints });
    for (const extraRoots of [[pem], [der]]) {
      const message = 'An extra root cannot be used: its name constraints are malformed.';
      expect(() => createX509CertificateChecker({ extraRoots })).toThrow(message);
      expect(() => createPortableCertificateChecker({ extraRoots })).toThrow(message);
    }
  });

  it('may be of version 1', async () => {
    expect(await verdict({ versionOne: true })).toEqual({ ok: true });
  });

  it('may have expired: it is a name, a key and constraints', async () => {
    expect(await verdict({ notBefore: new Date(0), notAfter: new Date(1_000) })).toEqual({ ok: true });
  });
});

describe('a server certificate', () => {
  it.each([
    ['signatures', 0x80, true],
    ['encryption only', 0x20, false],
    ['nothing', 0x00, false],
  ])('whose key is for %s is judged by that', async (_what, keyUsage, ok) => {
    const reason = 'the key usage of the server certificate does not allow signatures (digitalSignature)';
    expect(await verdict({}, { keyUsage })).toEqual(ok ? { ok } : { ok, reason });
  });

  const rsaRoot = issueRoot({ key: newKey('rsa') });
  it.each(['rsa-sha256', 'rsa-sha384', 'rsa-sha512'] as const)(
    'signed with %s may be without the parameters of its algorithm (RFC 4055 section 5)',
    async (signature) => {
      const leaf = issueLeaf(rsaRoot, ['a.test'], { key: leafKey, signature, withoutParameters: true });
      const forged = Uint8Array.from(leaf.der);
      forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
      expect(await verdictOn(rsaRoot, leaf.der)).toEqual({ ok: true });
      expect(await verdictOn(rsaRoot, forged)).toMatchObject({ ok: false });
    },
  );

  it('comes with at most seven others', async () => {
    const root = issueRoot();
    const leaf = issueLeaf(root, ['a.test'], { key: leafKey });
    const subject = { commonName: 'Many Keys' };
    const others = Array.from({ length: 21 }, () => issueIntermediate(root, { subject }).der);
    expect(await verdictOn(root, leaf.der, ...others)).toEqual({
      ok: false,
      reason: 'the server sent 22 certificates, but at most 8 are checked: shorten its chain',
    });
    expect(await verdictOn(root, leaf.der, ...others.slice(0, 7))).toEqual({ ok: true });
  });
});
