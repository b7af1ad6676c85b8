/**
 * Runs the circom compiler and snarkjs as programs of their own: both are under the GPL-3.0 and are development tools here.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { fileBeside, printable, scriptBeside } from 'credence/kit';
import { type CircuitSize, circuitName } from '../circuit-sizes.ts';
import type { ToolCommand, ToolOutcome, ToolTask } from './tool-process.ts';

const require = createRequire(import.meta.url);

/** Where the tools are installed: in this project, or in one that has the package. The compiler resolves includes below it. */
export const PROJECT_ROOT = rootOf('circomlib/package.json');

function rootOf(installed: string): string {
  try {
    return join(dirname(require.resolve(installed)), '..', '..');
  } catch {
    return fileURLToPath(fileBeside(import.meta.url, '../../..'));
  }
}

/** What a set-up runs and the package does not bring. */
const TOOLS = { circom2: 'circom2/circom.wasm', circomlib: 'circomlib/package.json', snarkjs: 'snarkjs' };

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

export const CIRCUITS = fileURLToPath(fileBeside(import.meta.url, '../circuits'));

/** What a set-up tells about its progress; on stderr, so that stdout stays machine-readable. */
export function report(message: string): void {
  process.stderr.write(`${printable(message)}\n`);
}

async function timed(label: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  report(`${label} …`);
  await work();
  report(`${label}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

const TOOL_PROCESS = fileURLToPath(scriptBeside(import.meta.url, 'tool-process'));
let toolProcess: ChildProcess | undefined;

/**
 * Runs a command of snarkjs, or the circom compiler, with `args` as its command line gets them; one at a time. All commands
 * share a process, which ends with this one.
 * @throws Error with the tail of what the tool says, if the command fails
 */
export function runTool(label: string, command: ToolCommand, args: readonly string[], entropy?: string): Promise<void> {
  return timed(label, async () => {
    toolProcess ??= fork(TOOL_PROCESS, {
      cwd: PROJECT_ROOT,
      // snarkjs leaves files that it opened to the garbage collector.
      execArgv: [...process.execArgv, '--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const child = toolProcess;
    child.ref();
    child.channel?.ref();
    const task: ToolTask = { command, args, entropy };
    const ended = new AbortController();
    try {
      child.send(task);
      const [outcome] = (await Promise.race([
        once(child, 'message', ended),
        once(child, 'exit', ended).then(([code]) => [{ succeeded: false, output: `It ended with code ${code}.` }]),
      ])) as [ToolOutcome];
      if (!outcome.succeeded) throw new Error(`${label} failed.\n${stripVTControlCharacters(outcome.output)}`);
    } finally {
      ended.abort();
      child.unref();
      child.channel?.unref();
    }
  });
}

/** As `runTool`, writing `output` only when the command succeeds; `args` gets the path to write to. */
export async function runToolInto(
  label: string,
  output: string,
  command: ToolCommand,
  args: (path: string) => readonly string[],
): Promise<void> {
  await mkdir(dirname(output), { recursive: true });
  const partial = `${output}.partial`;
  await runTool(label, command, args(partial));
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
  await runTool(`compile ${basename(circuit)}`, 'circom', args);
}
