import { expect } from 'vitest';
import { createBrand, expectKeys, expectPages } from '../fixtures.ts';
import type { Stage } from '../stage.ts';

export async function brands(stage: Stage): Promise<void> {
  const id = await createBrand(stage, 'brands-one');
  const full = await stage.ok(201, 'createBrand', {
    body: { name: '  Übermut & Söhne 🎽 ', slug: 'brands-2', logoUrl: 'https://example.com/logo.png' },
  });
  expect(full.data).toMatchObject({ id: id + 1, name: 'Übermut & Söhne 🎽', logoUrl: 'https://example.com/logo.png' });
  await stage.refuse('CONFLICT', 'createBrand', { body: { name: 'Again', slug: 'brands-one' } });
  for (const wrong of [
    { name: 'x' },
    { slug: 'x' },
    { name: 'x', slug: 'Upper' },
    { name: 'x', slug: 'with space' },
    { name: 'x', slug: '' },
    { name: '  ', slug: 'ok' },
    { name: 'x', slug: 'ok', logoUrl: 'javascript:alert(1)' },
    { name: 'x', slug: 'ok', logoUrl: 'nonsense' },
    { name: 'x'.repeat(201), slug: 'ok' },
  ]) {
    await stage.refuse('INVALID_REQUEST', 'createBrand', { body: wrong });
  }
  const list = (await stage.ok(200, 'listBrands')).data;
  expectKeys(list?.['0'], 'id name slug logoUrl createdAt');
  await expectPages(stage, 'listBrands');
}
