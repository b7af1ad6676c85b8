/**
 * `npm run zk:setup`: compiles the circuits and runs the development ceremony. Its randomness is public, so every run gives
 * the same bytes, and so anyone can forge proofs for its keys: for development only. For real keys: `npm run zk:ceremony`.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fileBeside } from 'credence/kit';
import { bundledArtifacts, MANIFEST_FILE } from '../artifacts.ts';
import { circuitName } from '../circuit-sizes.ts';
import { type CeremonyOutcome, describeOutcome, publishOutcome } from './publish-artifacts.ts';
import { CIRCUITS, compileCircuits, forEachSize, PROJECT_ROOT, report, runTool, runToolInto } from './toolchain.ts';

const HELP = `Usage: npm run zk:setup -- [options]

Compiles the circuits, runs the deterministic development ceremony (about 4 minutes the first time, 2 after that), and
compares the outcome with the checked-in artifacts. Exit code 1 when they differ.

  --write         replace the checked-in artifacts and VerifyingKey.sol with the outcome
  --cache <dir>   where intermediate files are kept (default .cache/zk)
  --json          print the outcome as JSON on stdout
  --help          this text`;

const POWER = '13';
/** Log2 of the rounds of the beacon's hash; only slows down who wants to grind, which is nobody here. */
const BEACON_ROUNDS = '10';
const BEACON_NAME = 'credence development beacon';

function publicBeacon(step: string): string {
  return createHash('sha256').update(`credence development ceremony: ${step}`).digest('hex');
}

async function unlessCached(path: string, make: (path: string) => Promise<void>): Promise<string> {
  if (existsSync(path)) report(`cached: ${path}`);
  else await make(path);
  return path;
}

async function powersOfTau(cache: string): Promise<string> {
  return unlessCached(join(cache, 'final.ptau'), async (final) => {
    const fresh = await unlessCached(join(cache, 'new.ptau'), (path) =>
      runToolInto('powers of tau: start', path, 'powersoftau new', (out) => ['bn128', POWER, out]),
    );
    const beacon = await unlessCached(join(cache, 'beacon.ptau'), (path) =>
      runToolInto('powers of tau: beacon (about 10 s)', path, 'powersoftau beacon', (out) => [
        fresh,
        out,
        publicBeacon('powers of tau'),
        BEACON_ROUNDS,
        `-n=${BEACON_NAME}`,
      ]),
    );
    await runToolInto('powers of tau: prepare phase 2 (2 to 4 minutes)', final, 'powersoftau prepare phase2', (out) => [
      beacon,
      out,
    ]);
  });
}

async function runDevelopmentCeremony(cache: string): Promise<CeremonyOutcome> {
  const ptau = await powersOfTau(cache);
  const build = join(cache, 'build');
  const compiled = await compileCircuits(CIRCUITS, build);
  return forEachSize(async (size) => {
    const name = circuitName(size);
    const { constraints, witnessProgram } = compiled[size];
    const start = join(build, `${name}-start.zkey`);
    const provingKey = join(build, `${name}.zkey`);
    const verifyingKey = join(build, `${name}.vkey.json`);
    await runTool(`${name}: start`, 'groth16 setup', [constraints, ptau, start]);
    await runTool(`${name}: beacon`, 'zkey beacon', [
      start,
      provingKey,
      publicBeacon(name),
      BEACON_ROUNDS,
      `-n=${BEACON_NAME}`,
    ]);
    await runTool(`${name}: verify`, 'zkey verify', [constraints, ptau, provingKey]);
    await runTool(`${name}: export the verifying key`, 'zkey export verificationkey', [provingKey, verifyingKey]);
    return { provingKey, witnessProgram, verifyingKey };
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      write: { type: 'boolean', default: false },
      cache: { type: 'string', default: join(PROJECT_ROOT, '.cache', 'zk') },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const outcome = await runDevelopmentCeremony(resolve(values.cache));
  const manifest = await describeOutcome(outcome, 'development');
  const checkedIn = await readFile(join(bundledArtifacts(), MANIFEST_FILE), 'utf8').catch(() => '');
  const identical = checkedIn === `${JSON.stringify(manifest, undefined, 2)}\n`;
  if (values.write) {
    const contract = fileURLToPath(fileBeside(import.meta.url, '../../../contracts/VerifyingKey.sol'));
    await publishOutcome(outcome, manifest, bundledArtifacts(), contract);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ ...manifest, identical })}\n`);
  report(`guest id ${manifest.guestId}`);
  if (identical) report('The outcome is byte for byte what is checked in.');
  else if (values.write) report('The artifacts were replaced.');
  else {
    report('The outcome differs from what is checked in. Run with --write to replace it.');
    process.exitCode = 1;
  }
}

await main();
