/** A ceremony from its start to its finish, on circuits of 1, 2 and 3 constraints, by the command line that its parties use. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadArtifacts } from '../../adapters/groth16-prover/artifacts.ts';
import { CIRCUIT_SIZES, circuitName } from '../../adapters/groth16-prover/circuit-sizes.ts';
import { describeOutcome, publishOutcome } from '../../adapters/groth16-prover/setup/publish-artifacts.ts';
import { newFolder } from '../support/new-folder.ts';
import { ceremonyStep } from '../support/run-set-up.ts';

const execute = promisify(execFile);
const CIRCUITS_DIRECTORY = fileURLToPath(new URL('../support/circuits', import.meta.url));
const CIRCUITS = CIRCUIT_SIZES.map(circuitName);
const SNARKJS = join(dirname(createRequire(import.meta.url).resolve('snarkjs')), 'cli.cjs');
const BEACON = createHash('sha256').update('a block').digest('hex');
const HASH = /[0-9a-f]{128}/;

interface Contribution {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
  readonly beacon?: string;
}

interface Outcome {
  /** By size of the circuit. */
  readonly contributions: Readonly<Record<string, readonly Contribution[]>>;
}

let directory: string;
let hash: string;
const file = (name: string) => join(directory, name);

/** One step of the ceremony: what it printed for machines and for people. Rejects with the latter. */
async function ceremony(step: string, options: Readonly<Record<string, string>>) {
  const named = { circuits: CIRCUITS_DIRECTORY, build: file('build'), ...options };
  const args = Object.entries(named).flatMap(([name, value]) => [`--${name}`, value]);
  const { code, stdout, stderr } = await ceremonyStep(step, ...args, '--json');
  if (code !== 0) throw new Error(stderr);
  return { outcome: JSON.parse(stdout) as Record<string, unknown> & Outcome, stderr };
}

const snarkjs = (command: string, args: readonly string[]) =>
  execute(process.execPath, [SNARKJS, ...command.split(' '), ...args]);

const withPowers = (options: Readonly<Record<string, string>>) => ({ ...options, ptau: file('final.ptau'), hash });

beforeAll(async () => {
  directory = newFolder();
  await snarkjs('powersoftau new', ['bn128', '3', file('new.ptau')]);
  await snarkjs('powersoftau beacon', [file('new.ptau'), file('beacon.ptau'), BEACON, '10', '-n=test']);
  await snarkjs('powersoftau prepare phase2', [file('beacon.ptau'), file('final.ptau')]);
  hash = createHash('sha256')
    .update(await readFile(file('final.ptau')))
    .digest('hex');
  await ceremony('start', withPowers({ out: file('start') }));
  await ceremony('contribute', { in: file('start'), out: file('alice'), name: 'Alice' });
  await ceremony('contribute', { in: file('alice'), out: file('bob'), name: 'Bob\n9. "Eve"' });
  await ceremony('beacon', { in: file('bob'), out: file('final'), value: `0x${BEACON}` });
  await ceremony('finish', withPowers({ in: file('final'), artifacts: file('artifacts') }));
}, 120_000);

describe('a ceremony', () => {
  it('ends with artifacts of a production key, whose contract says so', async () => {
    const { manifest } = await loadArtifacts(file('artifacts'));
    expect(manifest.ceremony).toBe('production');
    const contract = await readFile(join(file('artifacts'), 'VerifyingKey.sol'), 'utf8');
    expect(contract).toContain('DEVELOPMENT = false');
    expect(contract).toContain(manifest.guestId);
  });

  it('can be verified by anybody from what was published, with the hash that each party saw', async () => {
    const { outcome, stderr } = await ceremony('verify', withPowers({ artifacts: file('artifacts') }));
    const { guestId } = (await loadArtifacts(file('artifacts'))).manifest;
    expect(outcome).toMatchObject({ guestId });
    expect(stderr).toContain(guestId);
    expect(Object.keys(outcome.contributions)).toEqual(CIRCUIT_SIZES.map(String));
    for (const contributions of Object.values(outcome.contributions)) {
      expect(contributions).toEqual([
        { kind: 'contribution', name: 'Alice', hash: expect.stringMatching(HASH) },
        { kind: 'contribution', name: 'Bob\n9. "Eve"', hash: expect.stringMatching(HASH) },
        { kind: 'beacon', name: 'beacon', hash: expect.stringMatching(HASH), beacon: BEACON },
      ]);
    }
    const lines = stderr.split('\n').filter((line) => HASH.test(line) || line.startsWith('Contributions'));
    expect(lines.map((line) => line.replace(HASH, '…'))).toEqual(
      CIRCUITS.flatMap((name) => [
        `Contributions to ${name}:`,
        '  1. contribution "Alice": …',
        '  2. contribution "Bob\\n9. \\"Eve\\"": …',
        `  3. beacon "beacon" of the value ${BEACON}: …`,
      ]),
    );
    const inputs = [
      join(file('build'), 'attested-values-4.r1cs'),
      file('final.ptau'),
      join(file('final'), 'attested-values-4.zkey'),
    ];
    const ofSnarkjs = await snarkjs('zkey verify', inputs);
    const digits = stripVTControlCharacters(ofSnarkjs.stdout).replace(/\s/g, '');
    for (const { hash: found } of outcome.contributions[4] ?? []) expect(digits).toContain(found);
  }, 60_000);
});

describe('a ceremony is refused', () => {
  const NOBODY = 'Nobody has contributed to this key';
  const NO_END = 'does not end with one beacon';

  it.each(['verify', 'finish'])('by %s, before anything is written', async (step) => {
    const artifacts = file(`artifacts-of-${step}`);
    const options: Record<string, string> = step === 'finish' ? { artifacts } : {};
    await expect(ceremony(step, withPowers({ in: file('bob'), ...options }))).rejects.toThrow(NO_END);
    await expect(readFile(join(artifacts, 'manifest.json'))).rejects.toThrow();
  });

  it('a beacon before anybody has contributed', async () => {
    const step = ceremony('beacon', { in: file('start'), out: file('refused'), value: BEACON });
    await expect(step).rejects.toThrow(NOBODY);
  });

  it.each(['contribute', 'beacon'])('a %s after the beacon', async (step) => {
    const options: Record<string, string> = step === 'beacon' ? { value: BEACON } : { name: 'Late' };
    const late = ceremony(step, { in: file('final'), out: file('refused'), ...options });
    await expect(late).rejects.toThrow('has its beacon already');
    await expect(readFile(file('refused'))).rejects.toThrow();
  });

  it('if a contribution to one of the keys does not follow from the one before', async () => {
    await cp(file('final'), file('changed'), { recursive: true });
    const path = join(file('changed'), 'attested-values-1.zkey');
    const key = await readFile(path);
    const at = key.lastIndexOf(Buffer.from('Alice')) - 100;
    key.writeUInt8(key.readUInt8(at) ^ 1, at);
    await writeFile(path, key);
    await expect(ceremony('verify', withPowers({ in: file('changed') }))).rejects.toThrow(
      'verify the contributions to attested-values-1 failed',
    );
  }, 60_000);

  it('if a party contributed to some of the keys only', async () => {
    await cp(file('final'), file('mixed'), { recursive: true });
    await cp(join(file('bob'), 'attested-values-1.zkey'), join(file('mixed'), 'attested-values-1.zkey'));
    await expect(ceremony('verify', withPowers({ in: file('mixed') }))).rejects.toThrow('have different contributions');
  });

  it('if the keys of a step would replace others', async () => {
    const again = ceremony('contribute', { in: file('start'), out: file('alice'), name: 'Mallory' });
    await expect(again).rejects.toThrow('exists. Name a new directory with --out.');
  });

  it('if what was published does not come from its keys', async () => {
    const published = file('other-artifacts');
    await cp(file('artifacts'), published, { recursive: true });
    const contract = join(published, 'VerifyingKey.sol');
    await writeFile(contract, (await readFile(contract, 'utf8')).replace(/hex"../, 'hex"00'));
    await expect(ceremony('verify', withPowers({ artifacts: published }))).rejects.toThrow(
      'is not the contract of these keys',
    );
    const other = join(file('alice'), 'attested-values-1.zkey');
    await snarkjs('zkey export verificationkey', [other, file('other.json')]);
    const of = (name: string, verifyingKey = join(file('build'), `${name}.vkey.json`)) => ({
      provingKey: join(file('final'), `${name}.zkey`),
      witnessProgram: join(file('build'), `${name}_js`, `${name}.wasm`),
      verifyingKey,
    });
    const outcome = { 1: of(circuitName(1), file('other.json')), 4: of(circuitName(4)), 8: of(circuitName(8)) };
    const manifest = await describeOutcome(outcome, 'production');
    await publishOutcome(outcome, manifest, published, contract);
    await expect(ceremony('verify', withPowers({ artifacts: published }))).rejects.toThrow(
      'attested-values-1.vkey.json in',
    );
  }, 60_000);
});
