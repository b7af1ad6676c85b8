/** `npx credence` as a process of its own: how it starts, what it leaves behind, and how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { bundled } from '../support/bundled-host.ts';
import { startChild } from '../support/child-host.ts';
import { startAnswering } from '../support/cli.ts';
import { newFolder } from '../support/new-folder.ts';

let main: string;
let folder: string;

beforeEach(async () => {
  main = await bundled('hosts/cli/main.ts');
  folder = newFolder();
});

it('takes the name of no inherited property for a program, and exits with the code of the command', async () => {
  const child = startChild({ script: main, args: ['constructor'], cwd: folder });
  expect([await child.exit(), child.stdout()]).toEqual([2, '']);
  expect(child.stderr()).toContain("unknown command 'constructor'");
});

it.each(['start', 'doctor'])('%s names a .env that cannot be read, and exits with 2', async (name) => {
  await mkdir(join(folder, '.env'));
  const child = startChild({ script: main, args: [name], cwd: folder });
  expect([await child.exit(), child.stdout()]).toEqual([2, '']);
  expect(child.stderr()).toMatch(/^\S+\/\.env cannot be read \(EISDIR\)\. Make it a file .*\n$/);
});

it('ends a command without a word when its reader has read enough, as behind `| head`', async () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'a brand' }));
  await using instance = await startAnswering((_request, response) => response.end(JSON.stringify({ data: rows })));
  const env = { XDG_CONFIG_HOME: folder, CREDENCE_URL: instance.url };
  const child = startChild({ script: main, args: ['brands', 'list'], env });
  child.process.stdout?.once('data', () => child.process.stdout?.destroy());
  expect([await child.exit(), child.stderr()]).toEqual([0, '']);
});

it('ends the help of a command without a stack trace when nobody reads it', async () => {
  const child = startChild({ script: main, args: ['zk', 'ceremony', '--help'] });
  child.process.stdout?.destroy();
  expect([await child.exit(), child.stderr()]).toEqual([0, '']);
});

describe('a host that npx runs', () => {
  it.each(['start', 'simulator'])('%s ends in order when npx is told to', async (name) => {
    const commands = join(folder, 'node_modules/.bin');
    await mkdir(commands, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"name":"team","version":"1.0.0"}');
    // As npm links the package's own command.
    await writeFile(
      join(commands, 'credence'),
      `#!/bin/sh\nexec ${process.execPath} ${name === 'simulator' ? await bundled('hosts/platform-simulator/main.ts') : main} "$@"\n`,
      { mode: 0o755 },
    );
    const env = { ...process.env, PORT: '0', HOST: '127.0.0.1' };
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
  const start = async (env: Readonly<Record<string, string>>) => {
    const script = await bundled('hosts/standalone/main.ts');
    return startChild({ script, cwd: folder, env: { PORT: '0', STORAGE_URL: 'sqlite::memory:', ...env } });
  };

  it('writes nothing into its folder, and says that the key of its notary is not kept', async () => {
    const host = await start({ SERVICES: 'engagement,web-prover' });
    await host.ready();
    expect(await host.stop()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    expect(host.stderr()).toContain('set NOTARY_KEY_FILE to keep it');
  });

  it('makes the key files that variables name, and uses an existing key of a notary', async () => {
    const [secrets, notary] = [join(folder, 'own.key'), join(folder, 'data/notary.key')];
    const first = await start({
      SERVICES: 'engagement,web-prover',
      SECRETS_KEY_FILE: secrets,
      NOTARY_KEY_FILE: notary,
    });
    await first.ready();
    await first.stop();
    const key = await readFile(notary, 'utf8');
    expect(await readFile(secrets, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    const second = await start({ SERVICES: 'web-prover' });
    await second.ready();
    await second.stop();
    expect(second.stderr()).not.toContain('NOTARY_KEY_FILE');
    expect([await readFile(notary, 'utf8'), await readdir(join(folder, 'data'))]).toEqual([key, ['notary.key']]);
  });
});
