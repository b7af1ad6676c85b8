/** The command lines of the set-ups, as far as they can be tried without minutes of computing. */

import { execFile } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = (name: string) =>
  fileURLToPath(new URL(`../../../adapters/groth16-prover/setup/${name}.ts`, import.meta.url));

function run(name: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script(name), ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ceremony-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('the set-ups', () => {
  it.each(['development-setup', 'ceremony'])('%s explains itself', async (name) => {
    const { code, stdout } = await run(name, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run zk:(setup|ceremony)/);
  });

  it.each([
    [['dance'], 'not a step'],
    [['contribute', '--in', 'a', '--out', 'b'], '--name is missing'],
    [['start', '--unknown'], 'Unknown option'],
  ])('the ceremony refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await run('ceremony', ...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });

  it('the ceremony takes no powers of tau but the announced ones', async () => {
    const ptau = join(directory, 'some.ptau');
    const out = join(directory, 'key');
    await writeFile(ptau, 'not those');
    for (const digits of [64, 128]) {
      const { code, stderr } = await run(
        'ceremony',
        'start',
        '--ptau',
        ptau,
        '--hash',
        '0'.repeat(digits),
        '--out',
        out,
      );
      expect(code).toBe(1);
      expect(stderr).toContain('not the announced one');
    }
    await expect(access(out)).rejects.toThrow();
  });
});
