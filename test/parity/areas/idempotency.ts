import { expect } from 'vitest';
import { createBrand } from '../fixtures.ts';
import type { Stage } from '../stage.ts';

/** Repeated requests with an `Idempotency-Key`; the ids that follow show that none ran twice. */
export async function idempotency(stage: Stage): Promise<void> {
  const headers = { 'idempotency-key': 'parity-1' };
  const body = { name: 'Once', slug: 'once' };
  const first = await stage.ok(201, 'createBrand', { body, headers });
  const again = await stage.send('createBrand', { body, headers });
  expect(again.json).toEqual(first);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await stage.refuse('IDEMPOTENCY_KEY_REUSED', 'createBrand', { body: { ...body, name: 'Twice' }, headers });
  await stage.refuse('INVALID_REQUEST', 'createBrand', { body, headers: { 'idempotency-key': 'with blank' } });
  await stage.refuse('CONFLICT', 'createBrand', { body, headers: { 'idempotency-key': 'parity-2' } });
  const refused = await stage.refuse('CONFLICT', 'createBrand', { body, headers: { 'idempotency-key': 'parity-2' } });
  expect(refused.headers.get('idempotent-replayed')).toBe('true');

  // A secret that is shown once is shown again to who made it, and to nobody else.
  const brandId = await createBrand(stage, 'once-webhooks');
  const webhook = {
    params: { brandId },
    body: { url: 'https://hooks.example.com/once', events: ['creator.verified'] },
    headers,
  };
  const made = await stage.ok(201, 'createWebhook', webhook);
  expect(await stage.ok(201, 'createWebhook', webhook)).toEqual(made);
  expect((await stage.ok(200, 'listWebhooks', { params: { brandId } })).data).toHaveLength(1);

  // Many at a time: one runs, the others are told so or get its answer.
  const race = { body: { name: 'Race', slug: 'once-race' }, headers: { 'idempotency-key': '"parity-3"' } };
  const answers = await Promise.all(Array.from({ length: 10 }, () => stage.send('createBrand', race, false)));
  const codes = new Set(answers.map(({ status, json }) => (status === 409 ? String(json.error?.code) : status)));
  expect([...codes].filter((code) => code !== 'IDEMPOTENCY_KEY_IN_USE')).toEqual([201]);
  const { data } = await stage.ok(201, 'createBrand', race);
  expect(answers.filter(({ status }) => status === 201).every(({ json }) => json.data?.id === data?.id)).toBe(true);
}
