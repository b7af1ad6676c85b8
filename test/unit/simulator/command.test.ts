import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { bundled } from '../../support/bundled-host.ts';

async function run(...args: string[]) {
  const child = spawn(process.execPath, [await bundled('hosts/platform-simulator/main.ts'), ...args]);
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

describe('npm run simulator', () => {
  it('explains itself', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('--port');
  });

  it.each([
    ['--port', ['--port', '70000']],
    ['nope', ['nope']],
  ])('says what is wrong with %s', async (name, args) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(name);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
