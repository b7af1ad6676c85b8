/** The command lines of the set-ups, as far as they can be tried without minutes of computing. */

import { access, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ceremonyStep, runSetUp } from '../../support/run-set-up.ts';

describe('the set-ups', () => {
  it('explain themselves, and exit with what came of a step', async () => {
    const helps = [await runSetUp('development-setup', '--help'), await runSetUp('ceremony', '--help')];
    expect(helps).toEqual([
      { code: 0, stdout: expect.stringMatching(/^Usage: npm run zk:setup/), stderr: '' },
      { code: 0, stdout: expect.stringMatching(/^Usage: npm run zk:ceremony -- <step>/), stderr: '' },
    ]);
    expect(await runSetUp('ceremony', 'no')).toMatchObject({ code: 1, stderr: expect.stringContaining('not a step') });
  });

  it.each([
    [['contribute', '--in', 'a', '--out', 'b'], '--name is missing'],
    [['start', '--unknown'], 'Unknown option'],
    [['dance', '--help'], '"dance" is not a step'],
  ])('the ceremony refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await ceremonyStep(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });

  it('the ceremony takes no powers of tau but the announced ones', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ceremony-'));
    const ptau = join(directory, 'some.ptau');
    const out = join(directory, 'key');
    await writeFile(ptau, 'not those');
    for (const digits of [64, 128]) {
      const { code, stderr } = await ceremonyStep('start', '--ptau', ptau, '--hash', '0'.repeat(digits), '--out', out);
      expect(code).toBe(1);
      expect(stderr).toContain('not the announced one');
    }
    await expect(access(out)).rejects.toThrow();
  });
});
