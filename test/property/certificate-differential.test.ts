/** Our checker against the official verifier: what that one refuses is never accepted here. */
import type { KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createPortableCertificateChecker } from '../../adapters/x509/portable/portable-certificate-checker.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import { verifyPresentation } from '../../core/web-proof/tlsnotary/verify-presentation.ts';
import { mutateCertificate } from '../support/der-mutations.ts';
import { assembleProof, makeHandshake, seededRandom } from '../support/proof-builder.ts';
import { runs } from '../support/property-runs.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { type IssuedCertificate, issueIntermediate, issueLeaf, newKey } from '../support/test-ca.ts';
import { createOracle, type Oracle } from '../support/tlsn-oracle.ts';

type Random = ReturnType<typeof seededRandom>;

const root = issueOracleRoot();
const mid = issueIntermediate(root, { pathLength: 3 });
const ascii = (text: string) => new TextEncoder().encode(text);

/** Of notaries: only certificates are compared here, so this is the fast one. */
const signatures = createNodeSignatureVerifier();

let oracle: Oracle;
let checker: CertificateChecker;
let portable: CertificateChecker;
beforeAll(() => {
  oracle = createOracle(root);
  checker = createX509CertificateChecker({ extraRoots: [root.pem], nodeRoots: false });
  portable = createPortableCertificateChecker({ extraRoots: [root.pem], mozillaRoots: false });
});

interface Verdicts {
  /** What ours says; null when it accepts. */
  readonly refusal: string | null;
  /** The same of the checker in JavaScript alone. */
  readonly withoutNode: string | null;
  readonly official: boolean;
}

async function judge(
  key: KeyObject,
  certificates: readonly Uint8Array[],
  serverName: string,
  random: Random,
): Promise<Verdicts> {
  const presentation = await assembleProof({
    handshake: makeHandshake(key, certificates, random.bytes),
    serverName,
    sent: ascii('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'),
    received: ascii('HTTP/1.1 204 No Content\r\n\r\n'),
    random: random.bytes,
  });
  const [refusal = null, withoutNode = null] = await Promise.all(
    [checker, portable].map((by) =>
      verifyPresentation(presentation, by, signatures).then(
        () => null,
        (error: Error) => error.message,
      ),
    ),
  );
  return { refusal, withoutNode, official: (await oracle(encodePresentation(presentation))).accepted };
}

/** How often both accept, both refuse, and only ours refuses. A certificate that only ours accepts fails the test. */
async function compare(times: number, make: (seed: number, random: Random) => Promise<Verdicts>) {
  const counts = { accepted: 0, refused: 0, stricter: [] as string[] };
  for (let seed = 1; seed <= times; seed++) {
    const { refusal, withoutNode, official } = await make(seed, seededRandom(seed));
    if (withoutNode === null && !official) throw new Error(`seed ${seed}: only ours, in JavaScript alone, accepts`);
    if (refusal === null && withoutNode !== null) throw new Error(`seed ${seed}: in JavaScript alone: ${withoutNode}`);
    if (refusal === null && !official) throw new Error(`seed ${seed}: only ours accepts`);
    if (refusal === null) counts.accepted++;
    else if (official) counts.stricter.push(refusal);
    else counts.refused++;
  }
  return counts;
}

describe('certificates', () => {
  it('of a changed structure are never accepted when the official verifier refuses them', async () => {
    const leaves = (['p256', 'p384', 'rsa', 'ed25519'] as const).map((kind) =>
      issueLeaf(mid, ['x.example', 'a.test', '*.b.test'], { key: newKey(kind), ca: false }),
    );
    const { numRuns } = runs(40);
    const counts = await compare(numRuns, (seed, random) => {
      const leaf = leaves[seed % leaves.length] ?? mid;
      const certificates =
        random.below(3) === 0
          ? [leaf.der, mutateCertificate(mid.der, root.privateKey, random)]
          : [mutateCertificate(leaf.der, mid.privateKey, random), mid.der];
      return judge(leaf.privateKey, certificates, random.below(4) === 0 ? 'a.b.test' : 'a.test', random);
    });
    // The changes must reach both sides of the line, or the comparison shows nothing.
    expect(counts.accepted).toBeGreaterThan(numRuns / 40);
    expect(counts.refused).toBeGreaterThan(numRuns / 2);
    expect(counts.stricter.length).toBeLessThan(numRuns / 8);
  });

  it('of authorities that certify each other are judged as by the official verifier', async () => {
    const keys = [mid.privateKey, newKey('p256'), newKey('p384')];
    const pick = <T>(items: readonly T[], random: Random): T => items[random.below(items.length)] ?? (items[0] as T);
    const authority = (random: Random): Pick<IssuedCertificate, 'subject' | 'privateKey'> =>
      random.below(4) === 0
        ? root
        : { subject: { commonName: pick(['A', 'B', 'C'], random) }, privateKey: pick(keys, random) };
    const { numRuns } = runs(20);
    const counts = await compare(numRuns, (_seed, random) => {
      const intermediates = Array.from({ length: 1 + random.below(7) }, () => {
        const { subject, privateKey: key } = { ...mid, ...authority(random) };
        const pathLength = random.below(4);
        return issueIntermediate(mid, {
          subject,
          key,
          issuer: authority(random),
          ...(pathLength === 3 ? {} : { pathLength }),
        });
      });
      const issuer = { ...mid, ...authority(random) };
      const leaf = issueLeaf(issuer, ['a.test'], { key: pick(keys, random), subject: { commonName: 'A' } });
      const certificates = [leaf, ...intermediates].map(({ der }) => der);
      return judge(leaf.privateKey, certificates, 'a.test', random);
    });
    expect(counts.accepted).toBeGreaterThan(numRuns / 10);
    expect(counts.refused).toBeGreaterThan(numRuns / 10);
    expect(counts.stricter).toEqual([]);
  });
});
