import { expect } from 'vitest';
import { createBrand, expectKeys, expectPages, subscribe } from '../fixtures.ts';
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

  const params = { brandId: id };
  expect(await stage.ok(200, 'readLeaderboard', { params })).toMatchObject({ data: [], pagination: { total: 0 } });
  await stage.refuse('NOT_FOUND', 'readLeaderboard', { params: { brandId: 999_999 } });
  await stage.refuse('INVALID_REQUEST', 'readLeaderboard', { params, query: { cursor: 'nonsense' } });
  const renamed = { name: ' Renamed ', slug: 'brands-renamed', logoUrl: 'https://example.com/ü.png' };
  const changed = await stage.ok(200, 'updateBrand', { params, body: renamed });
  expect(changed.data).toMatchObject({ id, name: 'Renamed', logoUrl: 'https://example.com/%C3%BC.png' });
  const bare = await stage.ok(200, 'updateBrand', { params, body: { logoUrl: null } });
  expect(bare.data).toEqual({ ...(changed.data as object), logoUrl: null });
  expect(await stage.ok(200, 'updateBrand', { params, body: {} })).toEqual(bare);
  await stage.refuse('CONFLICT', 'updateBrand', { params, body: { slug: 'brands-2' } });
  for (const body of [{ name: ' ' }, { name: null }, { slug: 'Upper' }, { logoUrl: 'nonsense' }, { id: 7 }]) {
    await stage.refuse('INVALID_REQUEST', 'updateBrand', { params, body });
  }
  await stage.refuse('NOT_FOUND', 'updateBrand', { params: { brandId: 999_999 }, body: { name: 'x' } });

  await subscribe(stage, id, ['reward.issued']);
  const refused = await stage.refuse('CONFLICT', 'deleteBrand', { params });
  expect(refused.json.error).toMatchObject({
    message: 'The brand has 1 webhook; delete these first.',
    details: { campaigns: 0, webhooks: 1 },
  });
  const webhookId = Number((await stage.ok(200, 'listWebhooks', { params })).data?.['0']?.id);
  await stage.ok(200, 'deleteWebhook', { params: { brandId: id, webhookId } });
  expect(await stage.ok(200, 'deleteBrand', { params })).toEqual({ data: { id } });
  await stage.refuse('NOT_FOUND', 'deleteBrand', { params });
  await stage.refuse('INVALID_REQUEST', 'deleteBrand', { params: { brandId: 'x' } });
}
