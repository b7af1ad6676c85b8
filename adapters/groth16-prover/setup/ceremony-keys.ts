/** The keys of a ceremony: a directory with one key for each circuit. A step of a party is a step of all of them. */

import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CIRCUIT_SIZES, type CircuitSize, circuitName } from '../circuit-sizes.ts';
import { CeremonyError, type Contribution, describeContributions, readContributions } from './contributions.ts';
import { forEachSize, report } from './toolchain.ts';

/** The contributions to the key of each circuit, in their order. */
export type KeyContributions = Readonly<Record<CircuitSize, readonly Contribution[]>>;

/** The path of the key of a circuit in a directory of keys. */
export function keyPath(directory: string, size: CircuitSize): string {
  return join(directory, `${circuitName(size)}.zkey`);
}

/** The same parties in the same order for each key. Throws a `CeremonyError` if a key of `directory` is missing or is none, or differs. */
export async function readKeys(directory: string): Promise<KeyContributions> {
  const found = await forEachSize((size) => readContributions(keyPath(directory, size)));
  const parties = (size: CircuitSize) => JSON.stringify(found[size].map(({ kind, name }) => [kind, name]));
  if (CIRCUIT_SIZES.some((size) => parties(size) !== parties(1))) {
    throw new CeremonyError(`The keys in ${directory} have different contributions. Take those of one step only.`);
  }
  return found;
}

/** Prints the contributions: every party should keep the hashes of its own. */
export function reportKeys(contributions: KeyContributions): void {
  for (const size of CIRCUIT_SIZES) {
    const lines = describeContributions(contributions[size]);
    report(`Contributions to ${circuitName(size)}:${lines.length === 0 ? ' none yet' : ''}`);
    for (const line of lines) report(`  ${line}`);
  }
}

/**
 * Makes the key of every circuit with `step`, which gets the path to write to. The directory `output` appears only if all of
 * them succeed. Throws a `CeremonyError` if it exists.
 */
export async function makeKeys(output: string, step: (size: CircuitSize, path: string) => Promise<unknown>) {
  const directory = resolve(output);
  if (existsSync(directory)) throw new CeremonyError(`${directory} exists. Name a new directory with --out.`);
  const partial = `${directory}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await forEachSize((size) => step(size, keyPath(partial, size)));
  const contributions = await readKeys(partial);
  await mkdir(dirname(directory), { recursive: true });
  await rename(partial, directory);
  reportKeys(contributions);
  return { written: directory, contributions };
}
