/** What the guide says to run runs. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventBody } from '../../core/engagement/webhooks/event-body.ts';
import { createWebhookSecret } from '../../core/engagement/webhooks/secret.ts';
import { webhookHeaders } from '../../core/engagement/webhooks/signature.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { CODE_BLOCKS, codeOf } from '../support/documented-code.ts';
import { freePort } from '../support/free-port.ts';
import { sampleEvent, signedHeaders } from '../unit/webhooks/support.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the project, so that the package finds itself by its name; the folder is git-ignored. */
let folder: string;

beforeAll(async () => {
  await mkdir(join(ROOT, 'reports'), { recursive: true });
  folder = await mkdtemp(join(ROOT, 'reports', 'guide-code-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// The quick start: quick-start.test.ts.
it('has no JavaScript, which nothing would compile: `npm run check:types` compiles the TypeScript', () => {
  const others = CODE_BLOCKS.filter(({ language }) => /^(?:js|javascript|mjs|jsx|tsx|typescript)$/.test(language));
  expect(others).toEqual([]);
  expect(CODE_BLOCKS.filter(({ language }) => language === 'ts').length).toBeGreaterThan(10);
});

const RECEIVERS: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ['receiver.py', 'python3', 'receiver.py'],
  ['receiver.php', 'php', '-S', '127.0.0.1:PORT', 'receiver.php'],
  ['receiver.go', 'go', 'run', 'receiver.go'],
];
const isThere = (program: string) => spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0;
const missing = RECEIVERS.filter(([, program]) => !isThere(program));
if (missing.length > 0) console.warn(`NOT INSTALLED, so SKIPPED: ${missing.map(([name]) => name).join(', ')}`);

it.for(RECEIVERS.filter((receiver) => !missing.includes(receiver)))(
  '%s takes what Credence signed once, and refuses everything else',
  async ([name, program, ...args]) => {
    const secret = createWebhookSecret(systemRandom);
    const previousSecret = createWebhookSecret(systemRandom);
    const body = eventBody(sampleEvent(1));
    const headers = signedHeaders(secret, 'creator.verified', body);
    const rotated = { messageId: 'msg_2', previousSecret, at: new Date() };
    const rotating = webhookHeaders({ secret, event: 'creator.verified', body, ...rotated });
    const old = signedHeaders(secret, 'creator.verified', body, new Date(Date.now() - 600_000));
    await writeFile(join(folder, name), codeOf(name));
    const port = String(await freePort());
    const child = spawn(
      program,
      args.map((argument) => argument.replace('PORT', port)),
      { cwd: folder, env: { ...process.env, PORT: port, WEBHOOK_SECRET: secret }, detached: true },
    );
    try {
      const printed = text(child.stdout);
      const post = async (headers: Record<string, string>, body: string) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
      await expect.poll(() => post({}, body).catch(() => 0), { timeout: 30_000, interval: 100 }).toBe(401);
      expect(await post(headers, `${body} `)).toBe(401);
      expect(await post(old, body)).toBe(401);
      expect(await post({ ...headers, 'webhook-id': 'msg_3' }, body)).toBe(401);
      expect(await post(headers, body)).toBe(204);
      expect(await post(headers, body)).toBe(204);
      expect(await post(rotating, body)).toBe(204);
      if (child.pid !== undefined) process.kill(-child.pid);
      const lines = (await printed).split('\n').filter((line) => line.startsWith('creator.verified '));
      expect(lines).toHaveLength(2);
      expect(JSON.parse(lines[0]?.slice('creator.verified '.length) ?? '')).toEqual(JSON.parse(body).data);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
