/** What the prover says when snarkjs is not there, or there and of no use: the real files, with other packages around them. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'credence-snarkjs-'));
  for (const path of globSync(
    ['adapters/{fair-queue,groth16-prover,package-loader}/*.ts', 'core/**/*.ts', 'package.json'],
    {
      cwd: root,
    },
  )) {
    cpSync(join(root, path), join(folder, path));
  }
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['@noble', 'viem', 'zod']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = `
  import { ProvingWorker } from './adapters/groth16-prover/proving-worker.ts';
  const worker = new ProvingWorker({ timeoutMs: 20_000, maxWaiting: 1, maxWaitingPerCaller: 1, maxWaitMs: 1_000, idleMs: 1_000 });
  const task = { provingKey: 'none', witnessProgram: 'none', verifyingKey: 'none', input: {} };
  const { code, message, cause } = await worker.prove(task).catch((error) => error);
  await worker.close();
  console.log(JSON.stringify({ code, message, cause }));
`;

it.each<[string, Readonly<Record<string, string>> | undefined, { message: RegExp; cause: RegExp | undefined }]>([
  ['is not installed', undefined, { message: /optional package snarkjs: npm install snarkjs$/, cause: undefined }],
  [
    'needs what is not installed',
    { 'index.js': "import 'something-else';" },
    { message: /installed but cannot be loaded/, cause: /^Cannot find package 'something-else' imported from/ },
  ],
  [
    'does not export itself',
    { 'package.json': '{"name":"snarkjs","exports":{"./other":"./index.js"}}' },
    { message: /installed but cannot be loaded/, cause: /^No "exports" main defined/ },
  ],
  [
    'throws, at length',
    { 'index.js': "throw new Error('x'.repeat(10_000) + '\\nsecond line');" },
    { message: /installed but cannot be loaded/, cause: /^x{500}$/ },
  ],
])('snarkjs %s', (_what, files, { message, cause }) => {
  const snarkjs = join(folder, 'node_modules/snarkjs');
  rmSync(snarkjs, { recursive: true, force: true });
  if (files !== undefined) {
    mkdirSync(snarkjs);
    const whole = { 'package.json': '{"name":"snarkjs","type":"module","main":"index.js"}', ...files };
    for (const [name, text] of Object.entries(whole)) writeFileSync(join(snarkjs, name), text);
  }
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    code: 'PROOF_GENERATION_FAILED',
    message: expect.stringMatching(message),
    ...(cause === undefined ? {} : { cause: expect.stringMatching(cause) }),
  });
});
