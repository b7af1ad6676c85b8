/** `npx credence` as a process of its own: what reaches the terminal, the files that it writes, and its exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startChild } from '../support/child-host.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { issueRoot } from '../support/test-ca.ts';
import { createAuthority, jsonAnswer, startOrigin, type TlsOrigin } from '../support/tls-origin.ts';

vi.setConfig({ testTimeout: 60_000 });

const SIMULATOR = fileURLToPath(new URL('../../hosts/platform-simulator/main.ts', import.meta.url));
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

describe('a reader that has read enough', () => {
  it('ends a command without a word, as behind `| head`', async () => {
    await using instance = await startAnswering((_request, response) => {
      response.end(JSON.stringify({ data: Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'a brand' })) }));
    });
    const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, CREDENCE_URL: instance.CREDENCE_URL };
    for (const format of [[], ['--json'], ['--csv']]) {
      const child = spawn(process.execPath, ['--conditions=credence-source', MAIN, 'brands', 'list', ...format], {
        env,
      });
      let err = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.stdout.once('data', () => child.stdout.destroy());
      const [code] = (await once(child, 'close')) as unknown[];
      expect([code, err]).toEqual([0, '']);
    }
  });
});

describe('a host that npx runs', () => {
  it.each(['start', 'notary', 'simulator'])('%s ends in order when npx is told to', async (name) => {
    const commands = join(folder, 'node_modules/.bin');
    await mkdir(commands, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"name":"team","version":"1.0.0"}');
    // As npm links the package's own command.
    await writeFile(
      join(commands, 'credence'),
      `#!/bin/sh\nexec ${process.execPath} --conditions=credence-source ${name === 'simulator' ? SIMULATOR : MAIN} "$@"\n`,
      { mode: 0o755 },
    );
    const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', NOTARY_TOKENS: 'a-token-of-the-notary-for-tests' };
    const args = ['--no', '--', 'credence', ...(name === 'simulator' ? ['--port', '0'] : [name])];
    const npx = spawn('npx', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts: string[] = [];
    for (const stream of [npx.stdout, npx.stderr]) stream.setEncoding('utf8').on('data', (text) => texts.push(text));
    const isUp = /listening on|Simulated platforms are up/;
    await expect.poll(() => texts.join(''), { timeout: 50_000 }).toMatch(isUp);
    // What it wrote to stays open for as long as a process of it lives.
    const closed = once(npx, 'close');
    npx.kill('SIGTERM');
    await closed;
    if (name !== 'simulator') expect(texts.join('')).toContain('"msg":"stopping"');
  });
});

describe('a host whose storage is in memory', () => {
  const start = (env: Readonly<Record<string, string>>) =>
    startChild({
      script: MAIN,
      args: ['start'],
      cwd: folder,
      env: { PORT: '0', STORAGE_URL: 'sqlite::memory:', ...env },
    });

  it('writes nothing into its folder, and says that the key of its notary is not kept', async () => {
    const host = start({ SERVICES: 'engagement,web-prover' });
    await host.ready();
    expect(await host.stop()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    expect(host.stderr()).toContain('set NOTARY_KEY_FILE to keep it');
  });

  it('makes the key files that variables name, and uses an existing key of a notary', async () => {
    const [secrets, notary] = [join(folder, 'own.key'), join(folder, 'data/notary.key')];
    const first = start({ SERVICES: 'engagement,web-prover', SECRETS_KEY_FILE: secrets, NOTARY_KEY_FILE: notary });
    await first.ready();
    await first.stop();
    const key = await readFile(notary, 'utf8');
    expect(await readFile(secrets, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    const second = start({ SERVICES: 'web-prover' });
    await second.ready();
    await second.stop();
    expect(second.stderr()).not.toContain('NOTARY_KEY_FILE');
    expect([await readFile(notary, 'utf8'), await readdir(join(folder, 'data'))]).toEqual([key, ['notary.key']]);
  });
});

describe('web proofs', () => {
  const root = issueRoot();
  const authority = createAuthority(root);
  let instance: TestInstance;
  let origin: TlsOrigin;
  let env: Record<string, string>;

  beforeAll(async () => {
    origin = await startOrigin(authority, {
      certificate: authority.leaf({ dns: ['localhost'] }),
      answer: jsonAnswer({ email: 'me@home.example', level: 'gold' }, ['ETag: "a-version-of-it"']),
    });
    instance = await startInstance({
      config: { services: ['web-prover'], extraRoots: [root.pem], egress: { allow: ['127.0.0.0/8', '::1/128'] } },
    });
    env = { CREDENCE_URL: instance.baseUrl, CREDENCE_TOKEN: instance.adminToken };
  });
  afterAll(async () => {
    await instance?.close();
    await origin?.[Symbol.asyncDispose]();
  });

  const prove = (...options: string[]) =>
    credence(['prove', `https://localhost:${origin.port}/me?key=1&flag`, ...options], env);

  it.each([
    [['--hide', 'response.json:emial'], 'emial'],
    [['--hide', 'response.headers:content-length'], 'content-length'],
    [['--show-only', 'response.json:levle'], 'levle'],
    [['--show-only', 'request.query:key'], 'flag'],
  ])('writes no proof for %j, of which a part does nothing, until told to', async (options, name) => {
    const file = join(folder, 'proof.json');
    const refused = await prove(...options, '-o', file);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(new RegExp(`^warning: .*\\b${name}\\b`, 'm'));
    expect(refused.err).toContain('The proof is not written');
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const written = await prove(...options, '-o', file, '--allow-unmatched');
    expect(written).toMatchObject({ code: 0, out: `The proof is in ${file}.\n` });
    expect(written.err).toMatch(new RegExp(`^warning: .*\\b${name}\\b`, 'm'));
    expect(JSON.parse(await readFile(file, 'utf8')).meta.warnings.join()).toContain(name);
  });

  it('prints none either, and tells a program so with --json', async () => {
    const { code, out, err } = await prove('--hide', 'response.json:emial', '--json');
    expect([code, out]).toEqual([1, '']);
    expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toMatchObject({ code: 'REDACTION_UNMATCHED' });
  });

  it('writes a proof whose rules all do something, and tells what else was hidden', async () => {
    const file = join(folder, 'proof.json');
    const written = await prove('--hide', 'response.json:email', '-o', file);
    const err = expect.stringContaining('warning: These response headers are hidden too');
    expect(written).toMatchObject({ code: 0, err });
  });

  it('says of a proof whether its notary was checked, in words, as JSON and by the exit code', async () => {
    const [file, roots] = [join(folder, 'proof.json'), join(folder, 'roots.pem')];
    await writeFile(roots, root.pem);
    expect((await prove('-o', file)).code).toBe(0);
    const verify = (...options: string[]) => credence(['verify', file, '--roots', roots, ...options]);
    const unchecked = await verify();
    expect(unchecked).toMatchObject({ code: 0, err: '' });
    expect(unchecked.out).toMatch(/^The proof holds, but its notary was not checked: .*--trust/);
    const told = JSON.parse((await verify('--json')).out);
    expect(told).toMatchObject({ notaryChecked: false, notaryTrusted: false });
    const trusted = ['--trust', told.notaryKeyFingerprint as string];
    expect((await verify(...trusted)).out).toMatch(/^The proof holds, and a notary that you trust signed it\.\n/);
    expect(JSON.parse((await verify(...trusted, '--json')).out)).toMatchObject({
      notaryChecked: true,
      notaryTrusted: true,
    });
    const other = ['--trust', '00'.repeat(32)];
    expect(await verify(...other)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('none of those given'),
    });
    const refused = await verify(...other, '--json');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({ code: 'NOTARY_NOT_TRUSTED' });
    const proof = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...proof, data: proof.data.replace(/..$/, '') }));
    const broken = await verify('--json');
    expect(broken).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(broken.err)).toMatchObject({ code: 'INVALID_PRESENTATION' });
  });
});

describe('warnings of other calls', () => {
  it('reach stderr where the output is for programs, and JSON has them', async () => {
    const warning = 'Only 1 of 2 could be reached.';
    await using server = await startAnswering((_, response) =>
      response.end(JSON.stringify({ data: [{ id: 1 }], warning })),
    );
    const list = (option: string) => credence(['challenges', 'likers', '1', option], server);
    expect(await list('--csv')).toEqual({ code: 0, out: 'id\r\n1\n', err: `warning: ${warning}\n` });
    const json = await list('--json');
    expect([JSON.parse(json.out).warning, json.err]).toEqual([warning, `warning: ${warning}\n`]);
  });

  it('are in the outcome of a replay: an event that nobody gets is not just queued', async () => {
    const warning = 'Sent to nobody, since no webhook or subscriber wants it: reward.issued.';
    const logged = { event: 'reward.issued', attemptId: 5, challengeId: 3, status: 'failed', createdAt: new Date() };
    await using server = await startAnswering(({ method }, response) =>
      response.end(JSON.stringify(method === 'GET' ? { data: [logged] } : { data: { redelivered: [] }, warning })),
    );
    const { code, out } = await credence(['webhooks', 'replay', '1', '2', '--since', '1h', '--json'], server);
    expect([code, JSON.parse(out).data]).toEqual([0, [expect.objectContaining({ outcome: 'queued', warning })]]);
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
