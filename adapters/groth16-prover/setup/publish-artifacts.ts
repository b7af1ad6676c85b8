/** Puts the outcome of a ceremony where prover and contract read it. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import {
  artifactNames,
  CIRCUIT_FILES,
  type CircuitPaths,
  MANIFEST_FILE,
  type Manifest,
  parseVerifyingKey,
  sha256,
} from '../artifacts.ts';
import { CIRCUIT_SIZES, type CircuitSize } from '../circuit-sizes.ts';
import { guestIdOf, type VerifyingKey, verifyingKeySolidity } from '../verifying-key.ts';

const brotli = promisify(brotliCompress);

/** A large window, because the parts of the circuit repeat far apart. */
function compress(content: Uint8Array): Promise<Uint8Array> {
  return brotli(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  });
}

/** Paths of what a ceremony made for each circuit, uncompressed. */
export type CeremonyOutcome = Readonly<Record<CircuitSize, CircuitPaths>>;

function keysOf(outcome: CeremonyOutcome): Promise<readonly VerifyingKey[]> {
  return Promise.all(CIRCUIT_SIZES.map(async (size) => parseVerifyingKey(await readFile(outcome[size].verifyingKey))));
}

/** Every file of `outcome` with the name that it has among artifacts. */
function* named(outcome: CeremonyOutcome) {
  for (const size of CIRCUIT_SIZES) {
    const names = artifactNames(size);
    for (const role of CIRCUIT_FILES) yield { name: names[role], path: outcome[size][role] };
  }
}

/** The manifest of a ceremony's outcome. */
export async function describeOutcome(outcome: CeremonyOutcome, ceremony: Manifest['ceremony']): Promise<Manifest> {
  const files: Record<string, string> = {};
  for (const { name, path } of named(outcome)) files[name] = sha256(await readFile(path));
  return { guestId: guestIdOf(await keysOf(outcome)), ceremony, files };
}

/** Copies the files into `directory`, writes the manifest, and writes the Solidity of the keys to `contract`. */
export async function publishOutcome(
  outcome: CeremonyOutcome,
  manifest: Manifest,
  directory: string,
  contract: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const { name, path } of named(outcome)) {
    const content = await readFile(path);
    await writeFile(join(directory, name), name.endsWith('.br') ? await compress(content) : content);
  }
  await writeFile(join(directory, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const keys = await keysOf(outcome);
  await writeFile(contract, verifyingKeySolidity(keys, { development: manifest.ceremony === 'development' }));
}
