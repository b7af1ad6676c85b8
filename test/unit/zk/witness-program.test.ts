import { wtns } from 'snarkjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { artifactNames, bundledArtifacts, readArtifact, within } from '../../../adapters/groth16-prover/artifacts.ts';
import type { Signals } from '../../../adapters/groth16-prover/witness-input.ts';
import { UnsatisfiedError, WitnessProgram } from '../../../adapters/groth16-prover/witness-program.ts';
import { poseidon } from '../../../core/web-proof/attested-values/poseidon.ts';

const zeros = new Array<string>(9).fill('0');

/** A tree with one value: `claim` is the fifth of its leaf. */
function signals(claim: bigint, salt: bigint): Signals {
  const leaf = [...zeros.slice(0, 4), String(claim), ...zeros.slice(5)];
  const group = [String(poseidon([salt, ...leaf.map(BigInt)])), ...zeros.slice(1)];
  const groups = [String(poseidon(group.map(BigInt))), ...zeros.slice(1)];
  const root = poseidon([5n, ...groups.map(BigInt)]);
  const of = { claim: [String(claim)], salt: [String(salt)], leaf: [leaf], group: [group] };
  return { root: String(root), request: '5', groups, ...of };
}

const first = signals(7n, 2n ** 247n + 1n);
const second = signals(2n ** 248n - 1n, 1n);

let bytes: Uint8Array;
let program: WitnessProgram;
beforeAll(async () => {
  bytes = await readArtifact(within(bundledArtifacts(), artifactNames(1)).witnessProgram);
  program = await WitnessProgram.load(bytes);
});

async function bySnarkjs(input: Signals): Promise<Buffer> {
  const file: { type: 'mem'; data?: Uint8Array } = { type: 'mem' };
  await wtns.calculate(input, { type: 'mem', data: bytes }, file);
  return Buffer.from(file.data ?? []);
}

describe('the program of a circuit', () => {
  it('gives the witnesses of snarkjs, one after the other', async () => {
    const expected = [await bySnarkjs(first), await bySnarkjs(second)];
    for (const [index, input] of [first, second, first].entries()) {
      expect(Buffer.from(await program.calculate(input)).equals(expected[index % 2] ?? Buffer.of())).toBe(true);
    }
  });

  it.each([
    ['a false statement', { ...first, claim: ['8'] }, /Assert Failed\. Error in template/],
    ['a missing signal', { ...first, claim: undefined }, /^Not all inputs/],
    ['a signal of another size', { ...first, salt: ['1', '2'] }, /^Too many values for input signal salt/],
    ['an unknown signal', { ...first, pepper: '1' }, /^Signal pepper not found/],
  ])('refuses %s, and works afterwards', async (_what, input, message) => {
    const given = Object.fromEntries(Object.entries(input).filter(([, signal]) => signal !== undefined)) as Signals;
    const before = await program.calculate(second);
    await expect(program.calculate(given)).rejects.toThrow(UnsatisfiedError);
    await expect(program.calculate(given)).rejects.toThrow(message);
    expect(Buffer.from(await program.calculate(second)).equals(before)).toBe(true);
  });

  it('is refused if it is none', async () => {
    await expect(WitnessProgram.load(Uint8Array.of(1, 2, 3))).rejects.toThrow();
    await expect(WitnessProgram.load(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))).rejects.toThrow();
  });
});
