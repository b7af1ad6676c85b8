/** A platform that lives outside the source tree, in a project that has nothing but the packed package. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, vi } from 'vitest';
import { startChild } from '../support/child-host.ts';
import { type Consumer, createConsumer } from '../support/consumer.ts';
import { codeOf } from '../support/documented-code.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TOY = fileURLToPath(new URL('./toy-platform', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer();
  for (const [name, as] of [
    ['toy.js', 'toy.js'],
    ['toy-server.js', 'toy-server.js'],
    ['campaign.js', 'campaign.js'],
    ['contract.js', 'contract.test.js'],
  ] as const) {
    await consumer.write(as, await readFile(join(TOY, name), 'utf8'));
  }
  await consumer.write('points.test.ts', codeOf('points.test.ts'));
  await consumer.write('others.test.js', [
    "import { storageContract } from 'credence/testing';",
    "import { expect, it } from 'vitest';",
    "it('is there', () => expect(typeof storageContract).toBe('function'));",
    // In this process, which has loaded everything: it prints its outcome.
    "it('plays', () => import('./campaign.js'));",
  ]);
});

it('plays a campaign, and holds its reader to the platform contract beside other suites', async () => {
  const args = [
    'run',
    '--root',
    consumer.folder,
    '--no-isolate',
    '--maxWorkers',
    '1',
    'contract.test.js',
    'others.test.js',
    'points.test.ts',
  ];
  const vitest = startChild({ script: VITEST, args, cwd: consumer.folder, env: { NO_COLOR: '1' } });
  expect(await vitest.exit(), vitest.stdout() + vitest.stderr()).toBe(0);
  expect(vitest.stdout()).toMatch(/Tests +[5-9]\d passed/);
  expect(JSON.parse(/^\{.+\}$/m.exec(vitest.stdout())?.[0] ?? '')).toEqual({
    points: 50,
    platform: 'toy',
    username: 'ada.l',
    state: 'rewarded',
    comments: 126,
    // Only what was registered exists, in requests and in the document.
    refused: 'INVALID_REQUEST',
    named: ['toy'],
  });
});
