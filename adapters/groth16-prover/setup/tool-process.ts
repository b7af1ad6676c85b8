/**
 * The process in which a set-up runs snarkjs and the circom compiler (both GPL-3.0), separate programs. One for all commands of
 * a step: building the arithmetic and loading the compiler take longer than a command on a small circuit.
 */

import fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { curves, powersOfTau, zKey } from 'snarkjs';

/** What the parent sends. `args` are those of the command of that name on the command line of its tool, a name last. */
export interface ToolTask {
  readonly command: ToolCommand;
  readonly args: readonly string[];
  /** Of a contribution. It comes over the channel, so that no list of processes shows it. */
  readonly entropy: string | undefined;
}

/** What the process answers. `output` is the tail of what the tool said. */
export interface ToolOutcome {
  readonly succeeded: boolean;
  readonly output: string;
}

export type ToolCommand = keyof typeof COMMANDS;

const OUTPUT_LENGTH = 4_000;

let output = '';
const append = (text: string) => {
  output = `${output}${text}`.slice(-OUTPUT_LENGTH);
};
const say = (line: string) => append(`${line}\n`);
const log = { debug: () => undefined, info: say, warn: say, error: say };

/** Every directory above this one: a compiler in WebAssembly reaches only what it is given. */
function directories(): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let path = process.cwd(), last = ''; path !== last; last = path, path = dirname(path)) {
    const name = relative(process.cwd(), path) || '.';
    found[name] = name;
  }
  return found;
}

const STANDARD_STREAMS = 2;
const decoder = new TextDecoder();

/** Files are written; what goes to the terminal is kept for the parent. */
function writeSync(file: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number {
  if (file > STANDARD_STREAMS) return fs.writeSync(file, bytes, offset, length, position);
  append(decoder.decode(bytes.subarray(offset, offset + length), { stream: true }));
  return length;
}

/** The compiler's own code, compiled at its first use. */
let compiler: Promise<WebAssembly.Module> | undefined;

/** Compiles a circuit; paths are relative to this directory. Rejects if the compiler ends with an error. */
async function circom(args: readonly string[]): Promise<void> {
  const { bindings, CircomRunner } = await import('circom2');
  const path = createRequire(import.meta.url).resolve('circom2/circom.wasm');
  compiler ??= WebAssembly.compile(fs.readFileSync(path));
  const runner = new CircomRunner({
    args,
    env: {},
    preopens: directories(),
    bindings: { ...bindings, fs: { ...fs, writeSync } },
  });
  runner.compile = (compiled) => compiled;
  await runner.execute(compiler);
}

/** Each resolves to false, or rejects, if it fails. */
const COMMANDS = {
  circom,
  'powersoftau new': async ([curve = '', power = '', to = '']: readonly string[]) =>
    powersOfTau.newAccumulator(await curves.getCurveFromName(curve), Number(power), to, log),
  'powersoftau beacon': ([from = '', to = '', value = '', rounds = '', name = '']: readonly string[]) =>
    powersOfTau.beacon(from, to, name, value, Number(rounds), log),
  'powersoftau prepare phase2': ([from = '', to = '']: readonly string[]) => powersOfTau.preparePhase2(from, to, log),
  'powersoftau verify': async ([path = '']: readonly string[]) => (await powersOfTau.verify(path, log)) === true,
  'groth16 setup': async ([constraints = '', ptau = '', to = '']: readonly string[]) =>
    (await zKey.newZKey(constraints, ptau, to, log)) !== -1,
  'zkey contribute': ([from = '', to = '', name = '']: readonly string[], entropy = '') => {
    if (entropy === '') throw new Error('A contribution needs entropy.');
    return zKey.contribute(from, to, name, entropy, log);
  },
  'zkey beacon': ([from = '', to = '', value = '', rounds = '', name = '']: readonly string[]) =>
    zKey.beacon(from, to, name, value, Number(rounds), log),
  'zkey verify': async ([constraints = '', ptau = '', key = '']: readonly string[]) =>
    (await zKey.verifyFromR1cs(constraints, ptau, key, log)) === true,
  'zkey export verificationkey': async ([key = '', to = '']: readonly string[]) =>
    writeFile(to, JSON.stringify(await zKey.exportVerificationKey(key, log), undefined, 1)),
} as const;

async function perform({ command, args, entropy }: ToolTask): Promise<ToolOutcome> {
  output = '';
  try {
    return { succeeded: (await COMMANDS[command](args, entropy)) !== false, output };
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return { succeeded: false, output };
  }
}

process.on('message', (task: ToolTask) => {
  void perform(task).then((outcome) => process.send?.(outcome));
});
// Its threads would outlive the parent.
process.once('disconnect', () => process.exit(0));
