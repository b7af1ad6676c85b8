/** Adapters as values of the configuration: each is used, takes its options, and names what is wrong with them. */
import { describe, expect, it } from 'vitest';
import { bullmq } from '../../../adapters/bullmq-jobs/index.ts';
import { dataProvider } from '../../../adapters/data-provider/index.ts';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { groth16 } from '../../../adapters/groth16-prover/index.ts';
import { httpNotary } from '../../../adapters/http-notary/index.ts';
import { httpProver } from '../../../adapters/http-prover/index.ts';
import { instagram } from '../../../adapters/instagram/index.ts';
import { createLeasedJobQueue, leased } from '../../../adapters/leased-jobs/index.ts';
import { localNotary, notaryKey } from '../../../adapters/local-notary/index.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { mongodb } from '../../../adapters/mongodb/index.ts';
import { redis } from '../../../adapters/redis-rate-limiter/index.ts';
import { sqlite } from '../../../adapters/sqlite/index.ts';
import { tiktok } from '../../../adapters/tiktok/index.ts';
import { youtube } from '../../../adapters/youtube/index.ts';
import {
  ConfigurationError,
  ContainerModule,
  type CredenceConfig,
  createCredence,
  type JobQueueAdapter,
  type RateLimiterAdapter,
  silentLogger,
  TOKENS,
} from '../../../plugins/compose/index.ts';
import type { Notary } from '../../../plugins/ports/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { describeWithRedis, startRedis } from '../../support/redis.ts';

const FINGERPRINT = 'ab'.repeat(32);
const ADMIN = 'an-admin-token-for-tests';
const secret = new Uint8Array(32).fill(7);

/** Counts how often the key of the embedded notary is asked for. By default that makes its file. */
function countKeys() {
  let asked = 0;
  const module = new ContainerModule(({ rebind }) => {
    rebind(TOKENS.notaryKey).toDynamicValue(() => {
      asked += 1;
      return notaryKey(secret);
    });
  });
  return { module, asked: () => asked };
}

function create(config: CredenceConfig, modules: readonly ContainerModule[] = []) {
  return createCredence(
    {
      storage: sqlite({ path: ':memory:' }),
      secrets: { key: new Uint8Array(32) },
      adminToken: ADMIN,
      logger: silentLogger,
      ...config,
    },
    { modules },
  );
}

/** A remote notary that answers every request with this proof. */
const notary = (url: string, data: string): Notary => ({
  url,
  fingerprint: FINGERPRINT,
  notarize: async () => ({ data, version: '2.0.0', meta: { notaryUrl: url } }),
  close: async () => undefined,
});

const ofCode = (config: CredenceConfig) => fieldsOf(() => create(config));

/** The fields that a refusal names. */
function fieldsOf(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).issues.map(({ field }) => field);
  }
  return [];
}

describe('a job queue', () => {
  it.each([
    ['in place of all options', (queue: JobQueueAdapter) => queue, 60],
    ['among the options', (queue: JobQueueAdapter) => ({ queue, leaseSeconds: 7 }), 7],
  ])('%s gets the store and the lease of the instance', async (_where, jobs, leaseSeconds) => {
    const storage = sqlite({ path: ':memory:' });
    const contexts: unknown[] = [];
    const queue: JobQueueAdapter = {
      create: ({ store, leaseSeconds, clock, logger }) => {
        contexts.push({ store: store === storage.jobs, leaseSeconds });
        return createLeasedJobQueue({ store, leaseSeconds, clock, logger, pollMs: 20 });
      },
    };
    const credence = create({ storage, jobs: jobs(queue) });
    await credence.start();
    expect(contexts).toEqual([{ store: true, leaseSeconds }]);
    expect((await credence.health()).ready).toBe(true);
    await credence.stop();
  });

  it('takes every option that its adapter has', async () => {
    const queue = leased({ pollMs: 20, concurrency: { 'verify-attempt': 1 } });
    const credence = create({ jobs: { queue, run: true } });
    await credence.start();
    await credence.stop();
  });
});

describe('a rate limiter', () => {
  it('counts the requests of the instance, and is closed with it', async () => {
    const consumed: string[] = [];
    let closed = 0;
    const rateLimiter: RateLimiterAdapter = {
      create: () => {
        const memory = createMemoryRateLimiter();
        return {
          consume: (rule, key, units) => {
            consumed.push(rule.name);
            return memory.consume(rule, key, units);
          },
          giveBack: memory.giveBack,
          close: async () => {
            closed += 1;
            await memory.close();
          },
        };
      },
    };
    // No request leaves this process, and no answer is worth another try.
    const transport = async () => ({ status: 404, headers: {}, body: new Uint8Array() });
    const credence = create({ rateLimiter, platforms: { transport } });
    await credence.start();
    const url = 'http://localhost/admin/posts/thumbnail?url=https%3A%2F%2Fwww.tiktok.com%2F%40a%2Fvideo%2F1';
    await credence.fetch(new Request(url, { headers: { authorization: `Bearer ${ADMIN}` } }));
    expect(consumed).not.toEqual([]);
    await credence.stop();
    expect(closed).toBe(1);
  });

  it('is refused beside another way to set one, and if it is none', () => {
    expect(ofCode({ rateLimiter: redis({ url: 'redis://a' }), redisUrl: 'redis://a' })).toEqual(['redisUrl']);
    expect(ofCode({ rateLimiter: 7 as unknown as RateLimiterAdapter })).toEqual(['rateLimiter']);
  });
});

describeWithRedis('adapters over a Redis', () => {
  it('start, share limits and run jobs', async () => {
    const server = await startRedis();
    try {
      await server.start();
      const { url } = server;
      const credence = create({
        jobs: bullmq({ url, prefix: 'values', concurrency: { 'verify-attempt': 2 } }),
        rateLimiter: redis({ url, prefix: 'values' }),
      });
      await credence.start();
      expect((await credence.health()).ready).toBe(true);
      await credence.stop();
    } finally {
      await server.close();
    }
  });
});

describe('a notary', () => {
  const request = { url: 'https://example.com/', method: 'GET' } as const;

  it('in place of the embedded one proves what names no notary', async () => {
    const config: CredenceConfig = {
      services: ['web-prover'],
      notary: { create: () => notary('https://default.example', '01') },
      remoteNotaries: [{ create: async () => notary('https://other.example', '02') }],
    };
    const key = countKeys();
    const credence = create(config, [key.module]);
    await credence.start();
    expect(await credence.proofs.prove(request)).toMatchObject({ data: '01' });
    const other = { ...request, notaryUrl: 'https://other.example' };
    expect(await credence.proofs.prove(other)).toMatchObject({ data: '02' });
    await credence.stop();
    expect(key.asked()).toBe(0);
  });

  it('that is the default and in the list too is made once, and found by its name', async () => {
    const [remote, key] = [{ create: () => notary('https://n.example', '03') }, countKeys()];
    const credence = create({ services: ['web-prover'], notary: remote, remoteNotaries: [remote] }, [key.module]);
    await credence.start();
    expect(await credence.proofs.prove({ ...request, notaryUrl: 'https://n.example' })).toMatchObject({ data: '03' });
    await credence.stop();
  });

  it('in place of the embedded one leaves its key to the seals of other proofs', async () => {
    const key = countKeys();
    const config: CredenceConfig = {
      services: ['web-prover', 'zk-prover'],
      notary: { create: () => notary('https://default.example', '01') },
      zkProver: fakeProver(),
    };
    const credence = create(config, [key.module]);
    await credence.start();
    await credence.stop();
    expect(key.asked()).toBeGreaterThan(0);
  });

  it('that is embedded takes its limits; one that is remote cannot be served', () => {
    expect(ofCode({ services: ['notary'], notary: localNotary({ key: { secret }, concurrency: 4 }) })).toEqual([]);
    expect(ofCode({ notary: localNotary({ concurrency: 0 }) })).toEqual(['notary.concurrency']);
    const remote = httpNotary({ url: 'https://n.example', token: 't', fingerprint: FINGERPRINT, timeoutMs: 9_000 });
    expect(ofCode({ services: ['web-prover'], notary: remote, remoteNotaries: [remote] })).toEqual([]);
    expect(ofCode({ services: ['notary'], notary: remote })).toEqual(['notary']);
  });
});

describe('a prover', () => {
  it('is the one whose program the instance names', async () => {
    const guestId = `0x${'12'.repeat(32)}` as const;
    const zkProver = fakeProver({ guestId });
    const credence = create({ services: ['zk-prover'], notary: { key: { secret } }, zkProver });
    expect(await credence.proofs.guestId()).toMatchObject({ guestId });
    await credence.stop();
  });

  it('has to be named, and warns of itself at the start', async () => {
    expect(ofCode({ services: ['zk-prover'] })).toEqual(['zkProver']);
    const logger = createRecordingLogger();
    const zkProver = { ...fakeProver(), warning: async () => 'Seals prove nothing.' };
    const credence = create({ services: ['zk-prover'], notary: { key: { secret } }, zkProver, logger });
    await credence.start();
    await credence.stop();
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'Seals prove nothing.' }));
  });
});

describe('an adapter whose create() returns nothing', () => {
  const nothing = { create: () => undefined as never };
  const services = ['engagement', 'web-prover'] as const;
  const key = { notary: { key: { secret } } };

  it.each<[field: string, config: CredenceConfig]>([
    ['rateLimiter', { services, ...key, rateLimiter: nothing }],
    ['jobs', { services, ...key, jobs: nothing }],
    ['platforms', { services, ...key, platforms: [{ ...instagram(), ...nothing }] }],
  ])('is refused with its field %s', (field, config) => {
    expect(ofCode(config)).toEqual([field]);
    expect(() => create(config)).toThrow(`${field}: \`create()\` returned undefined`);
  });

  const proveWith = (config: CredenceConfig) =>
    create({ services: ['web-prover'], ...config }, [countKeys().module]).proofs.prove({ url: 'https://example.com/' });
  it.each<[field: string, use: () => Promise<unknown>]>([
    ['notary', () => proveWith({ notary: nothing })],
    ['remoteNotaries', () => proveWith({ ...key, remoteNotaries: [nothing] })],
    ['zkProver', () => create({ services: ['zk-prover'], ...key, zkProver: nothing }).proofs.guestId()],
  ])('is refused with its field %s when it is first needed', async (field, use) => {
    const refused = await use().catch((error: Error) => error.cause);
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(String(refused)).toContain(`${field}: \`create()\` returned undefined`);
  });
});

describe('a stop', () => {
  it('closes the storage if parts of a user fail, and tells the first failure', async () => {
    const storage = sqlite({ path: ':memory:' });
    let closed = 0;
    const counted = {
      ...storage,
      close: async () => {
        closed += 1;
        await storage.close();
      },
    };
    const jobs: JobQueueAdapter = {
      create: ({ random: _, ...context }) => {
        const queue = createLeasedJobQueue({ ...context, pollMs: 20 });
        const stop = async (graceMs: number) => {
          await queue.stop(graceMs);
          throw new Error('The queue is gone.');
        };
        return { ...queue, stop };
      },
    };
    const closing = [
      () => {
        throw new Error('The limiter is gone.');
      },
      () => undefined as never,
    ];
    for (const close of closing) {
      const rateLimiter: RateLimiterAdapter = { create: () => ({ ...createMemoryRateLimiter(), close }) };
      const credence = create({ storage: counted, jobs, rateLimiter });
      await credence.start();
      await expect(credence.stop()).rejects.toThrow('The queue is gone.');
    }
    expect(closed).toBe(2);
  });
});

it.each<[fields: string[], make: () => unknown]>([
  [['leased.pollMs'], () => leased({ pollMs: 1 })],
  [['bullmq.url'], () => bullmq({ url: 'http://a' })],
  [['bullmq.maxRuns'], () => bullmq({ url: 'redis://a', maxRuns: 0 })],
  [['redis.url', 'redis.prefix'], () => redis({ url: 'http://a', prefix: 'a b' })],
  [['httpNotary.url', 'httpNotary.fingerprint'], () => httpNotary({ url: 'http://n', token: 't', fingerprint: 'x' })],
  [['groth16.timeoutMs'], () => groth16({ timeoutMs: -1 })],
  [['httpProver.url'], () => httpProver({ url: 'ftp://a', token: 't' })],
  [['fakeProver.guestId'], () => fakeProver({ guestId: '0x1' })],
  [['instagram.sessionIds.0'], () => instagram({ sessionIds: ['a;b'] })],
  [['tiktok.baseUrl'], () => tiktok({ baseUrl: 'ftp://x' })],
  [['youtube.apiKey'], () => youtube({ apiKey: '' })],
  [['dataProvider.key'], () => dataProvider({ platform: 'tiktok', key: '' })],
  [['mongodb.maxPoolSize'], () => mongodb({ url: 'mongodb://h/x', maxPoolSize: 0 })],
  [['sqlite.path'], () => sqlite({ path: '' })],
])('an adapter names its unusable options: %j', (fields, make) => {
  expect(fieldsOf(make)).toEqual(fields);
});

describe('other values', () => {
  it('are the clock and the logger', async () => {
    const now = new Date('2031-02-03T04:05:06.000Z');
    const credence = create({ clock: { now: () => now } });
    await credence.start();
    const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
    expect(JSON.stringify(brand)).toContain('2031-02-03T04:05:06.000Z');
    await credence.stop();
    const parts = { clock: {} as CredenceConfig['clock'], logger: {} as CredenceConfig['logger'] };
    expect(ofCode(parts)).toEqual(['clock', 'logger']);
  });
});
