/** The drift monitor of an instance: readings on a schedule, signed events, figures and readiness. */
import { expect, it, vi } from 'vitest';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { verifyWebhook } from '../../plugins/client/webhooks/index.ts';
import { instanceOfBlock } from '../support/instance.ts';

const world = createWorld('canaries');
world.addProfile({ platform: 'tiktok', handle: 'canary.one' });
const config = { canaries: { targets: ['tiktok:canary.one'] }, delayScale: 0.001 };
const instance = instanceOfBlock({ world, config });

it('announces drift and recovery to webhooks of any brand, in figures and in /readyz, and stays ready', async () => {
  const { api, receiver } = instance;
  const brand = await api.call('POST', '/admin/brands', { body: { name: 'Any', slug: 'any' } });
  const hook = await api.call('POST', `/admin/brands/${brand.json.data?.id}/webhooks`, {
    body: { url: receiver.url, events: ['platform.drifted', 'platform.recovered'] },
  });
  const ready = async () => JSON.parse((await api.call('GET', '/readyz')).text);
  await vi.waitFor(async () => expect((await ready()).checks['tiktok-canaries']).toBe('ok'), { timeout: 15_000 });
  world.failures.add({ platform: 'tiktok', shape: 'drifted' });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 15_000 });
  expect(await ready()).toMatchObject({ ready: true, checks: { 'tiktok-canaries': '1 failed of 1' } });
  const figures = (await api.call('GET', '/metrics')).text;
  expect(figures).toContain('credence_canary_up{platform="tiktok",canary="tiktok:canary.one"} 0');
  expect(figures).toMatch(/credence_canary_last_success_timestamp_seconds\{[^}]+\} 1\d{9}/);
  world.failures.clear();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), { timeout: 15_000 });
  const events = receiver.received.map(({ body, headers }) =>
    verifyWebhook(body, headers, String(hook.json.data?.secret)),
  );
  expect(events).toMatchObject([
    { event: 'platform.drifted', data: { canary: 'tiktok:canary.one', verdict: 'failed', error: expect.any(String) } },
    { event: 'platform.recovered', data: { canary: 'tiktok:canary.one', verdict: 'ok' } },
  ]);
  expect((await ready()).checks['tiktok-canaries']).toBe('ok');
});
