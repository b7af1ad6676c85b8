/** The packed package without its optional peers: what needs none works, and what needs one says what to install. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { type Consumer, createBareConsumer, createOwnConsumer } from '../support/consumer.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let consumer: Consumer;
/** Has served its API, and then tried configurations that lack something. */
let plain: ChildHost;

beforeAll(async () => {
  consumer = await createBareConsumer();
  const configs = [
    "{ storage: 'mongodb://localhost/credence' }",
    "{ redisUrl: 'redis://localhost' }",
    "{ redisUrl: 'redis://localhost', jobs: { queue: 'bullmq' } }",
    "{ services: ['web-prover'] }",
    "{ services: ['zk-prover'] }",
    "{ services: ['zk-prover'], zkProver: groth16() }",
    "{ services: ['zk-prover'], zkProver: groth16({ rapidsnark: '/usr/bin/prover' }) }",
    "{ services: ['zk-prover'], zk: { prover: 'fake' } }",
  ];
  await consumer.write('plain.js', [
    "import { ConfigurationError, createCredence } from 'credence';",
    "import { groth16 } from 'credence/adapters/groth16-prover';",
    "import * as fetch from 'credence/fetch';",
    "import * as fastify from 'credence/fastify';",
    "import * as express from 'credence/express';",
    "const credence = createCredence({ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) } });",
    'const { generatedAdminToken } = await credence.start();',
    'const headers = { authorization: `Bearer ${generatedAdminToken}`, host: "localhost" };',
    "const answer = await credence.fetch(new Request('http://localhost/admin/brands', { headers }));",
    "const document = await credence.fetch(new Request('http://localhost/openapi.json', { headers }));",
    'console.log(answer.status, document.status, Object.keys({ ...fetch, ...fastify, ...express }).sort().join());',
    'await credence.stop();',
    `for (const config of [${configs.join(', ')}]) {`,
    '  try {',
    '    createCredence(config);',
    '  } catch (error) {',
    '    console.log(error instanceof ConfigurationError, JSON.stringify(error.issues));',
    '  }',
    '}',
  ]);
  plain = consumer.start('plain.js');
  expect(await plain.exit(), plain.stderr()).toBe(0);
});

it('serves its API on SQLite by a web-standard handler without any of them', () => {
  expect(plain.stdout()).toMatch(/^200 200 credenceExpress,credenceFastify,credenceFetch\n/);
  expect(plain.stderr()).toBe('');
});

it('is loaded by require too', async () => {
  await consumer.write('common.cjs', [
    "const { createCredence } = require('credence');",
    "const { credenceExpress } = require('credence/express');",
    "const credence = createCredence({ storage: 'sqlite::memory:', secrets: { key: new Uint8Array(32) } });",
    'credence.start().then(() => credence.health()).then(({ ready }) => {',
    '  console.log(ready, typeof credenceExpress(credence));',
    '  return credence.stop();',
    '});',
  ]);
  const child = consumer.start('common.cjs');
  expect(await child.exit(), child.stderr()).toBe(0);
  expect(child.stdout()).toBe('true function\n');
  expect(child.stderr()).toBe('');
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
  const viem: Missing = ['services', 'The service zk-prover', 'viem', ', or leave zk-prover out'];
  const snarkjs: Missing = ['services', 'The prover groth16', 'snarkjs', ', or leave zk-prover out'];
  const told = plain.stdout().trim().split('\n').slice(1);
  expect(told.every((line) => line.startsWith('true '))).toBe(true);
  expect(told.map((line) => JSON.parse(line.slice('true '.length)))).toEqual([
    lacks(['storage.url', 'MongoDB', 'mongodb']),
    lacks(['redisUrl', 'Redis', 'ioredis']),
    lacks(['redisUrl', 'Redis', 'ioredis'], ['jobs.queue', 'The BullMQ job queue', 'bullmq']),
    lacks(pkijs),
    lacks(pkijs, viem, snarkjs),
    lacks(pkijs, viem, snarkjs),
    lacks(pkijs, viem),
    lacks(pkijs, viem),
  ]);
});

it.each(['standalone', 'notary'])('names the framework that the host %s lacks, without a stack', async (host) => {
  const script = join(consumer.credence, 'dist', 'hosts', host, 'main.js');
  const child = startChild({ script, cwd: consumer.folder, env: { NOTARY_TOKENS: 'a-token-of-tests-1' } });
  expect(await child.exit()).toBe(2);
  expect(child.stderr()).toBe(
    'The host needs the package fastify, which is not installed. Install it: npm install fastify\n',
  );
});

it('init names what the host of the new .env still needs', async () => {
  const script = join(consumer.credence, 'dist', 'hosts', 'cli', 'main.js');
  const child = startChild({ script, cwd: consumer.folder, args: ['init'] });
  expect(await child.exit(), child.stderr()).toBe(0);
  expect(child.stdout()).toContain('not installed here: npm install fastify pkijs viem snarkjs\n');
});

it('does not call a package missing that is there and broken', async () => {
  const own = await createOwnConsumer();
  const broken = join(own.folder, 'node_modules', 'mongodb');
  await mkdir(broken);
  await writeFile(join(broken, 'index.js'), "require('something-else');\n");
  await own.write('broken.js', [
    "import { createCredence } from 'credence';",
    "createCredence({ storage: 'mongodb://localhost/credence' });",
  ]);
  const child = own.start('broken.js');
  expect(await child.exit()).toBe(1);
  expect(child.stderr()).toContain("Cannot find module 'something-else'");
  expect(child.stderr()).not.toContain('npm install');
});
