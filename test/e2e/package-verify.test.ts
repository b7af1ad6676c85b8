/**
 * `@credence/verify` from the packed package, bundled for browsers: in a realm without Node.js, and in a real Chromium if there is
 * one. Both must say what the verifier of the host says.
 */

import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { toVerifiedTranscriptV2 } from '../../core/web-proof/verified-transcript.ts';
import { createVerifyWebProof, type WebProof } from '../../core/web-proof/verify.ts';
import { type BrowserBundle, bundleForBrowser, runWithoutNode } from '../support/browser-bundle.ts';
import { findChromium, runInChromium } from '../support/chromium.ts';
import { createBareConsumer } from '../support/consumer.ts';
import { concat, wholeProof } from '../support/proof-builder.ts';
import { publishedProofs } from '../support/published-proofs.ts';
import { issueLeaf, issueRoot, newKey } from '../support/test-ca.ts';

const root = issueRoot();
const MAX_GZIP = 250 * 1024;

interface Given {
  readonly roots: readonly string[];
  readonly proofs: readonly WebProof[];
}

const body = gzipSync('{"text":"süß 🎉"}');
const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
const EXCHANGE = {
  serverName: 'a.test',
  sent: Uint8Array.from(Buffer.from('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n')),
  received: concat(Buffer.from(head), body),
};

/** For each proof what it shows, or the code of its refusal. */
const EXPRESSION =
  '(async () => { const verify = bundle.createWebProofVerifier({ extraRoots: given.roots }); const answers = []; ' +
  'for (const proof of given.proofs) answers.push(await verify(proof).catch((error) => ({ code: error.code, isDomainError: bundle.isDomainError(error) }))); ' +
  'return answers; })()';

let bundle: BrowserBundle;
let given: Given;
let expected: unknown[];

beforeAll(async () => {
  const consumer = await createBareConsumer(['@credence/verify']);
  bundle = await bundleForBrowser(await consumer.write('verify.js', "export * from '@credence/verify';"));
  const made = await Promise.all(
    (['p256', 'p384', 'rsa', 'ed25519'] as const).map((kind, index) =>
      wholeProof({ ...EXCHANGE, seed: index + 1, leaf: issueLeaf(root, ['a.test'], { key: newKey(kind) }) }),
    ),
  );
  const changed = made.map((proof) => ({ ...proof, data: `${proof.data.slice(0, -2)}00` }));
  given = {
    roots: [root.pem],
    proofs: [
      ...made,
      ...changed,
      { ...made[0], data: 'zz' },
      { ...made[0], version: '9' },
      ...published(),
    ] as WebProof[],
  };
  const verify = createVerifyWebProof({
    certificates: createX509CertificateChecker({ extraRoots: [root.pem] }),
    decoder: createZlibContentDecoder(),
    trustedNotaries: createTrustedNotaries([]),
  });
  expected = await Promise.all(
    given.proofs.map((proof) =>
      verify(proof).then(toVerifiedTranscriptV2, ({ code }: { code: string }) => ({ code, isDomainError: true })),
    ),
  );
  expect(expected.slice(0, 4)).toMatchObject(Array(4).fill({ response: { body: '{"text":"süß 🎉"}' } }));
});

const published = () =>
  ['real', 'synthetic', 'negative'].flatMap((folder) =>
    publishedProofs(folder).map(([, { presentation }]) => presentation),
  );

it('needs nothing of Node.js, no WebAssembly and no other package, and is small', () => {
  console.log(`@credence/verify for the browser: ${(bundle.gzipBytes / 1024).toFixed(1)} KiB gzip`);
  expect(bundle.gzipBytes).toBeLessThan(MAX_GZIP);
  const packages = bundle.files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'none');
  expect([...new Set(packages)].sort()).toEqual([
    '@credence/verify',
    '@noble/ciphers',
    '@noble/curves',
    '@noble/hashes',
    'none',
  ]);
  expect(bundle.code).not.toMatch(/WebAssembly|\bBuffer\b|\bprocess\./);
});

it('says what the host says, in a realm without Node.js', async () => {
  expect(await runWithoutNode(bundle, EXPRESSION, { given })).toEqual(JSON.parse(JSON.stringify(expected)));
});

it('knows the notaries that it is told to trust, and refuses settings that are malformed', async () => {
  const trust = (options: object) =>
    runWithoutNode(
      bundle,
      'Promise.resolve().then(() => bundle.verifyWebProof(given.proofs[0], options)).then((shown) => shown.notaryTrusted, (error) => error.message)',
      { given, options: { extraRoots: given.roots, ...options } },
    );
  const fingerprint = (expected[0] as { notaryKeyFingerprint: string }).notaryKeyFingerprint;
  expect(await trust({})).toBe(false);
  expect(await trust({ trustedNotaries: [{ fingerprint: fingerprint.toUpperCase() }] })).toBe(true);
  expect(await trust({ trustedNotaries: [{ fingerprint, validUntil: 5 }] })).toBe(false);
  expect(await trust({ trustedNotaries: [{ fingerprint: 'abc' }] })).toBe(
    'trustedNotaries.0.fingerprint must be 64 hex digits.',
  );
  expect(await trust({ trustedNotaries: [{ fingerprint, validFrom: '2026' }] })).toBe(
    'trustedNotaries.0.validFrom must be whole Unix seconds.',
  );
  // Milliseconds would be tens of thousands of years, and an end that is not read none at all.
  expect(await trust({ trustedNotaries: [{ fingerprint, validUntil: Date.now() }] })).toBe(
    'trustedNotaries.0.validUntil must be whole Unix seconds.',
  );
  expect(await trust({ trustedNotaries: [{ fingerprint, validTo: 5 }] })).toBe(
    'trustedNotaries.0: validTo is none of fingerprint, validFrom, validUntil, name.',
  );
  expect(await trust({ mozillaRoot: false })).toBe(
    'The options: mozillaRoot is none of trustedNotaries, extraRoots, mozillaRoots.',
  );
  expect(await trust({ extraRoots: 'a file of PEM' })).toBe('extraRoots must be a list.');
  expect(await trust({ extraRoots: [], mozillaRoots: true })).toMatch(/no certificate chain to a trusted root/);
  const notAProof = 'bundle.verifyWebProof({ data: 5 }).catch((error) => error.code + ": " + error.message)';
  expect(await runWithoutNode(bundle, notAProof)).toMatch(/^INVALID_REQUEST: A web proof is an object with data/);
});

const chromium = findChromium();
describe.skipIf(chromium === undefined)('in a real browser', () => {
  it('says what the host says of a proof of each key, and of each kind of mistake', async () => {
    // Four made, one changed, two malformed: the others need nothing else of a browser.
    const at = [0, 1, 2, 3, 4, 8, 9];
    const proofs = at.map((index) => given.proofs[index]);
    const answers = await runInChromium(chromium as string, bundle.code, EXPRESSION, { ...given, proofs });
    expect(answers).toEqual(JSON.parse(JSON.stringify(at.map((index) => expected[index]))));
  });
});
