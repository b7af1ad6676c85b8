import { expect, it } from 'vitest';
import { readPage } from '../../../adapters/instagram/page.ts';
import { createIdentity } from '../../../adapters/scraping/identity.ts';
import type { ScrapingResponse } from '../../../adapters/scraping/index.ts';

const script = (document: unknown) => `<script type="application/json" data-sjs>${JSON.stringify(document)}</script>`;

function read(documents: readonly unknown[]) {
  const response: ScrapingResponse = {
    url: 'https://www.instagram.com/p/abc/',
    status: 200,
    text: `<html>${documents.map(script).join('')}</html>`,
    header: () => null,
  };
  return readPage(
    response,
    createIdentity({ kind: 'anonymous', label: 'a', connectionKey: 'a', baseUrl: 'https://www.instagram.com' }),
    'post',
  );
}

it('gives other work its turn after every document of a page', async () => {
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const verdict = await read([...Array(20).fill({ a: 1 }), { xig_polaris_media: {} }]);
  isRead = true;
  expect(verdict).toMatchObject({ kind: 'ok', value: { documents: { length: 21 } } });
  expect(turns).toBeGreaterThanOrEqual(21);
});

it('does not read a page that has more values than can be searched in a turn', async () => {
  const large = Array(120_000).fill(0);
  expect(await read([large, large, { xig_polaris_media: {} }])).toMatchObject({ kind: 'ok' });
  expect(await read([large, large, large, { xig_polaris_media: {} }])).toEqual({
    kind: 'unreadable',
    reason: 'too-many-values',
  });
});
