/** Backends on NestJS, with the packed package: their own users and connections; Credence's API and events in process. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { ChildHost } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { ONE_CHECKER } from '../support/compile-cache.ts';
import { type Consumer, createConsumer } from '../support/consumer.ts';
import { documentedCode } from '../support/documented-code.ts';
import { availableKinds, createTestStorage, type TestStorage } from '../support/storage.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const SOURCES = fileURLToPath(new URL('../consumers/backends', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../hosts/examples', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

let consumer: Consumer;
let simulator: PlatformSimulator;
let targetUrl: string;
/** What the compiler says. */
let compiled: string;

beforeAll(async () => {
  consumer = await createConsumer();
  await cp(SOURCES, consumer.folder, { recursive: true });
  await cp(EXAMPLES, join(consumer.folder, 'examples'), { recursive: true });
  await writeTyped();
  const compiling = promisify(execFile)(TSC, ['-p', consumer.folder, ...ONE_CHECKER]).catch(
    (error: { stdout: string }) => error,
  );
  simulator = await createPlatformSimulator();
  const placed = [{ handle: 'ada.runs', text: 'Count me in', index: 3 }];
  const post = simulator.world.addPost({ platform: 'tiktok', owner: 'acme', comments: 20, placed });
  targetUrl = post.url;
  compiled = (await compiling).stdout;
});
afterAll(() => simulator.close());

/** The code of the README, and what a strict consumer writes: compiled with the backends and the gallery, so that the types of all are read once. */
async function writeTyped(): Promise<void> {
  for (const [name, code] of documentedCode()) if (!name.includes('/')) await consumer.write(name, code);
  await consumer.write('typed.ts', [
    "import { createCredence, type Credence, type CredenceConfig, DomainError, isDomainError } from 'credence';",
    "import { createMongoStorage } from 'credence/adapters/mongodb';",
    "import { createPostgresStorage } from 'credence/adapters/postgres';",
    "import { createSqliteStorage, type SqliteStorageOptions } from 'credence/adapters/sqlite';",
    "import { credenceFastify } from 'credence/fastify';",
    "const config: CredenceConfig = { storage: { url: 'sqlite::memory:' }, jobs: { leaseSeconds: 5 } };",
    'export const credence: Credence = createCredence(config);',
    "export const options: SqliteStorageOptions = { path: ':memory:' };",
    'export const all = [createMongoStorage, createPostgresStorage, createSqliteStorage, credenceFastify, DomainError, isDomainError];',
    '// @ts-expect-error the types are real ones: this field is not known',
    "createCredence({ storag: { url: 'x' } });",
  ]);
  await consumer.write('parts.ts', [
    "import { type Clock, ConfigurationError, ContainerModule, type Logger, type Storage, TOKENS } from 'credence';",
    "import type { ResolvedConfig } from 'credence/kit';",
    "import type { Platform, RateLimiter, WebhookTransport } from 'credence/ports';",
    'export type Parts = [Clock, Logger, Platform, RateLimiter, ResolvedConfig, Storage, WebhookTransport];',
    'export const failed = (error: unknown) => error instanceof ConfigurationError && error.issues[0]?.field;',
    'export const parts = new ContainerModule(({ rebind, onActivation }) => {',
    '  rebind(TOKENS.logger).toConstantValue(console satisfies Logger);',
    '  onActivation(TOKENS.storage, (_context, storage): Storage => ({ ...storage, ping: async () => undefined }));',
    '  // @ts-expect-error a clock tells dates',
    "  rebind(TOKENS.clock).toConstantValue({ now: 'no clock' });",
    '});',
  ]);
}

it('has types that a strict consumer can use, and that hold for the code of the README', () => {
  expect(compiled).toBe('');
});

const as = (name: string) => ({ token: null, headers: { cookie: `session=session-of-${name}` } });

// All in one process, most of whose start is loading the modules.
describe('the backends', () => {
  const names = ['nest-express', 'nest-fastify'];
  let child: ChildHost;
  let urls: readonly string[];
  let databases: readonly TestStorage[];
  afterAll(() => Promise.all(databases.map((database) => database.close())));
  beforeAll(async () => {
    await consumer.write('in-one-process.js', [
      'for (const name of process.argv.slice(2)) await import(`./${name}.js`);',
    ]);
    const kinds = (await availableKinds()).filter((kind) => kind !== 'sqlite');
    databases = await Promise.all(kinds.map(createTestStorage));
    const places = databases.map(({ kind, url }) => [kind === 'postgres' ? 'POSTGRES_URL' : 'MONGO_URL', url]);
    const env = { TIKTOK_BASE_URL: simulator.tiktokBaseUrl, ...Object.fromEntries(places) };
    child = consumer.start('in-one-process.js', { args: names, env });
    await child.ready();
    urls = await vi.waitFor(() => {
      const found = [...child.stdout().matchAll(/^listening on (\S+)$/gm)].map(([, url = '']) => url);
      expect(found).toHaveLength(names.length);
      return found;
    }, 30_000);
  });

  describe.each(names.map((name, index) => ({ name, index })))('$name', ({ index }) => {
    let api: ReturnType<typeof createApiClient>;
    beforeAll(() => {
      api = createApiClient(urls[index] ?? '', '');
    });

    it('lets its own authentication decide who calls Credence', async () => {
      const anonymous = await api.call('GET', '/engagement/admin/brands', { token: null });
      expect([anonymous.status, anonymous.json]).toEqual([401, { team: 'sign in first' }]);
      expect((await api.call('GET', '/engagement/admin/brands', as('ada'))).json.error?.code).toBe('FORBIDDEN');
      expect((await api.call('GET', '/engagement/admin/brands', as('olga'))).json).toEqual({ data: [] });
      const document = await api.call('GET', '/engagement/openapi.json', as('olga'));
      expect(document.json).toMatchObject({ openapi: '3.1.0' });
    });

    it('runs a campaign in process and credits the reward on its event', async () => {
      const launched = await api.call('POST', '/launch', { ...as('olga'), body: { targetUrl } });
      expect(launched.status, launched.text).toBe(200);
      await vi.waitFor(async () => expect((await api.call('GET', '/points', as('ada'))).json).toEqual({ points: 50 }), {
        timeout: 30_000,
        interval: 50,
      });
      const { campaignId } = launched.json as unknown as { campaignId: number };
      const seen = await api.call('GET', `/engagement/admin/campaigns/${campaignId}/summary`, as('olga'));
      expect(seen.json.data).toMatchObject({ totalRewarded: 1 });
    });
  });

  it('stop when they are told to, and have warned of nothing', async () => {
    // Nest sends itself the signal again.
    expect(await child.stop()).toBe('SIGTERM');
    expect(child.stdout()).toContain(`still connected: ${databases.length}\n`);
    expect(child.stderr()).toBe('');
  });
});
