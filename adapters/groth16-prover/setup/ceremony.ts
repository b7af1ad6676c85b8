/**
 * `npm run zk:ceremony`: a real ceremony for the circuit, one step a call, so that its parties can be on different machines.
 * As long as one of them forgets its randomness, nobody can forge proofs.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeOutcome, publishOutcome } from './publish-artifacts.ts';
import { CIRCUITS, compileCircuit, PROJECT_ROOT, report, snarkjs } from './toolchain.ts';

const HELP = `Usage: npm run zk:ceremony -- <step> [options]

Steps, in this order:
  start        --ptau <file> --hash <hex> --out <key>
               Checks a public powers-of-tau file (power 14 or more, prepared for phase 2) by its SHA-256 or BLAKE2b-512
               and by its own contents, compiles the circuit, and makes the first key.
  contribute   --in <key> --out <key> --name <who>
               One call by each party, on its own machine; the randomness is the machine's and is not kept.
  beacon       --in <key> --out <key> --value <64 hex digits>
               Ends the contributions with a public value that nobody knew when they were made, for example the hash of a
               block announced beforehand.
  verify       --in <key> --ptau <file> --hash <hex>
               What every party does with the result: checks the whole chain of contributions against the circuit.
  finish       --in <key> --ptau <file> --hash <hex> --artifacts <directory> [--contract <file>]
               Verifies, and writes proving key, witness program, verifying key, manifest and VerifyingKey.sol. Point the
               prover to the directory and deploy WebProofVerifier with this VerifyingKey.sol.

Options:
  --build <dir>    compiled circuit (default .cache/zk/ceremony)
  --contract       where to write VerifyingKey.sol (default: into the directory of the artifacts)
  --json           print the outcome of a step as JSON on stdout
  --help           this text`;

const BEACON_ROUNDS = '10';
const CIRCUIT = 'attested-values';

/** What a caller did wrong: told without a stack trace. */
class UsageError extends Error {}

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      ptau: { type: 'string' },
      hash: { type: 'string' },
      in: { type: 'string' },
      out: { type: 'string' },
      name: { type: 'string' },
      value: { type: 'string' },
      artifacts: { type: 'string' },
      contract: { type: 'string' },
      build: { type: 'string', default: join(PROJECT_ROOT, '.cache', 'zk', 'ceremony') },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

type Options = ReturnType<typeof readArguments>['values'];

function required(options: Options, name: 'ptau' | 'hash' | 'in' | 'out' | 'name' | 'value' | 'artifacts'): string {
  const value = options[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

/** Resolves to the file's path when it has the hash that its publisher announced. */
async function checkedPowersOfTau(options: Options): Promise<string> {
  const path = resolve(required(options, 'ptau'));
  const expected = required(options, 'hash').toLowerCase().replace(/^0x/, '');
  const algorithm = { 64: 'sha256', 128: 'blake2b512' }[expected.length];
  if (algorithm === undefined || !/^[0-9a-f]+$/.test(expected)) {
    throw new UsageError('--hash is a SHA-256 (64 hex digits) or a BLAKE2b-512 (128 hex digits)');
  }
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  const found = hash.digest('hex');
  if (found !== expected) throw new UsageError(`${path} has the ${algorithm} ${found}, not the announced one`);
  report(`${path} has the announced ${algorithm}.`);
  return path;
}

async function compiled(options: Options): Promise<string> {
  const build = resolve(options.build);
  await compileCircuit(join(CIRCUITS, `${CIRCUIT}.circom`), build);
  return build;
}

/** Writes `output` only when the step succeeds, and shows what it says: the hash that every party should keep. */
async function into(output: string, step: (path: string) => Promise<string>): Promise<{ readonly written: string }> {
  const path = resolve(output);
  await mkdir(dirname(path), { recursive: true });
  report(await step(`${path}.partial`));
  await rename(`${path}.partial`, path);
  return { written: path };
}

async function start(options: Options) {
  const output = required(options, 'out');
  const ptau = await checkedPowersOfTau(options);
  await snarkjs('verify the powers of tau (minutes)', ['powersoftau', 'verify', ptau]);
  const r1cs = join(await compiled(options), `${CIRCUIT}.r1cs`);
  return into(output, (out) => snarkjs('make the first key', ['groth16', 'setup', r1cs, ptau, out]));
}

async function contribute(options: Options) {
  const [input, name] = [resolve(required(options, 'in')), required(options, 'name')];
  // snarkjs mixes this with randomness of its own. It comes over stdin, so that no list of processes shows it.
  const entropy = randomBytes(64).toString('hex');
  return into(required(options, 'out'), (out) =>
    snarkjs('contribute', ['zkey', 'contribute', input, out, `-n=${name}`], `${entropy}\n`),
  );
}

async function beacon(options: Options) {
  const [input, value] = [resolve(required(options, 'in')), required(options, 'value').replace(/^0x/, '')];
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new UsageError('--value is 64 hex digits');
  return into(required(options, 'out'), (out) =>
    snarkjs('beacon', ['zkey', 'beacon', input, out, value, BEACON_ROUNDS, '-n=beacon']),
  );
}

async function verify(options: Options) {
  const input = resolve(required(options, 'in'));
  const ptau = await checkedPowersOfTau(options);
  const build = await compiled(options);
  await snarkjs('verify the contributions', ['zkey', 'verify', join(build, `${CIRCUIT}.r1cs`), ptau, input]);
  return { verified: input, build };
}

async function finish(options: Options) {
  const directory = resolve(required(options, 'artifacts'));
  const { verified: provingKey, build } = await verify(options);
  const verifyingKey = join(build, 'verification-key.json');
  await snarkjs('export the verifying key', ['zkey', 'export', 'verificationkey', provingKey, verifyingKey]);
  const witnessProgram = join(build, `${CIRCUIT}_js`, `${CIRCUIT}.wasm`);
  const outcome = { provingKey, verifyingKey, witnessProgram };
  const manifest = await describeOutcome(outcome, 'production');
  const contract = resolve(options.contract ?? join(directory, 'VerifyingKey.sol'));
  await publishOutcome(outcome, manifest, directory, contract);
  report(`guest id ${manifest.guestId}`);
  return { ...manifest, artifacts: directory, contract };
}

const STEPS: Readonly<Record<string, (options: Options) => Promise<Readonly<Record<string, unknown>>>>> = {
  start,
  contribute,
  beacon,
  verify,
  finish,
};

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [name, ...rest] = positionals;
  if (values.help || name === undefined) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (step === undefined || rest.length > 0) throw new UsageError(`"${positionals.join(' ')}" is not a step`);
  const outcome = await step(values);
  report(`Done: ${name}.`);
  if (values.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error: unknown) => {
    const usage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
    report(error instanceof Error ? error.message : String(error));
    if (usage) report('See npm run zk:ceremony -- --help');
    process.exitCode = 1;
  });
}
