/** `@credence/client/webhooks` from the packed package: receivers that an instance really sends to, and the bundle for edge runtimes. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundleForBrowser, runWithoutNode } from '../support/browser-bundle.ts';
import { actingOn } from '../support/campaign.ts';
import { type Consumer, createBareConsumer, createConsumer } from '../support/consumer.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { signedHeaders } from '../unit/webhooks/support.ts';

const HANDLER = '({ event, data, messageId }) => console.log(JSON.stringify([event, data.webhookId, messageId]))';
const LISTEN = [
  "const server = createServer(app).listen(0, '127.0.0.1', () =>",
  '  console.log(`listening on http://127.0.0.1:${server.address().port}`));',
];

const RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  'express.js': [
    "import { createServer } from 'node:http';",
    "import { webhookExpress } from '@credence/client/webhooks';",
    "import express from 'express';",
    `const app = express().post('/', webhookExpress(process.env.SECRET, ${HANDLER}));`,
    ...LISTEN,
  ],
  'fastify.js': [
    "import { webhookFastify } from '@credence/client/webhooks';",
    "import { fastify } from 'fastify';",
    'const app = fastify();',
    `await app.register(webhookFastify(process.env.SECRET, ${HANDLER}));`,
    "console.log(`listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);",
  ],
  'fetch.js': [
    "import { createServer } from 'node:http';",
    "import { getRequestListener } from '@hono/node-server';",
    "import { webhookFetch } from '@credence/client/webhooks';",
    `const app = getRequestListener(webhookFetch(process.env.SECRET, ${HANDLER}));`,
    ...LISTEN,
  ],
};

let instance: TestInstance;
let older: Consumer;
let newer: Consumer;
let hooks: string;
let make: ReturnType<typeof actingOn>['make'];

beforeAll(async () => {
  [instance, older, newer] = await Promise.all([
    startInstance(),
    createBareConsumer(['@credence/client', 'express@express4', 'fastify@fastify4', '@hono/node-server']),
    createConsumer(),
  ]);
  for (const [name, lines] of Object.entries(RECEIVERS)) {
    await older.write(name, lines);
    await newer.write(name, lines);
  }
  ({ make } = actingOn(instance.api));
  ({ hooks } = await actingOn(instance.api).campaign());
});
afterAll(() => instance.close());

async function statusOfTest(hook: string): Promise<unknown> {
  await make(`${hook}/test`);
  return vi.waitFor(async () => {
    const [newest] = (await instance.api.call('GET', `${hook}/deliveries`)).json.data as unknown as {
      status: string;
      tries: { status: number }[];
    }[];
    expect(newest?.status).not.toBe('pending');
    return newest?.tries[0]?.status;
  }, 30_000);
}

describe.each([
  ['Express 4', () => older, 'express.js'],
  ['Fastify 4', () => older, 'fastify.js'],
  // Express 5 and Fastify 5: readme.test.ts.
  ['fetch', () => newer, 'fetch.js'],
] as const)('a receiver on %s', (_name, consumer, file) => {
  it('takes events signed with its secret, and with the previous one while the secret is rotated', async () => {
    const made = await make(hooks, { url: 'http://127.0.0.1:9/', events: ['reward.issued'] });
    const hook = `${hooks}/${made.id}`;
    const child = consumer().start(file, { env: { SECRET: String(made.secret) } });
    const url = await child.ready();
    expect((await instance.api.call('PATCH', hook, { body: { url } })).status).toBe(200);
    expect(await statusOfTest(hook)).toBe(204);
    await make(`${hook}/rotate-secret`);
    expect(await statusOfTest(hook)).toBe(204);
    await make(`${hook}/rotate-secret`);
    expect(await statusOfTest(hook)).toBe(401);
    const events = child.stdout().trim().split('\n').slice(1);
    expect(events.map((line) => JSON.parse(line).slice(0, 2))).toEqual([
      ['webhook.test', made.id],
      ['webhook.test', made.id],
    ]);
    expect(JSON.parse(events[0] ?? '')[2]).toMatch(/^msg_/);
    expect(await child.stop()).toBe('SIGTERM');
    expect(child.stderr()).toBe('');
  });
});

it('is small in a bundle for browsers and edge runtimes, and runs without anything of Node.js', async () => {
  const entry = join(older.folder, 'edge.js');
  await older.write('edge.js', "export * from '@credence/client/webhooks';");
  const bundle = await bundleForBrowser(entry);
  console.log(`@credence/client/webhooks for the browser: ${(bundle.gzipBytes / 1024).toFixed(1)} KiB gzip`);
  const packages = bundle.files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'none');
  expect([...new Set(packages)].sort()).toEqual(['@credence/client', '@noble/hashes', 'none']);
  expect(bundle.gzipBytes).toBeLessThan(16 * 1024);
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const body = JSON.stringify({
    event: 'webhook.test',
    timestamp: '2026-11-01T09:30:00.000Z',
    data: { message: 'süß' },
  });
  const headers = signedHeaders(secret, 'webhook.test', body);
  const given = { body: new TextEncoder().encode(body), text: body, headers, secret };
  expect(await runWithoutNode(bundle, 'bundle.verifyWebhook(body, headers, secret)', given)).toMatchObject({
    event: 'webhook.test',
    data: { message: 'süß' },
  });
  const answered = `bundle.webhookFetch(secret, () => {})(new Request('https://r.example/', { method: 'POST', headers, body: text }))
    .then(({ status }) => status)`;
  expect(await runWithoutNode(bundle, answered, given)).toBe(204);
  const refused = `(() => { try { bundle.verifyWebhook(text + ' ', headers, secret); } catch (error) { return error.code; } })()`;
  expect(await runWithoutNode(bundle, refused, given)).toBe('WRONG_SIGNATURE');
});
