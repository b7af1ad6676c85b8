/**
 * `@credence/client` from the packed package, bundled for browsers and run against an instance: in a realm without Node.js, and
 * in a real Chromium if there is one.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserBundle, bundleForBrowser, runWithoutNode } from '../support/browser-bundle.ts';
import { findChromium, runInChromium } from '../support/chromium.ts';
import { createBareConsumer } from '../support/consumer.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';

const MAX_GZIP = 8 * 1024;

let instance: TestInstance;
let bundle: BrowserBundle;

beforeAll(async () => {
  const consumer = await createBareConsumer(['@credence/client']);
  bundle = await bundleForBrowser(await consumer.write('client.js', "export * from '@credence/client';"));
  instance = await startInstance();
});
afterAll(() => instance?.close());

/** What an async function with `client` and `bundle` returns. */
function run(lines: readonly string[], options: object = {}): Promise<unknown> {
  const given = { url: instance.baseUrl, token: instance.adminToken, ...options };
  const start = 'const client = bundle.createCredenceClient({ ...given, fetch });';
  return runWithoutNode(bundle, `(async () => { ${[start, ...lines].join('\n')} })()`, { given, fetch });
}

it('needs nothing of Node.js and no other package, and is small', () => {
  console.log(`@credence/client for the browser: ${(bundle.gzipBytes / 1024).toFixed(1)} KiB gzip`);
  expect(bundle.gzipBytes).toBeLessThan(MAX_GZIP);
  const files = bundle.files.filter((file) => file.includes('node_modules'));
  expect(
    files.filter(
      (file) => !/node_modules\/@credence\/client\/dist\/(?:plugins\/client\/|core\/long-timer\.js$)/.test(file),
    ),
  ).toEqual([]);
  expect(bundle.code).not.toMatch(/\bBuffer\b|\bprocess\./);
});

/** Creates, lists page by page and is refused; returns what came of it. */
const tour = (name: string) => [
  `const brand = await client.brands.create({ name: '${name}', slug: '${name}' });`,
  "const challenge = { targetUrl: 'https://www.instagram.com/p/C8xample123/' };",
  "for (const title of ['one', 'two', 'three'])",
  '  await client.campaigns.create({ brandId: brand.id, title, pointsReward: 1, challenge });',
  'const titles = [];',
  'for await (const { brandId, title } of client.campaigns.list({ limit: 2 })) if (brandId === brand.id) titles.push(title);',
  `const refused = await client.brands.create({ name: '${name}', slug: '${name}' }).catch((error) => error);`,
  'return [titles, refused instanceof bundle.CredenceApiError, refused.status, refused.code, refused.requestId];',
];
const TOURED = [['three', 'two', 'one'], true, 409, 'CONFLICT', expect.stringMatching(/^[0-9a-f-]{36}$/)];

it('creates, lists page by page, and names refusals', async () => {
  expect(await run(tour('client'))).toEqual(TOURED);
  const [brand, pagination] = (await run([
    "const brand = await client.brands.create({ name: 'Other', slug: 'other' });",
    'const { pagination } = await client.campaigns.list({ page: 2, limit: 2 });',
    'return [brand, pagination];',
  ])) as [object, object];
  expect(brand).toMatchObject({ name: 'Other', slug: 'other', createdAt: expect.stringMatching(/Z$/) });
  expect(pagination).toEqual({ page: 2, limit: 2, total: 3 });
});

const chromium = findChromium();
describe.skipIf(chromium === undefined)('in a real browser, behind the origin of the page', () => {
  it('creates, iterates over a list and names a refusal, with the fetch of the browser', async () => {
    const { adminToken: token, baseUrl } = instance;
    const client = 'const client = bundle.createCredenceClient({ url: `${location.origin}/api`, token: given.token });';
    const expression = `(async () => { ${[client, ...tour('tab')].join('\n')} })()`;
    expect(await runInChromium(chromium as string, bundle.code, expression, { token }, baseUrl)).toEqual(TOURED);
  });
});
