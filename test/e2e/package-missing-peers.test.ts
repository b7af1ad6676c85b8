/** The packed package without its optional peers: what needs none works, and what needs one says what to install. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { type Consumer, createBareConsumer } from '../support/consumer.ts';

let consumer: Consumer;
/** Has served its API, and then tried configurations that lack something, or have it broken. */
let plain: ChildHost;

beforeAll(async () => {
  consumer = await createBareConsumer();
  const configs = [
    "{ storage: 'mongodb://localhost/credence' }",
    "{ storage: 'postgres://localhost/credence' }",
    "{ redisUrl: 'redis://localhost' }",
    "{ redisUrl: 'redis://localhost', jobs: { queue: 'bullmq' } }",
    "{ services: ['web-prover'] }",
    "{ services: ['zk-prover'] }",
    "{ services: ['zk-prover'], zkProver: { create() {} } }",
    "{ rateLimiter: redis({ url: 'redis://localhost' }) }",
    "{ jobs: bullmq({ url: 'redis://localhost' }) }",
  ];
  await mkdir(join(consumer.folder, 'broken', 'mongodb'), { recursive: true });
  await writeFile(join(consumer.folder, 'broken', 'mongodb', 'index.cjs'), "require('something-else');\n");
  await writeFile(join(consumer.folder, 'broken', 'mongodb', 'package.json'), '{ "main": "index.cjs" }');
  await consumer.write('plain.cjs', [
    "const { ConfigurationError, createCredence } = require('credence');",
    "const { bullmq } = require('credence/adapters/bullmq-jobs');",
    "const { redis } = require('credence/adapters/redis-rate-limiter');",
    "const fetch = require('credence/fetch');",
    "const fastify = require('credence/fastify');",
    "const express = require('credence/express');",
    'const main = async () => {',
    "const credence = createCredence({ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) } });",
    'const { generatedAdminToken } = await credence.start();',
    'const headers = { authorization: `Bearer ${generatedAdminToken}`, host: "localhost" };',
    "const answer = await credence.fetch(new Request('http://localhost/admin/brands', { headers }));",
    "const document = await credence.fetch(new Request('http://localhost/openapi.json', { headers }));",
    'const mounts = Object.keys({ ...fetch, ...fastify, ...express }).sort().join();',
    'const { info } = await document.json();',
    'console.log(answer.status, info.version, mounts, typeof express.credenceExpress(credence));',
    'await credence.stop();',
    `for (const config of [${configs.map((config) => `() => (${config})`).join(', ')}]) {`,
    '  try {',
    '    createCredence(config());',
    '  } catch (error) {',
    '    console.log(error instanceof ConfigurationError, JSON.stringify(error.issues));',
    '  }',
    '}',
    // From here on there is a package that lacks another one.
    "process.env.NODE_PATH = require('node:path').join(__dirname, 'broken');",
    "require('node:module')._initPaths();",
    'try {',
    "  createCredence({ storage: 'mongodb://localhost/credence' });",
    '} catch (error) {',
    '  console.log(error instanceof ConfigurationError, JSON.stringify([error.message, error.code]));',
    '}',
    '};',
    'main();',
  ]);
  plain = consumer.start('plain.cjs');
  expect(await plain.exit(), plain.stderr()).toBe(0);
});

it('is loaded by require, and serves its API on SQLite by a web-standard handler without any of them', async () => {
  const manifest = await readFile(join(consumer.credence, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  expect(plain.stdout().split('\n')[0]).toBe(`200 ${version} credenceExpress,credenceFastify,credenceFetch function`);
  expect(plain.stderr()).toBe('');
});

it('says which package a configuration lacks, and how to install it', () => {
  type Missing = readonly [field: string, neededBy: string, name: string, otherwise?: string];
  /** Each line has the command that installs everything. */
  const lacks = (...missing: readonly Missing[]) => {
    const all = missing.map(([, , name]) => name).join(' ');
    const advice = missing.length === 1 ? 'Install it' : 'Install all that is missing';
    return missing.map(([field, neededBy, name, otherwise = '']) => ({
      field,
      message: `${neededBy} needs the package ${name}, which is not installed. ${advice}: npm install ${all}${otherwise}`,
    }));
  };
  const pkijs: Missing = ['services', 'Support for web proofs', 'pkijs', ', or leave web-prover and zk-prover out'];
  const message = expect.stringContaining('groth16() (npm install @credence/groth16)');
  const told = plain.stdout().trim().split('\n').slice(1, -1);
  expect(told.every((line) => line.startsWith('true '))).toBe(true);
  expect(told.map((line) => JSON.parse(line.slice('true '.length)))).toEqual([
    lacks(['storage.url', 'MongoDB', 'mongodb']),
    lacks(['storage.url', 'PostgreSQL', 'pg']),
    lacks(['redisUrl', 'Redis', 'ioredis']),
    lacks(['redisUrl', 'Redis', 'ioredis'], ['jobs.queue', 'The BullMQ job queue', 'bullmq']),
    lacks(pkijs),
    [{ field: 'zkProver', message }],
    lacks(pkijs),
    lacks(['redis', 'Redis', 'ioredis']),
    lacks(['bullmq', 'Redis', 'ioredis'], ['bullmq', 'The BullMQ job queue', 'bullmq']),
  ]);
});

it('names the framework that the host lacks, without a stack', async () => {
  const script = join(consumer.credence, 'dist', 'host-main.js');
  const child = startChild({ script, cwd: consumer.folder });
  expect(await child.exit()).toBe(2);
  expect(child.stderr()).toBe(
    'The host needs the package fastify, which is not installed. Install it: npm install fastify\n',
  );
});

it('init names what the host of the new .env still needs', async () => {
  const { folder, modules } = await createBareConsumer(['@credence/cli']);
  const script = join(modules, '@credence', 'cli', 'dist', 'hosts', 'cli', 'main.js');
  const child = startChild({ script, cwd: folder, args: ['init'] });
  expect(await child.exit(), child.stderr()).toBe(0);
  expect(child.stdout()).toContain('not installed here: npm install @credence/groth16\n');
});

it('does not call a package missing that is there and broken', () => {
  const last = plain.stdout().trim().split('\n').at(-1) ?? '';
  expect(last).toMatch(/^false \["Cannot find module 'something-else'/);
  expect(last).toContain('"MODULE_NOT_FOUND"');
  expect(last).not.toContain('npm install');
});

it('says so of SQLite, the default, too', async () => {
  const { write, start } = await createBareConsumer(['credence']);
  await write('without.mjs', [
    "import { createCredence } from 'credence';",
    "import { sqlite } from 'credence/adapters/sqlite';",
    'const secrets = { key: new Uint8Array(32) };',
    "for (const attempt of [() => createCredence({ storage: 'sqlite::memory:', secrets }), () => createCredence({ secrets }).start(), () => sqlite({ path: ':memory:' })])",
    '  await Promise.try(attempt).then(() => console.log(0), ({ message }) => console.log(JSON.stringify(message)));',
  ]);
  const child = start('without.mjs');
  expect(await child.exit(), child.stderr()).toBe(0);
  const told = child.stdout().trim().split('\n');
  const hint =
    'SQLite needs the package better-sqlite3, which is not installed. Install it: npm install better-sqlite3';
  expect(told).toHaveLength(3);
  for (const line of told) expect(line).toContain(hint);
});

it('the simulator loads beside the library alone', async () => {
  const { write, start } = await createBareConsumer(['credence', '@credence/simulator']);
  await write('simulator.mjs', [
    "import { createWorld } from '@credence/simulator';",
    "console.log(typeof createWorld('alone').addPost);",
  ]);
  const child = start('simulator.mjs');
  expect(await child.exit(), child.stderr()).toBe(0);
  expect(child.stdout()).toBe('function\n');
});
