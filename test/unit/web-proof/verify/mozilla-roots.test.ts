/**
 * The roots of the portable checker. When Node's list has changed: `npx vitest run test/unit/web-proof/verify/mozilla-roots.test.ts -u`
 * writes them again.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { readSubject } from '../../../../adapters/x509/certificate-profile.ts';
import { anchorOfCertificate, createAnchors } from '../../../../adapters/x509/portable/anchors.ts';
import { MOZILLA_ROOTS } from '../../../../adapters/x509/portable/mozilla-roots.ts';
import { constraintsOfRoot } from '../../../../adapters/x509/root.ts';
import { CONDITIONAL_ROOTS, loadTrustedRoots } from '../../../../adapters/x509/trusted-roots.ts';

const trusted = rootCertificates
  .map((pem) => new X509Certificate(pem).raw)
  .filter((der) => !CONDITIONAL_ROOTS.has(createHash('sha256').update(der).digest('hex')));

it('are those of Node.js, without the ones that Mozilla trusts for some names only', async () => {
  const anchors = trusted.map((der) => Buffer.from(anchorOfCertificate(der)).toString('base64'));
  const lines = [...new Set(anchors)].map((anchor) => `  '${anchor}',`);
  const text = `/** Mozilla's roots, as subject and key: made from the list of Node.js by its test. */
export const MOZILLA_ROOTS: readonly string[] = [
${lines.join('\n')}
];
`;
  await expect(text).toMatchFileSnapshot('../../../../adapters/x509/portable/mozilla-roots.ts');
});

it('are found by the same names as in the list of Node.js', () => {
  const portable = createAnchors(MOZILLA_ROOTS, []);
  const node = loadTrustedRoots([], true);
  const subjects = [...new Set(trusted.map(readSubject))];
  expect(subjects.length).toBeGreaterThan(100);
  for (const subject of subjects) expect(portable(subject)).toHaveLength(node.named(subject).length);
});

it('have no name constraints, which the list would not carry', () => {
  expect(trusted.filter((der) => constraintsOfRoot(der) !== undefined)).toEqual([]);
});

it('refuses extra roots that are none', () => {
  expect(() => createAnchors([], ['no certificate'])).toThrow('PEM text that holds no certificate');
  expect(() => createAnchors([], [Uint8Array.of(1, 2, 3)])).toThrow('An extra root is not a certificate.');
  const block = '-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----';
  expect(() => createAnchors([], [block])).toThrow('An extra root is not base64.');
});
