/**
 * `npm run zk:ceremony`: a real ceremony for the circuit, one step a call, so that its parties can be on different machines.
 * As long as one of them forgets its randomness, nobody can forge proofs.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ARTIFACT_FILES, loadArtifacts, type Manifest, readArtifact } from '../artifacts.ts';
import { verifyingKeySolidity } from '../verifying-key.ts';
import {
  CeremonyError,
  type Contribution,
  checkOpen,
  checkWhole,
  describeContributions,
  readContributions,
} from './contributions.ts';
import { type CeremonyOutcome, describeOutcome, publishOutcome } from './publish-artifacts.ts';
import { CIRCUITS, compileCircuit, PROJECT_ROOT, report, snarkjs } from './toolchain.ts';

const HELP = `Usage: npm run zk:ceremony -- <step> [options]

Steps, in this order:
  start        --ptau <file> --hash <hex> --out <key>
               Checks a public powers-of-tau file (power 14 or more, prepared for phase 2) by its SHA-256 or BLAKE2b-512
               and by its own contents, compiles the circuit, and makes the first key.
  contribute   --in <key> --out <key> --name <who>
               One call by each party, on its own machine; the randomness is the machine's and is not kept. At least one
               party must contribute.
  beacon       --in <key> --out <key> --value <64 hex digits>
               Ends the contributions with a public value that nobody knew when they were made, for example the hash of a
               block announced beforehand. Exactly one, after the last party.
  verify       --in <key> --ptau <file> --hash <hex>
               What every party does with the result: checks the whole chain of contributions against the circuit, and
               prints each contribution with its hash. Compare yours with the one that contribute printed.
  finish       --in <key> --ptau <file> --hash <hex> --artifacts <directory> [--contract <file>]
               Verifies, and writes proving key, witness program, verifying key, manifest and VerifyingKey.sol. Point the
               prover to the directory and deploy WebProofVerifier with this VerifyingKey.sol.
  verify       --artifacts <directory> --ptau <file> --hash <hex> [--contract <file>]
               What anybody does with what finish wrote: the same checks, and that every file comes from this key.

Options:
  --circuit <file> the circuit (default attested-values.circom); a small one makes a quick rehearsal
  --build <dir>    compiled circuit (default .cache/zk/ceremony)
  --contract       where to write VerifyingKey.sol (default: into the directory of the artifacts)
  --json           print the outcome of a step as JSON on stdout
  --help           this text`;

const BEACON_ROUNDS = '10';

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
      circuit: { type: 'string', default: join(CIRCUITS, 'attested-values.circom') },
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

interface CompiledCircuit {
  readonly build: string;
  readonly constraints: string;
  readonly witnessProgram: string;
}

async function compiled(options: Options): Promise<CompiledCircuit> {
  const build = resolve(options.build);
  const circuit = resolve(options.circuit);
  const name = basename(circuit, '.circom');
  await compileCircuit(circuit, build);
  return {
    build,
    constraints: join(build, `${name}.r1cs`),
    witnessProgram: join(build, `${name}_js`, `${name}.wasm`),
  };
}

interface KeyStep {
  readonly written: string;
  readonly contributions: readonly Contribution[];
}

/** Writes `output` only when the step succeeds, and prints the contributions: every party should keep the hash of its own. */
async function into(output: string, step: (path: string) => Promise<unknown>): Promise<KeyStep> {
  const path = resolve(output);
  await mkdir(dirname(path), { recursive: true });
  await step(`${path}.partial`);
  const contributions = await readContributions(`${path}.partial`);
  await rename(`${path}.partial`, path);
  reportContributions(contributions);
  return { written: path, contributions };
}

function reportContributions(contributions: readonly Contribution[]): void {
  report(contributions.length === 0 ? 'Contributions: none yet' : 'Contributions:');
  for (const line of describeContributions(contributions)) report(`  ${line}`);
}

async function start(options: Options) {
  const output = required(options, 'out');
  const ptau = await checkedPowersOfTau(options);
  await snarkjs('verify the powers of tau (minutes)', ['powersoftau', 'verify', ptau]);
  const { constraints } = await compiled(options);
  return into(output, (out) => snarkjs('make the first key', ['groth16', 'setup', constraints, ptau, out]));
}

async function contribute(options: Options) {
  const [input, name] = [resolve(required(options, 'in')), required(options, 'name')];
  checkOpen(await readContributions(input), 'contribution');
  // snarkjs mixes this with randomness of its own. It comes over stdin, so that no list of processes shows it.
  const entropy = randomBytes(64).toString('hex');
  return into(required(options, 'out'), (out) =>
    snarkjs('contribute', ['zkey', 'contribute', input, out, `-n=${name}`], `${entropy}\n`),
  );
}

async function beacon(options: Options) {
  const [input, value] = [resolve(required(options, 'in')), required(options, 'value').replace(/^0x/, '')];
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new UsageError('--value is 64 hex digits');
  checkOpen(await readContributions(input), 'beacon');
  return into(required(options, 'out'), (out) =>
    snarkjs('beacon', ['zkey', 'beacon', input, out, value, BEACON_ROUNDS, '-n=beacon']),
  );
}

/** Checks the key at `path` against the circuit; that its ceremony is whole comes first, because it takes no time. */
async function verifiedKey(path: string, options: Options) {
  const contributions = await readContributions(path);
  reportContributions(contributions);
  checkWhole(contributions);
  const ptau = await checkedPowersOfTau(options);
  const circuit = await compiled(options);
  await snarkjs('verify the contributions', ['zkey', 'verify', circuit.constraints, ptau, path]);
  return { contributions, circuit };
}

/** The files that belong to a key, made again from it and from the circuit. */
async function outcomeOf(provingKey: string, { build, witnessProgram }: CompiledCircuit): Promise<CeremonyOutcome> {
  const verifyingKey = join(build, 'verification-key.json');
  await snarkjs('export the verifying key', ['zkey', 'export', 'verificationkey', provingKey, verifyingKey]);
  return { provingKey, verifyingKey, witnessProgram };
}

async function verify(options: Options) {
  if (options.artifacts !== undefined) return verifyArtifacts(resolve(options.artifacts), options);
  const input = resolve(required(options, 'in'));
  const { contributions } = await verifiedKey(input, options);
  return { verified: input, contributions };
}

async function verifyArtifacts(directory: string, options: Options) {
  const { manifest, paths, verifyingKey } = await loadArtifacts(directory);
  const provingKey = join(resolve(options.build), 'published.zkey');
  await mkdir(dirname(provingKey), { recursive: true });
  await writeFile(provingKey, await readArtifact(paths.provingKey));
  const { contributions, circuit } = await verifiedKey(provingKey, options);
  const made = await describeOutcome(await outcomeOf(provingKey, circuit), 'production');
  const [different] = differences(manifest, made);
  if (different !== undefined) {
    throw new CeremonyError(
      `${different} in ${directory} does not come from this ceremony. Do not use these artifacts.`,
    );
  }
  const contract = resolve(options.contract ?? join(directory, 'VerifyingKey.sol'));
  if ((await readFile(contract, 'utf8')) !== verifyingKeySolidity(verifyingKey, { development: false })) {
    throw new CeremonyError(`${contract} is not the contract of this key. Do not deploy it.`);
  }
  report(`guest id ${manifest.guestId}`);
  return { verified: directory, guestId: manifest.guestId, contributions };
}

/** What of a manifest is not as it was made again. */
function differences(found: Manifest, made: Manifest): readonly string[] {
  const files: string[] = Object.values(ARTIFACT_FILES).filter((name) => found.files[name] !== made.files[name]);
  if (found.guestId !== made.guestId) files.push('The guest id');
  if (found.ceremony !== made.ceremony) files.push('The kind of ceremony');
  return files;
}

async function finish(options: Options) {
  const directory = resolve(required(options, 'artifacts'));
  const provingKey = resolve(required(options, 'in'));
  const { contributions, circuit } = await verifiedKey(provingKey, options);
  const outcome = await outcomeOf(provingKey, circuit);
  const manifest = await describeOutcome(outcome, 'production');
  const contract = resolve(options.contract ?? join(directory, 'VerifyingKey.sol'));
  await publishOutcome(outcome, manifest, directory, contract);
  report(`guest id ${manifest.guestId}`);
  return { ...manifest, artifacts: directory, contract, contributions };
}

const STEPS: Readonly<Record<string, (options: Options) => Promise<object>>> = {
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
