/**
 * Runs the circom compiler and snarkjs as programs of their own: both are under the GPL-3.0 and are development tools here.
 */

import { execFile } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { fileBeside, printable } from 'credence/kit';
import { type CircuitSize, circuitName } from '../circuit-sizes.ts';

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

const execute = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Of what a tool said before it failed. */
const SHOWN_OUTPUT = 4_000;

function programOf(command: string): readonly string[] {
  if (command === 'circom') return [require.resolve(TOOLS.circom2)];
  return [join(dirname(require.resolve(TOOLS.snarkjs)), 'cli.cjs'), ...command.split(' ')];
}

/**
 * Runs the circom compiler (`circom`), or a command of snarkjs (`zkey verify`).
 * @param answer what it asks for; not an argument, since the list of processes shows those
 * @throws Error with the tail of what the tool says, if the command fails
 */
export function runTool(label: string, command: string, args: readonly string[], answer = ''): Promise<void> {
  return timed(label, async () => {
    const options = { cwd: PROJECT_ROOT, maxBuffer: MAX_OUTPUT };
    const running = execute(process.execPath, ['--no-warnings', ...programOf(command), ...args], options);
    // One that failed does not read it.
    running.child.stdin?.on('error', () => undefined).end(`${answer}\n`);
    await running.catch(({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => {
      const said = stripVTControlCharacters(stdout + stderr).slice(-SHOWN_OUTPUT);
      throw new Error(`${label} failed.\n${said}`);
    });
  });
}

/** As `runTool`, writing `output` only when the command succeeds; `args` gets the path to write to. */
export async function runToolInto(
  label: string,
  output: string,
  command: string,
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
  const args = [circuit, '--r1cs', '--wasm', '--sym', '--O2', '-l', 'node_modules', '-o', directory];
  await runTool(`compile ${basename(circuit)}`, 'circom', args);
}
