/** The command lines of the set-ups, as far as they can be tried without minutes of computing. */

import { execFile } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CeremonyProcess, startCeremonyProcess } from '../../support/ceremony-process.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';

const script = (name: string) =>
  fileURLToPath(new URL(`../../../adapters/groth16-prover/setup/${name}.ts`, import.meta.url));

function run(name: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...COMPILE_CACHE };
    execFile(
      process.execPath,
      ['--conditions=credence-source', script(name), ...args],
      { env },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      },
    );
  });
}

/** A step, in the process that all of them share. */
const ceremony = (...args: string[]) => parties.run({ ceremony: args });

let parties: CeremonyProcess;
let directory: string;
beforeAll(async () => {
  parties = startCeremonyProcess();
  directory = await mkdtemp(join(tmpdir(), 'ceremony-'));
});
afterAll(async () => {
  await parties.close();
  await rm(directory, { recursive: true });
});

describe('the set-ups', () => {
  it('explain themselves', async () => {
    const helps = [await run('development-setup', '--help'), await ceremony('--help')];
    expect(helps).toEqual([
      { code: 0, stdout: expect.stringMatching(/^Usage: npm run zk:setup/), stderr: '' },
      { code: 0, stdout: expect.stringMatching(/^Usage: ceremony <step>/), stderr: '' },
    ]);
  });

  it('the ceremony refuses what is no step with an exit code', async () => {
    const { code, stderr } = await run('ceremony', 'dance');
    expect(code).toBe(1);
    expect(stderr).toContain('not a step');
  });

  it.each([
    [['contribute', '--in', 'a', '--out', 'b'], '--name is missing'],
    [['start', '--unknown'], 'Unknown option'],
    [['dance', '--help'], '"dance" is not a step'],
  ])('the ceremony refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await ceremony(...args);
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
      const { code, stderr } = await ceremony('start', '--ptau', ptau, '--hash', '0'.repeat(digits), '--out', out);
      expect(code).toBe(1);
      expect(stderr).toContain('not the announced one');
    }
    await expect(access(out)).rejects.toThrow();
  });
});
