/** The quick start, block by block and as it is written, in an empty folder, with the tarballs that would be published. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { packedPackage } from '../support/consumer.ts';
import { CODE_BLOCKS, codeOf } from '../support/documented-code.ts';
import { freePort } from '../support/free-port.ts';
import type { Listening } from '../support/listen.ts';
import { startRegistry } from '../support/local-registry.ts';
import { newFolder } from '../support/new-folder.ts';

vi.setConfig({ testTimeout: 240_000 });

const BLOCKS = CODE_BLOCKS.filter(({ page, language }) => page === 'docs/quick-start.md' && language === 'sh');
/** The first lines of blocks that keep their terminal, and what such a block prints when it is ready. */
const TERMINALS: Readonly<Record<string, RegExp>> = {
  '# second terminal': /Simulated platforms are up/,
  '# third terminal': /listening on[\s\S]*console: [\s\S]*API docs: /,
  '# fourth terminal': /^Webhook 1 sends to /m,
};

let folder: string;
let registry: Listening;
let env: NodeJS.ProcessEnv;
const open: ChildProcess[] = [];

beforeAll(async () => {
  folder = newFolder();
  registry = await startRegistry();
  env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    HOME: folder,
    // Another host may have the port that is the default.
    PORT: String(await freePort()),
    npm_config_registry: registry.url,
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
  };
});
afterAll(async () => {
  for (const child of open.filter(({ exitCode }) => exitCode === null)) {
    const closed = once(child, 'close');
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await closed;
  }
  await registry.close();
});

function shell(text: string, cwd: string) {
  const child = spawn('bash', ['-e'], { cwd, env, detached: true });
  open.push(child);
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      written += piece;
    });
  }
  child.stdin.end(text);
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  return { child, written: () => written, ended };
}

it('works as it is written', async () => {
  // Stands for the clone, which needs the address of the repository, and for what is built and packed in it.
  const [clone, ...blocks] = BLOCKS.map(({ code }) => code);
  expect(clone).toContain('npm pack --ignore-scripts --workspaces --include-workspace-root --pack-destination ..');
  await cp((await packedPackage()).tarballs, folder, { recursive: true });
  let cwd = folder;
  const terminals = new Map<string, ReturnType<typeof shell>>();
  const run = async (code: string) => {
    const { ended, written } = shell(code, cwd);
    expect(await ended, `${code}\n${written()}`).toBe(0);
    return written();
  };
  let last = '';
  for (const [at, code] of blocks.entries()) {
    const [name = ''] = code.split('\n');
    const isReady = TERMINALS[name];
    if (isReady === undefined) last = await run(code);
    else {
      const terminal = shell(code, cwd);
      terminals.set(name, terminal);
      await expect.poll(terminal.written, { timeout: 60_000 }).toMatch(isReady);
    }
    if (at > 0) continue;
    cwd = join(folder, 'shop');
    await writeFile(join(cwd, 'quick-start.ts'), codeOf('quick-start.ts'));
    expect(await run('node quick-start.ts')).toBe('user-42 gets 50 points\n');
  }
  expect([...terminals.keys()]).toEqual(Object.keys(TERMINALS));
  const listener = terminals.get('# fourth terminal');
  await expect.poll(listener?.written ?? String, { timeout: 60_000 }).toMatch(/^reward\.issued .*"user-42"/m);
  // The last block may have run before the reward.
  last = await run(blocks.at(-1) ?? '');
  expect(last).toMatch(/^state +rewarded$/m);
  expect((await fetch(`http://localhost:${env.PORT}/console`)).status).toBe(200);
});
