/** A brand connects its accounts over HTTP, with the adapters of both official APIs, until the owner takes the access back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { SIMULATED_APP } from '../../hosts/platform-simulator/official/apps.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import type { JsonValue } from '../support/client.ts';
import { startInstance } from '../support/instance.ts';
import { newFolder } from '../support/new-folder.ts';
import { officialPlatforms } from '../support/official.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';

const REDIRECT_URI = 'https://app.example.com/connected';
const logger = createRecordingLogger();
const world = createWorld('brand-connections');
const post = world.addPost({ platform: 'instagram', owner: 'acme', comments: 12 });
world.addPost({ platform: 'tiktok', owner: 'acme', comments: 3 });
const answers: string[] = [];

const folder = newFolder();
const instance = await startInstance({
  world,
  storageUrl: `sqlite:${join(folder, 'credence.db')}`,
  config: (simulator) => ({
    publicUrl: 'https://credence.example',
    platforms: officialPlatforms(simulator, REDIRECT_URI),
  }),
  options: { logger },
});
afterAll(() => instance?.close());

async function told(method: string, path: string, body?: unknown): Promise<JsonValue> {
  const answer = await instance.api.call(method, path, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  answers.push(answer.text);
  return answer.json;
}

/** The owner of the account agrees in a browser. */
async function connect(brandId: number, platform: string): Promise<JsonValue> {
  const path = `/admin/brands/${brandId}/connections`;
  const begun = (await told('POST', path, { platform, redirectUri: REDIRECT_URI })).data;
  const { headers } = await fetch(String(begun?.authorizationUrl), { redirect: 'manual' });
  const landing = new URL(headers.get('location') ?? '').searchParams;
  expect(landing.get('state')).toBe(begun?.state);
  return told('POST', `${path}/complete`, { state: landing.get('state'), code: landing.get('code') });
}

it('reads its posts by the official API, and tells when the owner takes the access back', async () => {
  const brandId = Number((await told('POST', '/admin/brands', { name: 'Acme', slug: 'acme' })).data?.id);
  const url = instance.receiver.url;
  await told('POST', `/admin/brands/${brandId}/webhooks`, { url, events: ['connection.expired'] });
  for (const platform of ['instagram', 'tiktok']) {
    const { data, warning } = await connect(brandId, platform);
    expect({ data, warning }).toMatchObject({
      data: { platform, handle: 'acme', status: 'active' },
      warning: undefined,
    });
    expect(data?.subscribedAt).not.toBeNull();
  }
  expect(world.official.receivers.get('tiktok')?.url).toBe('https://credence.example/push/tiktok');

  const made = await told('POST', '/admin/campaigns', {
    brandId,
    title: 'Own post',
    pointsReward: 5,
    challenge: { targetUrl: post.url },
  });
  const comments = `/admin/challenges/${made.data?.challenge?.id}/comments`;
  await told('POST', `${comments}/refresh`);
  expect((await told('GET', comments)).pagination?.total).toBe(12);
  const metrics = async () => (await instance.api.call('GET', '/metrics')).text;
  const ready = async () => (await instance.api.call('GET', '/readyz')).text;
  expect(await metrics()).toContain('credence_brand_connections{platform="instagram",status="active"} 1');
  expect(await ready()).toContain('"instagram-connections":"ok"');

  world.official.setTokens('instagram', 'acme', 'revoked');
  await told('POST', `${comments}/refresh`);
  const listed = await vi.waitFor(async () => {
    const { data } = await told('GET', `/admin/brands/${brandId}/connections`);
    expect(data?.['0']).toMatchObject({ platform: 'instagram', status: 'revoked' });
    return data;
  });
  expect(listed?.['1']).toMatchObject({ platform: 'tiktok', status: 'active' });
  const [sent] = await instance.receiver.waitFor(1);
  expect(JSON.parse(String(sent?.body))).toMatchObject({
    event: 'connection.expired',
    data: { platform: 'instagram', handle: 'acme', reason: 'revoked' },
  });
  expect(await metrics()).toContain('credence_brand_connections{platform="instagram",status="revoked"} 1');
  expect(await ready()).toContain('"instagram-connections":"to be connected again: 1 revoked"');
  expect((await instance.api.call('GET', '/readyz')).status).toBe(200);

  const again = await connect(brandId, 'instagram');
  expect(again.data).toMatchObject({ id: listed?.['0']?.id, status: 'active', lastFailure: null });
  await told('DELETE', `/admin/brands/${brandId}/connections/${again.data?.id}`);
});

it('keeps tokens and the secret of the app out of answers, the log and the database', () => {
  const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'));
  const told = [...answers, logger.text(), ...stored].join('\n');
  expect(stored.length).toBeGreaterThan(0);
  // Tokens of the simulator begin so.
  expect(/sim-(?:instagram|tiktok)-\d+/.exec(told)?.[0]).toBeUndefined();
  expect(told).not.toContain(SIMULATED_APP.appSecret);
});
