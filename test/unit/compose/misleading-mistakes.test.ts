/** What people are told who make a mistake: which field, what is wrong and what to do, never the words of a library. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import {
  ConfigurationError,
  type CredenceConfig,
  createCredence,
  silentLogger,
} from '../../../plugins/compose/index.ts';
import { configFields } from '../../support/config-fields.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

/** What a caller in JavaScript may pass. */
function refusal(config: unknown, options?: unknown): string {
  try {
    createCredence(config as CredenceConfig, options as Parameters<typeof createCredence>[1]);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}

const SECRETS =
  'secrets: must be { keyFile: "./data/secrets.key" }, or { key } with the 32 bytes of the key as a Uint8Array';
const NOTARY_KEY =
  'notary.key: must be { file: "./data/notary.key" }, or { secret } with the 32 bytes of the key as a Uint8Array';
const LOGGER = 'logger: must be a logger with debug, info, warn and error; `silentLogger` drops everything';
const CLOCK = 'clock: must be a clock: { now: () => Date }';
const PUBLIC_URL = 'publicUrl: must be a URL that begins with https:// or http://, such as https://api.example.com';

describe('a configuration', () => {
  it.each([
    [{ secrets: 'a key' }, SECRETS],
    [{ secrets: { key: 'abc' } }, SECRETS],
    [{ secrets: { key: new Uint8Array(5) } }, 'secrets.key: must be 32 bytes'],
    [{ notary: { key: 'abc' } }, NOTARY_KEY],
    [{ logger: 'console' }, LOGGER],
    [{ clock: Date }, CLOCK],
    [{ clock: { now: (): unknown => 5 } }, CLOCK],
    [{ publicUrl: 'localhost:3000' }, PUBLIC_URL],
    [{ publicUrl: 5 }, PUBLIC_URL],
    [{ storage: 5 }, 'storage: must be an object, not a number'],
    [{ storage: {} }, 'storage.url: is missing; it must be text'],
    [{ services: 'engagement' }, 'services: must be a list, not text'],
    [{ services: ['x'] }, 'services.0: must be one of "engagement", "web-prover", "zk-prover", "notary"'],
    [{ platforms: { pacing: 'slow' } }, 'platforms.pacing: must be one of "safe", "off"'],
    [{ jobs: { leaseSeconds: '5' } }, 'jobs.leaseSeconds: must be a number, not text'],
    [{ jobs: { leaseSeconds: 1.5 } }, 'jobs.leaseSeconds: must be a whole number'],
    [{ jobs: { leaseSeconds: 0 } }, 'jobs.leaseSeconds: must be at least 1'],
    [{ jobs: { queue: 'bullmq' } }, 'redisUrl: is missing; the job queue bullmq needs it'],
    [{ delayScale: 5 }, 'delayScale: must be at most 1'],
    [{ canaries: null }, 'canaries: must be an object, not null'],
    [{ storge: 1 }, '(config): has no field "storge". Did you mean "storage"?'],
    [{ Logger: 1 }, '(config): has no field "Logger". Did you mean "logger"?'],
    [{ jobs: { leaseSecond: 1 } }, 'jobs: has no field "leaseSecond". Did you mean "leaseSeconds"?'],
    [{ completelyElse: 1, another: 2 }, '(config): has no fields "completelyElse", "another"'],
    ['sqlite::memory:', "(config): must be an object, such as { storage: 'sqlite:./data/credence.db' }"],
    [null, "(config): must be an object, such as { storage: 'sqlite:./data/credence.db' }"],
  ])('%j is refused in plain words', (config, message) => {
    expect(refusal(config)).toBe(`The Credence configuration is not usable:\n  ${message}`);
  });

  it('names the parts that a storage as a value lacks', () => {
    const { canaries, draws, jobs, ping, ...rest } = createSqliteStorage({ path: ':memory:' });
    expect(refusal({ storage: { ...rest, jobs: null } })).toBe(
      'The Credence configuration is not usable:\n' +
        '  storage: is a value without `draws`, `jobs`, `canaries`, `ping()`: give it every part of `Storage`',
    );
  });

  it('never shows the words of the library, whatever type a field has', () => {
    const fields = configFields().map(({ path }) => path.split('.')[0] as string);
    for (const field of new Set([...fields, 'rateLimiter', 'zkProver', 'clock'])) {
      for (const wrong of [5, true, () => 0, [[]], { unknown: 1 }]) {
        const message = refusal({ [field]: wrong });
        expect(message, field).toContain(`  ${field}`);
        expect(message, field).not.toMatch(/Invalid|Unrecognized|Too (small|big)|expected|received|undefined is not/);
      }
    }
  });
});

describe('the options of createCredence', () => {
  it.each([
    [{ logger: { info: () => 0 } }, LOGGER],
    [{ logger: 'console' }, LOGGER],
    [{ identify: 'me' }, 'identify: must be a function that takes a request and returns a caller, null or undefined'],
    [{ modules: 'x' }, 'modules: must be a list of ContainerModules: import { ContainerModule } from "credence"'],
    [{ modules: [5] }, 'modules: must be a list of ContainerModules: import { ContainerModule } from "credence"'],
    [null, '(options): must be an object, not null'],
    [{ foo: 1 }, '(options): has no field "foo"'],
    [{ Identify: 5, foo: 1 }, '(options): has no fields "Identify", "foo". Did you mean "identify"?'],
  ])('%j are refused in plain words', (options, message) => {
    expect(refusal({}, options)).toBe(`The options of createCredence are not usable:\n  ${message}`);
  });
});

describe('an instance', () => {
  const make = () => createCredence({ storage: 'sqlite::memory:' }, { logger: silentLogger });
  const ask = async (credence: ReturnType<typeof make>, headers: Record<string, string>) => {
    const answer = await credence.fetch(new Request('http://localhost/admin/brands', { headers }));
    return { status: answer.status, message: ((await answer.json()) as { error: { message: string } }).error.message };
  };

  it('that was not started, or was stopped, says what to call', async () => {
    const credence = make();
    await expect(credence.brands.list()).rejects.toThrow('call `start()` of the Credence instance first');
    await credence.start();
    await credence.stop();
    await expect(credence.brands.list()).rejects.toThrow('One that was stopped cannot be used again.');
  });

  it('tells a missing header, another scheme and an unknown token apart', async () => {
    const credence = make();
    await credence.start();
    expect((await ask(credence, {})).message).toMatch(/^The Authorization header is missing/);
    expect((await ask(credence, { authorization: 'Basic abc' })).message).toMatch(/holds no bearer token/);
    const unknown = await ask(credence, { authorization: 'Bearer crd_unknown' });
    const message = 'The token is unknown or was revoked: check it, or make a new one.';
    expect(unknown).toEqual({ status: 401, message });
    await credence.stop();
  });

  it('names EGRESS_ALLOW if a webhook is on localhost or a private network, EGRESS_PORTS for another port', async () => {
    const credence = make();
    await credence.start();
    const { id: brandId } = await credence.brands.create({ name: 'a', slug: 'a' });
    const create = (url: string) => credence.webhooks.create({ brandId, url, events: ['reward.issued'] });
    for (const url of ['http://localhost:4000/hook', 'http://127.0.0.1:4000/hook', 'http://10.0.0.1/hook']) {
      await expect(create(url)).rejects.toThrow('name it in EGRESS_ALLOW (`egress.allow`)');
    }
    await expect(create('http://example.com:22/hook')).rejects.toThrow('Name others in EGRESS_PORTS (`egress.ports`)');
    await credence.stop();
  });

  it('warns while the storage does not answer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const logger = createRecordingLogger();
    const opened = Promise.withResolvers<void>();
    const storage = createSqliteStorage({ path: ':memory:' });
    const slow = { ...storage, open: () => opened.promise.then(() => storage.open()) };
    const credence = createCredence({ storage: slow, secrets: { key: new Uint8Array(32) } }, { logger });
    const starting = credence.start();
    await vi.advanceTimersByTimeAsync(1_900);
    expect(logger.text()).not.toContain('has not answered yet');
    await vi.advanceTimersByTimeAsync(200);
    expect(logger.text()).toContain('the storage has not answered yet; check its URL and that it runs');
    vi.useRealTimers();
    opened.resolve();
    await starting;
    await credence.stop();
  });

  it('warns at its start if Redis cannot be reached', async () => {
    const logger = createRecordingLogger();
    const credence = createCredence({ storage: 'sqlite::memory:', redisUrl: 'redis://127.0.0.1:9' }, { logger });
    await credence.start();
    await vi.waitFor(() => expect(logger.text()).toContain('check REDIS_URL'));
    await credence.stop();
  });
});
