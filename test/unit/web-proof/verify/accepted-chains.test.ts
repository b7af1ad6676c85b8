import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AcceptedChains } from '../../../../adapters/x509/accepted-chains.ts';
import { readProfile } from '../../../../adapters/x509/certificate-profile.ts';
import { createX509CertificateChecker } from '../../../../adapters/x509/x509-certificate-checker.ts';
import type { CertificateClaim } from '../../../../core/ports/certificate-checker.ts';
import { keyExchangeOf, makeHandshake, seededRandom } from '../../../support/proof-builder.ts';
import { issueIntermediate, issueLeaf, issueRoot } from '../../../support/test-ca.ts';

const NOW = Math.floor(Date.now() / 1000);
const HOUR = 3_600;
const at = (seconds: number) => new Date(seconds * 1_000);

const root = issueRoot();
const mid = issueIntermediate(root, { notBefore: at(NOW - 2 * HOUR), notAfter: at(NOW + HOUR) });
const leaf = issueLeaf(mid, ['a.test', 'b.test'], { notBefore: at(NOW - HOUR), notAfter: at(NOW + 2 * HOUR) });
const chain = [leaf.der, mid.der];

const handshake = makeHandshake(leaf.privateKey, [], seededRandom(1).bytes);
const keyExchange = keyExchangeOf(handshake);
const claim: CertificateClaim = { certificates: chain, serverName: 'a.test', time: NOW, keyExchange };

/** A checker that has accepted the chain, so that it remembers it. */
async function experienced() {
  const checker = createX509CertificateChecker({ extraRoots: [root.der], nodeRoots: false });
  expect(await checker.check(claim)).toEqual({ ok: true });
  return (changes: Partial<CertificateClaim>) => checker.check({ ...claim, ...changes });
}

describe('a chain that was accepted before', () => {
  it('is accepted again, also for another of its names and at another time of its validity', async () => {
    const check = await experienced();
    expect(await check({})).toEqual({ ok: true });
    expect(await check({ serverName: 'b.test', time: NOW + HOUR })).toEqual({ ok: true });
  });

  it('is refused for a name that it does not have', async () => {
    const check = await experienced();
    const verdict = await check({ serverName: 'c.test' });
    expect(verdict).toEqual({ ok: false, reason: 'the server certificate is not for c.test' });
  });

  it.each([
    ['the leaf is not yet valid', NOW - HOUR - 1],
    ['the intermediate has expired', NOW + HOUR + 1],
    ['the leaf has expired', NOW + 2 * HOUR + 1],
  ])('is refused at a time when %s', async (_title, time) => {
    const check = await experienced();
    expect(await check({ time })).toMatchObject({ ok: false });
    expect(await check({ time: Number.NaN })).toMatchObject({ ok: false });
  });

  it('is refused when the signature over the key exchange is not its own', async () => {
    const check = await experienced();
    const other = makeHandshake(issueLeaf(mid, ['a.test']).privateKey, [], seededRandom(1).bytes);
    const verdict = await check({ keyExchange: { ...keyExchange, signature: other.signature } });
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringContaining('key exchange') });
  });

  it('is judged again when a byte of it changes, a certificate is missing, or it is cut elsewhere', async () => {
    const check = await experienced();
    const changed = Uint8Array.from(mid.der);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(await check({ certificates: [leaf.der, changed] })).toMatchObject({ ok: false });
    expect(await check({ certificates: [leaf.der] })).toMatchObject({ ok: false });
    const both = Uint8Array.of(...leaf.der, ...mid.der);
    for (const length of [leaf.der.length - 1, leaf.der.length + 1]) {
      const certificates = [both.slice(0, length), both.slice(length)];
      expect(await check({ certificates })).toMatchObject({ ok: false });
    }
  });
});

describe('the memory of accepted chains', () => {
  const sent = (der: Uint8Array) => ({ x509: new X509Certificate(der), profile: readProfile(der) });
  const [first, second] = [sent(leaf.der), sent(mid.der)];

  it('does not answer for times at which a certificate that was not needed becomes valid or expires', () => {
    const late = issueIntermediate(root, { notBefore: at(NOW + 60), notAfter: at(NOW + 2 * HOUR) });
    const early = issueIntermediate(root, { notBefore: at(NOW - HOUR), notAfter: at(NOW - 60) });
    const certificates = [...chain, late.der, early.der];
    const chains = new AcceptedChains();
    chains.add(certificates, NOW, first, [second, sent(late.der), sent(early.der)]);
    for (const time of [NOW - 59, NOW + 59]) expect(chains.leafOf(certificates, time)).toBe(first);
    for (const time of [NOW - 60, NOW + 60]) expect(chains.leafOf(certificates, time)).toBeUndefined();
  });

  it('forgets the chain that was not asked for longest', () => {
    const chains = new AcceptedChains();
    const numbered = (index: number) => [Uint8Array.of(index & 255, index >> 8)];
    chains.add(chain, NOW, first, [second]);
    for (let index = 0; index < 127; index += 1) chains.add(numbered(index), NOW, first, []);
    expect(chains.leafOf(chain, NOW)).toBe(first);
    chains.add(numbered(127), NOW, first, []);
    expect(chains.leafOf(numbered(0), NOW)).toBeUndefined();
    expect(chains.leafOf(chain, NOW)).toBe(first);
    for (let index = 128; index < 300; index += 1) chains.add(numbered(index), NOW, first, []);
    expect(chains.leafOf(chain, NOW)).toBeUndefined();
  });
});
