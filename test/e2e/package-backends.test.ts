/** Backends on NestJS, with the packed package, as the guide writes them; and the types that strict projects see. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChildHost } from '../support/child-host.ts';
import { createApiClient } from '../support/client.ts';
import { ONE_CHECKER } from '../support/compile-cache.ts';
import { type Consumer, createConsumer } from '../support/consumer.ts';
import { codeOf, documentedCode } from '../support/documented-code.ts';
import { availableKinds, createTestStorage, type StorageKind, type TestStorage } from '../support/storage.ts';

const EXAMPLES = fileURLToPath(new URL('../../hosts/examples', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const COMPILER = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2024',
  types: ['node'],
  skipLibCheck: true,
};

/** What a backend of the guide has in place of its storage, by the connection that the team has anyway. */
const CONNECTIONS: Readonly<Record<StorageKind, readonly [imported: string, storage: string]>> = {
  sqlite: ['', "'sqlite::memory:'"],
  postgres: [
    "import { postgres } from 'credence/adapters/postgres';\nimport pg from 'pg';\n",
    'postgres({ pool: new pg.Pool({ connectionString: process.env.POSTGRES_URL }) })',
  ],
  mongodb: [
    "import { mongodb } from 'credence/adapters/mongodb';\nimport { MongoClient } from 'mongodb';\n",
    "mongodb({ client: new MongoClient(process.env.MONGODB_URL ?? '') })",
  ],
};

/** The backend of the guide, and those that the guide says how to make of it. */
const kinds = await availableKinds();
const BACKENDS = new Map([
  ['nest.ts', codeOf('nest.ts')],
  ...kinds.map((kind) => [`nest-fastify-${kind}.ts`, onFastify(...CONNECTIONS[kind])] as const),
]);

function onFastify(imported: string, storage: string): string {
  const changes = [
    [
      "import type { NestExpressApplication } from '@nestjs/platform-express'",
      "import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'",
    ],
    ["import { credenceExpress } from 'credence/express'", "import { credenceFastify } from 'credence/fastify'"],
    ['<NestExpressApplication>(AppModule,', '<NestFastifyApplication>(AppModule, new FastifyAdapter(),'],
    [
      "app.use('/engagement', credenceExpress(credence))",
      "await app.register(credenceFastify(credence), { prefix: '/engagement' })",
    ],
    ["{ url: 'sqlite:./data/credence.db' }", storage],
  ] as const;
  return changes.reduce((code, [from, to]) => {
    expect(code).toContain(from);
    return code.replace(from, to);
  }, imported + codeOf('nest.ts'));
}

let consumer: Consumer;
/** What the compiler says. */
let compiled: string;
let databases: readonly TestStorage[];
let child: ChildHost;
let urls: readonly string[];
/** Those that the backends show, since none is configured. */
let tokens: readonly string[];

beforeAll(async () => {
  consumer = await createConsumer();
  await cp(EXAMPLES, join(consumer.folder, 'examples'), { recursive: true });
  await writeTyped();
  for (const [name, code] of BACKENDS) await consumer.write(name, code);
  await consumer.write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER }));
  const compiling = promisify(execFile)(TSC, ['-p', consumer.folder, ...ONE_CHECKER]).catch(
    (error: { stdout: string }) => error,
  );
  databases = await Promise.all(kinds.map(createTestStorage));
  // All in one process, most of whose start is loading the modules.
  await consumer.write('all.mjs', ['for (const name of process.argv.slice(2)) await import(`./${name}`);']);
  const places = databases.map(({ kind, url }) => [`${kind.toUpperCase()}_URL`, url]);
  const env = { PORT: '0', ...Object.fromEntries(places) };
  child = consumer.start('all.mjs', { args: [...BACKENDS.keys()], env });
  compiled = (await compiling).stdout;
  urls = await vi.waitFor(() => {
    const found = [...child.stdout().matchAll(/^listening on (\S+)$/gm)].map(([, url = '']) => url);
    expect(found, child.stderr()).toHaveLength(BACKENDS.size);
    return found;
  }, 30_000);
  tokens = Array.from(child.stdout().matchAll(/^admin token, shown only now: (\S+)$/gm), ([, token = '']) => token);
});
afterAll(async () => {
  await child.stop();
  await Promise.all(databases.map((database) => database.close()));
});

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

describe('the backends', () => {
  it.each([...BACKENDS.keys()].map((name, index) => ({ name, index })))('$name serves Credence', async ({ index }) => {
    const api = createApiClient(`${urls[index]}/engagement`, tokens[index] ?? '');
    const body = { name: 'Acme', slug: 'acme' };
    expect((await api.call('POST', '/admin/brands', { body })).status).toBe(201);
    expect((await api.call('GET', '/admin/brands', { token: null })).status).toBe(401);
    expect((await api.call('GET', '/admin/brands')).json).toMatchObject({ data: [body] });
    expect((await api.call('GET', '/openapi.json')).json).toMatchObject({ openapi: '3.1.0' });
  });

  it('stop when they are told to, and have warned of nothing', async () => {
    // Nest sends itself the signal again.
    expect(await child.stop()).toBe('SIGTERM');
    expect(child.stderr()).toBe('');
  });
});
