/** `JOB_QUEUE=bullmq`: the same service with its jobs in Redis. */
import { expect, it, vi } from 'vitest';
import { actingOn } from '../support/campaign.ts';
import { closingAfterEach } from '../support/closing.ts';
import { startInstance } from '../support/instance.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';

const closing = closingAfterEach();

describeWithRedis('an instance whose jobs wait in Redis', () => {
  it('delivers webhooks, also after Redis was away, and stops cleanly', async () => {
    const redis = await startRedis();
    closing.push(() => redis.close());
    const instance = await startInstance({ config: { jobs: { queue: 'bullmq' }, redisUrl: redis.url } });
    closing.push(() => instance.close());
    const { api, receiver } = instance;
    const { make, campaign } = actingOn(api);
    const { hooks } = await campaign();
    const hook = await make(hooks, { url: receiver.url, events: ['creator.verified'] });
    const test = () => make(`${hooks}/${hook.id}/test`);
    await test();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
    await redis.stop();
    await redis.start();
    await vi.waitFor(test, 10_000);
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
      const { make, campaign } = actingOn(api);
      const { hooks, reward } = await campaign();
      await make(hooks, { url: receiver.url, events: ['creator.verified'] });
      return { api, receiver, reward };
    };
    // The first one's jobs wait, for as long as nobody else takes them.
    const [waiting, working] = [await deploy('one', false), await deploy('other', true)];
    await Promise.all(['ada', 'bob', 'cara'].map((name) => waiting.reward(name)));
    await working.reward('dan');
    await vi.waitFor(() => expect(working.receiver.received).toHaveLength(1), 10_000);
    expect((await waiting.api.call('GET', '/metrics')).text).toMatch(/^credence_jobs\{state="queued"\} 3$/m);
  });
});
