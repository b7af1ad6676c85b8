import { expect, it } from 'vitest';
import { NOTARY_PATH, notaryLabel } from '../../../../core/web-proof/notary-label.ts';

it.each([
  'https://notary.example',
  'https://notary.example/',
  'https://notary.example//',
  'https://notary.example/v0.1.0-alpha.12',
  'https://notary.example/v0.1.0-alpha.12//',
])('the label of the notary at %s', (url) => {
  expect(notaryLabel(url)).toBe('https://notary.example/v0.1.0-alpha.12');
});

it('keeps the path that a notary is served below', () => {
  expect(notaryLabel('https://a.example/notary/')).toBe(`https://a.example/notary${NOTARY_PATH}`);
  expect(notaryLabel('https://a.example/v0.1.0-alpha.11')).toBe(`https://a.example/v0.1.0-alpha.11${NOTARY_PATH}`);
  expect(notaryLabel('https://a.example/v0.1.0-alpha.12/b')).toBe(`https://a.example/v0.1.0-alpha.12/b${NOTARY_PATH}`);
});
