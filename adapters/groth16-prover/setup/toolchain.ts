/**
 * Runs the circom compiler and snarkjs as programs of their own: both are under the GPL-3.0 and are development tools here.
 */

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type CircuitSize, circuitName } from '../circuit-sizes.ts';
import type { SnarkjsCommand, SnarkjsOutcome, SnarkjsTask } from './snarkjs-process.ts';

const require = createRequire(import.meta.url);

/** Where the tools are installed: in this project, or in one that has the package. The compiler resolves includes below it. */
export const PROJECT_ROOT = rootOf('circomlib/package.json');

function rootOf(installed: string): string {
  try {
    return join(dirname(require.resolve(installed)), '..', '..');
  } catch {
    return fileURLToPath(new URL('../../..', import.meta.url));
  }
}

/** What a set-up runs and the package does not bring. */
const TOOLS = { circom2: 'circom2/cli.js', circomlib: 'circomlib/package.json', snarkjs: 'snarkjs' };

/** @throws Error that names the command to install what is missing */
export function requireTools(): void {
  const missing = Object.entries(TOOLS).filter(([, path]) => {
    try {
      require.resolve(path);
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name);
  throw new Error(`${names.join(', ')} missing. Run \`npm install --save-dev ${names.join(' ')}\`.`);
}

export const CIRCUITS = fileURLToPath(new URL('../circuits', import.meta.url));

/** What a set-up tells about its progress; on stderr, so that stdout stays machine-readable. */
export function report(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Runs a Node program to its end. Rejects with the tail of its output when it fails. */
function run(label: string, script: string, args: readonly string[]): Promise<void> {
  return timed(label, () => {
    const child = spawn(process.execPath, [script, ...args], { cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-4000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`${label} failed (exit code ${code}).\n${output}`));
      });
    });
  });
}

async function timed(label: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  report(`${label} …`);
  await work();
  report(`${label}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const SNARKJS_PROCESS = fileURLToPath(new URL(`./snarkjs-process.${EXTENSION}`, import.meta.url));
let snarkjsProcess: ChildProcess | undefined;

/**
 * Runs a command of snarkjs, with `args` as its command line gets them; one at a time. All commands share a process, which
 * ends with this one.
 * @throws Error with the tail of what snarkjs says, if the command fails
 */
export function snarkjs(
  label: string,
  command: SnarkjsCommand,
  args: readonly string[],
  entropy?: string,
): Promise<void> {
  return timed(label, async () => {
    snarkjsProcess ??= fork(SNARKJS_PROCESS, { cwd: PROJECT_ROOT, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const child = snarkjsProcess;
    child.ref();
    child.channel?.ref();
    const task: SnarkjsTask = { command, args, entropy };
    const ended = new AbortController();
    try {
      child.send(task);
      const [outcome] = (await Promise.race([
        once(child, 'message', ended),
        once(child, 'exit', ended).then(([code]) => [{ succeeded: false, output: `It ended with code ${code}.` }]),
      ])) as [SnarkjsOutcome];
      if (!outcome.succeeded) throw new Error(`${label} failed.\n${stripVTControlCharacters(outcome.output)}`);
    } finally {
      ended.abort();
      child.unref();
      child.channel?.unref();
    }
  });
}

/** Runs `snarkjs`, writing `output` only when the command succeeds; `args` gets the path to write to. */
export async function snarkjsInto(
  label: string,
  output: string,
  command: SnarkjsCommand,
  args: (path: string) => readonly string[],
): Promise<void> {
  await mkdir(dirname(output), { recursive: true });
  const partial = `${output}.partial`;
  await snarkjs(label, command, args(partial));
  await rename(partial, output);
}

export interface CompiledCircuit {
  /** Path of the `.r1cs` file. */
  readonly constraints: string;
  readonly witnessProgram: string;
}

/** Compiles the circuit of each size in the directory `circuits`, into the directory `build`. */
export async function compileCircuits(
  circuits: string,
  build: string,
): Promise<Readonly<Record<CircuitSize, CompiledCircuit>>> {
  await mkdir(build, { recursive: true });
  return forEachSize(async (size) => {
    const name = circuitName(size);
    await compileCircuit(join(circuits, `${name}.circom`), build);
    return {
      constraints: join(build, `${name}.r1cs`),
      witnessProgram: join(build, `${name}_js`, `${name}.wasm`),
    };
  });
}

/** What `make` gives for each size, one after the other: each step of a ceremony uses every core. */
export async function forEachSize<T>(
  make: (size: CircuitSize) => Promise<T>,
): Promise<Readonly<Record<CircuitSize, T>>> {
  return { 1: await make(1), 4: await make(4), 8: await make(8) };
}

async function compileCircuit(circuit: string, directory: string): Promise<void> {
  const fromRoot = (path: string) => relative(PROJECT_ROOT, path);
  const args = [
    fromRoot(circuit),
    '--r1cs',
    '--wasm',
    '--sym',
    '--O2',
    '-l',
    'node_modules',
    '-o',
    fromRoot(directory),
  ];
  await run(`compile ${basename(circuit)}`, require.resolve('circom2/cli.js'), args);
}
