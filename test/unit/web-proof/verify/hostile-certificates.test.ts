import { describe, expect, it } from 'vitest';
import { createPortableCertificateChecker } from '../../../../adapters/x509/portable/portable-certificate-checker.ts';
import { createX509CertificateChecker } from '../../../../adapters/x509/x509-certificate-checker.ts';
import type { CertificateChecker, CertificateVerdict } from '../../../../core/ports/certificate-checker.ts';
import { keyExchangeOf, makeHandshake, seededRandom } from '../../../support/proof-builder.ts';
import { issueIntermediate, issueLeaf, issueRoot, newKey } from '../../../support/test-ca.ts';

const NOW = Math.floor(Date.now() / 1000);
const root = issueRoot();
const mid = issueIntermediate(root);
const leaf = issueLeaf(mid, ['a.test']);
const handshake = makeHandshake(leaf.privateKey, [], seededRandom(1).bytes);
const checkers = {
  'node:crypto and pkijs': createX509CertificateChecker({ extraRoots: [root.der], nodeRoots: false }),
  'JavaScript alone': createPortableCertificateChecker({ extraRoots: [root.der], mozillaRoots: false }),
};

type Check = (certificates: readonly Uint8Array[], time?: number, variant?: number) => Promise<CertificateVerdict>;

const checkWith =
  (checker: CertificateChecker): Check =>
  (certificates, time = NOW, variant = 3) =>
    checker.check({ certificates, serverName: 'a.test', time, keyExchange: keyExchangeOf(handshake, variant) });

describe.each(Object.entries(checkers))('hostile certificates, checked by %s,', (_name, checker) => {
  const check = checkWith(checker);

  it('are never accepted when changed, and never make the checker throw', async () => {
    expect(await check([leaf.der, mid.der])).toEqual({ ok: true });
    const random = seededRandom(2);
    for (let i = 0; i < 30; i++) {
      const changed = Uint8Array.from(leaf.der);
      const at = random.below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      expect(await check([changed, mid.der])).toMatchObject({ ok: false });
      const cut = leaf.der.subarray(0, random.below(leaf.der.length));
      expect(await check([cut, mid.der])).toMatchObject({ ok: false });
      expect(await check([random.bytes(1 + random.below(300)), mid.der])).toMatchObject({ ok: false });
    }
  });

  it('must be DER: no long or indefinite lengths, no trailing bytes, no deep nesting', async () => {
    const body = leaf.der.subarray(4);
    const length = [leaf.der[2] ?? 0, leaf.der[3] ?? 0];
    expect(leaf.der.subarray(0, 2)).toEqual(Uint8Array.of(0x30, 0x82));
    expect(await check([Uint8Array.of(0x30, 0x83, 0, ...length, ...body), mid.der])).toMatchObject({ ok: false });
    expect(await check([Uint8Array.of(0x30, 0x80, ...body, 0, 0), mid.der])).toMatchObject({ ok: false });
    expect(await check([Uint8Array.of(...leaf.der, 0), mid.der])).toMatchObject({ ok: false });
    let nested = Uint8Array.of(0x05, 0x00);
    for (let i = 0; i < 60; i++) nested = Uint8Array.of(0x30, nested.length, ...nested);
    expect(await check([nested, mid.der])).toMatchObject({ ok: false });
  });

  it('do not matter when they are superfluous', async () => {
    const weak = issueIntermediate(root, { key: newKey('rsa-1024'), subject: { commonName: 'Weak' } });
    expect(await check([leaf.der, weak.der, Uint8Array.of(1, 2, 3), mid.der, mid.der])).toEqual({ ok: true });
  });

  it('are judged at times that do exist', async () => {
    expect(await check([leaf.der, mid.der], 2 ** 53 - 1)).toMatchObject({ ok: false });
    expect(await check([leaf.der, mid.der], 0)).toMatchObject({ ok: false });
  });

  it('need a scheme that fits the key', async () => {
    for (const variant of [2, 8, 11]) {
      const reason = expect.stringContaining('key exchange');
      expect(await check([leaf.der, mid.der], NOW, variant)).toMatchObject({ ok: false, reason });
    }
  });
});

describe('extra roots', () => {
  it('are given as DER or as PEM with several certificates', async () => {
    const other = issueRoot({ subject: { commonName: 'Other Root' } });
    const both = createX509CertificateChecker({ extraRoots: [`${other.pem}\nsome text\n${root.pem}`] });
    const certificates = [leaf.der, mid.der];
    expect(await checkWith(both)(certificates)).toEqual({ ok: true });
    expect(await checkWith(createX509CertificateChecker())(certificates)).toMatchObject({ ok: false });
  });

  it('that are no certificates are refused at once', () => {
    expect(() => createX509CertificateChecker({ extraRoots: ['not a certificate'] })).toThrow(/no certificate/);
    expect(() => createX509CertificateChecker({ extraRoots: [Uint8Array.of(1, 2)] })).toThrow();
  });
});
