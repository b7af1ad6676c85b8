/** A Node.js that is too old: every program says so in one sentence, before it does anything. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nodeVersionRefusal } from '../../../hosts/standalone/node-version.ts';

const AS_OLD = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })',
)}`;

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in a process that takes itself for Node.js 20. */
function runAsOld(program: string, ...args: readonly string[]): Promise<Ended> {
  const file = fileURLToPath(new URL(`../../../hosts/${program}`, import.meta.url));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=credence-source', '--import', AS_OLD, file, ...args],
      { env: {} },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe('an older Node.js', () => {
  it.each([
    ['cli/main.ts', 'campaigns'],
    ['standalone/main.ts', '--help'],
  ])('is refused by %s %s in one sentence', async (...command) => {
    expect(await runAsOld(...command)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Credence needs Node.js 22.19 or newer, and this is 20.20.2: run the command with a newer Node.js.\n',
    });
  });

  it('is one before 22.19', () => {
    for (const old of ['18.0.0', '22.18.9', '9.99.0']) expect(nodeVersionRefusal(old)).toContain(`this is ${old}`);
    for (const good of ['22.19.0', '23.0.0', '24.1.0-nightly']) expect(nodeVersionRefusal(good)).toBeUndefined();
    expect(nodeVersionRefusal()).toBeUndefined();
  });
});
