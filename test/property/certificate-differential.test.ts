/** Our checker against the official verifier: what that one refuses is never accepted here. */

import type { KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type CertificateVerdicts, certificateVerdicts } from '../support/certificate-verdicts.ts';
import { mutateCertificate } from '../support/der-mutations.ts';
import { makeHandshake, seededRandom } from '../support/proof-builder.ts';
import { runs } from '../support/property-runs.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { type IssuedCertificate, issueIntermediate, issueLeaf, newKey } from '../support/test-ca.ts';

type Random = ReturnType<typeof seededRandom>;

const root = issueOracleRoot();
const mid = issueIntermediate(root, { pathLength: 3 });

const verdictsOf = certificateVerdicts(root);

const judge = (key: KeyObject, certificates: readonly Uint8Array[], serverName: string, { bytes: random }: Random) =>
  verdictsOf({ handshake: makeHandshake(key, certificates, random), serverName, random });

/** How often both accept, both refuse, and only ours refuses. A certificate that only ours accepts fails the test. */
async function compare(times: number, make: (seed: number, random: Random) => Promise<CertificateVerdicts>) {
  const counts = { accepted: 0, refused: 0, stricter: [] as string[] };
  for (let seed = 1; seed <= times; seed++) {
    const { ours: refusal, withoutNode, official: verdict } = await make(seed, seededRandom(seed));
    const official = verdict.accepted;
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
