import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../../hosts/platform-simulator/main.ts', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The first line of output. */
  readonly line: Promise<string>;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, ['--conditions=credence-source', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const line = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')));
    });
    child.once('close', () => reject(new Error(`No line of output. ${stderr}`)));
  });
  line.catch(() => undefined);
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
  return { child, line, ended };
}

describe('npm run simulator', () => {
  it('prints where it is, answers there, and stops at SIGTERM', async () => {
    const { child, line, ended } = run('--port', '0', '--json');
    const facts = JSON.parse(await line) as { tiktokBaseUrl: string; tiktokPost: { url: string; contentId: string } };
    const page = await fetch(facts.tiktokBaseUrl + new URL(facts.tiktokPost.url).pathname);
    expect(await page.text()).toContain(facts.tiktokPost.contentId);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('explains itself', async () => {
    const { code, stdout } = await run('--help').ended;
    expect(code).toBe(0);
    expect(stdout).toContain('--port');
  });

  it.each([
    ['--port', ['--port', '70000']],
    ['nope', ['nope']],
  ])('says what is wrong with %s', async (name, args) => {
    const { code, stderr } = await run(...args).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(name);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
