/**
 * `npm run zk:ceremony`: a real ceremony for the circuits, one step a call, so that its parties can be on different machines.
 * As long as one of them forgets its randomness, nobody can forge proofs.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printable } from 'credence/kit';
import { loadArtifacts, type Manifest, readArtifact } from '../artifacts.ts';
import { type CircuitSize, circuitName } from '../circuit-sizes.ts';
import { verifyingKeySolidity } from '../verifying-key.ts';
import { keyPath, makeKeys, readKeys, reportKeys } from './ceremony-keys.ts';
import { CeremonyError, checkOpen, checkWhole } from './contributions.ts';
import { describeOutcome, publishOutcome } from './publish-artifacts.ts';
import { CIRCUITS, compileCircuits, forEachSize, PROJECT_ROOT, report, requireTools, runTool } from './toolchain.ts';

const help = (command: string) => `Usage: ${command} <step> [options]

There is one circuit for up to 1, 4 and 8 values. Every step handles all of them: <keys> is a directory with a key for each.

Steps, in this order:
  start        --ptau <file> --hash <hex> --out <keys>
               Checks a public powers-of-tau file (power 13 or more, prepared for phase 2) by its SHA-256 or BLAKE2b-512
               and by its own contents, compiles the circuits, and makes the first keys.
  contribute   --in <keys> --out <keys> --name <who>
               One call by each party, on its own machine; the randomness is the machine's and is not kept. At least one
               party must contribute.
  beacon       --in <keys> --out <keys> --value <64 hex digits>
               Ends the contributions with a public value that nobody knew when they were made, for example the hash of a
               block announced beforehand. Exactly one, after the last party.
  verify       --in <keys> --ptau <file> --hash <hex>
               What every party does with the result: checks the whole chain of contributions against the circuits, and
               prints each contribution with its hash. Compare yours with those that contribute printed.
  finish       --in <keys> --ptau <file> --hash <hex> --artifacts <directory> [--contract <file>]
               Verifies, and writes proving keys, witness programs, verifying keys, manifest and VerifyingKey.sol. Point the
               prover to the directory and deploy WebProofVerifier with this VerifyingKey.sol.
  verify       --artifacts <directory> --ptau <file> --hash <hex> [--contract <file>]
               What anybody does with what finish wrote: the same checks, and that every file comes from these keys.

Options:
  --circuits <dir> the circuits (default: those of the prover); small ones of the same names make a quick rehearsal
  --build <dir>    compiled circuits (default .cache/zk/ceremony)
  --contract       where to write VerifyingKey.sol (default: into the directory of the artifacts)
  --json           print the outcome of a step as JSON on stdout
  --help           this text`;

const BEACON_ROUNDS = '10';

/** What a caller did wrong: told without a stack trace. */
class UsageError extends Error {}

function readArguments(args: readonly string[]) {
  return parseArgs({
    args: [...args],
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
      circuits: { type: 'string', default: CIRCUITS },
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

function compiled(options: Options) {
  return compileCircuits(resolve(options.circuits), resolve(options.build));
}

async function start(options: Options) {
  const output = required(options, 'out');
  const ptau = await checkedPowersOfTau(options);
  await runTool('verify the powers of tau (minutes)', 'powersoftau verify', [ptau]);
  const circuits = await compiled(options);
  return makeKeys(output, (size, path) =>
    runTool(`make the first key of ${circuitName(size)}`, 'groth16 setup', [circuits[size].constraints, ptau, path]),
  );
}

async function contribute(options: Options) {
  const [input, name] = [resolve(required(options, 'in')), required(options, 'name')];
  checkOpen((await readKeys(input))[1], 'contribution');
  return makeKeys(required(options, 'out'), (size, path) => {
    // snarkjs mixes this with randomness of its own.
    const entropy = randomBytes(64).toString('hex');
    const args = [keyPath(input, size), path, `-n=${name}`];
    return runTool(`contribute to ${circuitName(size)}`, 'zkey contribute', args, entropy);
  });
}

async function beacon(options: Options) {
  const [input, value] = [resolve(required(options, 'in')), required(options, 'value').replace(/^0x/, '')];
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new UsageError('--value is 64 hex digits');
  checkOpen((await readKeys(input))[1], 'beacon');
  return makeKeys(required(options, 'out'), (size, path) =>
    runTool(`beacon of ${circuitName(size)}`, 'zkey beacon', [
      keyPath(input, size),
      path,
      value,
      BEACON_ROUNDS,
      '-n=beacon',
    ]),
  );
}

/** Checks the keys in `directory` against the circuits. First checks that the ceremony is complete, since that is fast. */
async function verifiedKeys(directory: string, options: Options) {
  const contributions = await readKeys(directory);
  reportKeys(contributions);
  // All keys have the same parties.
  checkWhole(contributions[1]);
  const ptau = await checkedPowersOfTau(options);
  const circuits = await compiled(options);
  await forEachSize((size) =>
    runTool(`verify the contributions to ${circuitName(size)}`, 'zkey verify', [
      circuits[size].constraints,
      ptau,
      keyPath(directory, size),
    ]),
  );
  /** The files that belong to the keys, made again from them and from the circuits. */
  const outcome = await forEachSize(async (size) => {
    const provingKey = keyPath(directory, size);
    const verifyingKey = join(resolve(options.build), `${circuitName(size)}.vkey.json`);
    await runTool('export the verifying key', 'zkey export verificationkey', [provingKey, verifyingKey]);
    return { provingKey, verifyingKey, witnessProgram: circuits[size].witnessProgram };
  });
  return { contributions, outcome };
}

async function verify(options: Options) {
  if (options.artifacts !== undefined) return verifyArtifacts(resolve(options.artifacts), options);
  const input = resolve(required(options, 'in'));
  const { contributions } = await verifiedKeys(input, options);
  return { verified: input, contributions };
}

async function verifyArtifacts(directory: string, options: Options) {
  const { manifest, paths, verifyingKeys } = await loadArtifacts(directory);
  // First, since it is fast.
  const contract = resolve(options.contract ?? join(directory, 'VerifyingKey.sol'));
  if ((await readFile(contract, 'utf8')) !== verifyingKeySolidity(verifyingKeys, { development: false })) {
    throw new CeremonyError(`${contract} is not the contract of these keys. Do not deploy it.`);
  }
  const keys = join(resolve(options.build), 'published');
  await mkdir(keys, { recursive: true });
  await forEachSize(async (size: CircuitSize) =>
    writeFile(keyPath(keys, size), await readArtifact(paths(size).provingKey)),
  );
  const { contributions, outcome } = await verifiedKeys(keys, options);
  const [different] = differences(manifest, await describeOutcome(outcome, 'production'));
  if (different !== undefined) {
    throw new CeremonyError(
      `${different} in ${directory} does not come from this ceremony. Do not use these artifacts.`,
    );
  }
  report(`guest id ${manifest.guestId}`);
  return { verified: directory, guestId: manifest.guestId, contributions };
}

/** What of a manifest is not as it was made again. */
function differences(found: Manifest, made: Manifest): readonly string[] {
  const files = Object.keys(made.files).filter((name) => found.files[name] !== made.files[name]);
  if (found.guestId !== made.guestId) files.push('The guest id');
  if (found.ceremony !== made.ceremony) files.push('The kind of ceremony');
  return files;
}

async function finish(options: Options) {
  const directory = resolve(required(options, 'artifacts'));
  const { contributions, outcome } = await verifiedKeys(resolve(required(options, 'in')), options);
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

async function run(args: readonly string[], command: string): Promise<void> {
  const { values, positionals } = readArguments(args);
  const [name, ...rest] = positionals;
  const step = name !== undefined && Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  const isStep = step !== undefined && rest.length === 0;
  if (name === undefined || (isStep && values.help)) {
    process.stdout.write(`${help(command)}\n`);
    return;
  }
  if (!isStep) throw new UsageError(`"${positionals.join(' ')}" is not a step`);
  requireTools();
  const outcome = await step(values);
  report(`Done: ${name}.`);
  if (values.json) process.stdout.write(`${printable(JSON.stringify(outcome))}\n`);
}

/**
 * Runs a step of a ceremony and resolves to the exit code.
 * @param command what the user typed in front of the step
 */
export async function runCeremony(args: readonly string[], command: string): Promise<number> {
  try {
    await run(args, command);
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
    report(error instanceof Error ? error.message : String(error));
    if (usage) report(`See ${command} --help`);
    return 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await runCeremony(process.argv.slice(2), 'npm run zk:ceremony --');
}
