/** `JOB_QUEUE=bullmq`: the same service with its jobs in Redis. */
import { afterEach, expect, it, vi } from 'vitest';
import { readEnvironment, toConfig } from '../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../plugins/compose/config.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import type { JsonValue } from '../support/client.ts';
import { startInstance } from '../support/instance.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it('bullmq without Redis is refused at boot, by the host and by the library', () => {
  expect(() => resolveConfig(toConfig(readEnvironment({ JOB_QUEUE: 'bullmq' })))).toThrow('bullmq needs redisUrl');
  expect(() => readEnvironment({ JOB_QUEUE: 'rabbit' })).toThrow('JOB_QUEUE');
  expect(() => createCredence({ jobs: { queue: 'bullmq' } })).toThrow('jobs.queue: bullmq needs redisUrl');
  const env = readEnvironment({ JOB_QUEUE: 'bullmq', REDIS_URL: 'redis://127.0.0.1' });
  expect(toConfig(env)).toMatchObject({ jobs: { queue: 'bullmq' }, redisUrl: 'redis://127.0.0.1' });
  expect(resolveConfig(toConfig(readEnvironment({ SERVICES: 'engagement' })))).toMatchObject({
    jobs: { queue: 'leased' },
  });
});

describeWithRedis('an instance whose jobs wait in Redis', () => {
  it('delivers webhooks, also after Redis was away, and stops cleanly', async () => {
    const redis = await startRedis();
    closing.push(() => redis.close());
    const instance = await startInstance({ config: { jobs: { queue: 'bullmq' }, redisUrl: redis.url } });
    closing.push(() => instance.close());
    const { api, receiver } = instance;
    const post = async (path: string, body: unknown) => {
      const answer = await api.call('POST', path, { body });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.json.data as JsonValue;
    };
    const brand = await post('/admin/brands', { name: 'A brand', slug: 'a-brand' });
    const hooks = `/admin/brands/${brand.id}/webhooks`;
    const hook = await post(hooks, { url: receiver.url, events: ['creator.verified'] });
    await post(`${hooks}/${hook.id}/test`, {});
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
    await redis.stop();
    await redis.start();
    await vi.waitFor(async () => void (await post(`${hooks}/${hook.id}/test`, {})), 10_000);
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(1), 15_000);
    await instance.credence.stop();
    expect(await instance.credence.health()).toMatchObject({ ready: false });
  });

  it('two deployments on one Redis leave each other alone, by their prefixes', async () => {
    const redis = await startRedis();
    closing.push(() => redis.close());
    const deploy = async (redisPrefix: string, run: boolean) => {
      const instance = await startInstance({
        config: { jobs: { queue: 'bullmq', run }, redisUrl: redis.url, redisPrefix },
      });
      closing.push(() => instance.close());
      const { api, receiver } = instance;
      const brand = await api.call('POST', '/admin/brands', { body: { name: 'A brand', slug: 'a-brand' } });
      const hooks = `/admin/brands/${(brand.json.data as JsonValue).id}/webhooks`;
      const wanted = { url: receiver.url, events: ['creator.verified'] };
      await api.call('POST', hooks, { body: wanted });
      const challenge = { targetUrl: 'https://www.instagram.com/p/C1abcdefghi/', instructionText: 'Comment' };
      const body = { brandId: (brand.json.data as JsonValue).id, title: 'Autumn', pointsReward: 25, challenge };
      const campaign = (await api.call('POST', '/admin/campaigns', { body })).json.data as JsonValue;
      const attempts = `/admin/challenges/${campaign.challenge?.id}/attempts`;
      /** Leaves the job of a reward. */
      const verify = async (name: string) => {
        await api.call('POST', '/social-accounts', { body: { externalId: name, platform: 'instagram', handle: name } });
        const attempt = (await api.call('POST', attempts, { body: { externalId: name } })).json.data as JsonValue;
        expect((await api.call('POST', `${attempts}/${attempt.id}/force-verify`)).status).toBe(200);
      };
      return { api, receiver, verify };
    };
    // The first one's jobs wait, for as long as nobody else takes them.
    const [waiting, working] = [await deploy('one', false), await deploy('other', true)];
    await Promise.all(['ada', 'bob', 'cara'].map((name) => waiting.verify(name)));
    await working.verify('dan');
    await vi.waitFor(() => expect(working.receiver.received).toHaveLength(1), 10_000);
    expect((await waiting.api.call('GET', '/metrics')).text).toMatch(/^credence_jobs\{state="queued"\} 3$/m);
  });

  it('an unusable prefix is refused', () => {
    expect(() => createCredence({ redisPrefix: 'a:b' })).toThrow('redisPrefix: must be 1 to 64 letters');
  });
});
