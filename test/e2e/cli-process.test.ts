/** `npx credence` as a process of its own: what reaches the terminal, the files that it writes, and its exit code. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startChild } from '../support/child-host.ts';

vi.setConfig({ testTimeout: 60_000 });

const MAIN = fileURLToPath(new URL('../../hosts/cli/main.ts', import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credence-cli-process-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

async function credence(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const child = startChild({ script: MAIN, args, cwd: folder, env: { XDG_CONFIG_HOME: folder, ...env } });
  const code = await child.exit();
  return { code, out: child.stdout(), err: child.stderr() };
}

/** An instance that answers every request so. */
async function startAnswering(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    CREDENCE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What a terminal obeys, or what hides text. */
const OBEYED = /(?![\n\t]|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const HOSTILE = '\u001b]0;mine\u0007\u001b[2J\u009b31m\u202eexe\u2066\rThe proof holds.';

/** Names that every plain object knows. */
const INHERITED = ['constructor', '__proto__'];

describe('a name that every object inherits', () => {
  it.each(INHERITED)('is no profile, command or place: %s', async (name) => {
    for (const [args, message] of [
      [['brands', 'list', '--profile', name], `There is no profile ${name}.`],
      [['profile', 'use', name], `There is no profile ${name}.`],
      [['profile', 'remove', name], `There is no profile ${name}.`],
      [['profile', 'add', name, '--url', 'http://localhost', '--token', 't'], 'is no name for a profile'],
      [[name], `unknown command '${name}'`],
      [['prove', 'https://a.test', '--hide', `${name}:x`], 'names nothing to redact'],
    ] as const) {
      const { code, out, err } = await credence(args);
      expect([code, out], args.join(' ')).toEqual([2, '']);
      expect(err).toContain(message);
    }
  });
});

describe('text of a server or a file', () => {
  const rows = [{ id: 1, name: HOSTILE, [HOSTILE]: { [HOSTILE]: [HOSTILE] } }];

  it.each([['text'], ['json', '--json'], ['csv', '--csv']])(
    'reaches the terminal without what it obeys: %s',
    async (as, ...options) => {
      const answer = { data: rows, warning: HOSTILE };
      await using server = await startAnswering((_, response) => response.end(JSON.stringify(answer)));
      const { code, out, err } = await credence(['brands', 'list', ...options], server);
      expect(code).toBe(0);
      expect(out).toContain('exe');
      expect(out).not.toMatch(OBEYED);
      expect(err).not.toMatch(OBEYED);
      if (as === 'json') expect(JSON.parse(out)).toEqual(answer);
    },
  );

  it.each([[[]], [['--json']]])('is harmless in a refusal too: %j', async (options) => {
    const message = `No.\nThe proof holds. ${HOSTILE}`;
    const error = { code: `BAD${HOSTILE}`, message, requestId: HOSTILE };
    await using server = await startAnswering((_, response) => {
      response.statusCode = 409;
      response.end(JSON.stringify({ error }));
    });
    const { code, out, err } = await credence(['brands', 'list', ...options], server);
    expect([code, out]).toEqual([1, '']);
    expect(err).not.toMatch(OBEYED);
    expect(err).not.toMatch(/^The proof holds/m);
    if (options.length > 0) expect(JSON.parse(err)).toMatchObject(error);
  });

  it('is harmless in arguments, names of files and cells', async () => {
    const file = join(folder, `${HOSTILE}.csv`.replaceAll('/', ''));
    await writeFile(file, `externalId,platform,handle,${HOSTILE}\n`);
    for (const args of [
      [HOSTILE],
      ['verify', HOSTILE],
      ['creators', 'import', file],
      ['brands', 'list', '--profile', HOSTILE],
    ]) {
      const { code, out, err } = await credence(args);
      expect([code, out]).toEqual([2, '']);
      expect(err).not.toBe('');
      expect(err).not.toMatch(OBEYED);
    }
  });
});
