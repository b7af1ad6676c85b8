/** Puts the outcome of a ceremony where prover and contract read it. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { ARTIFACT_FILES, MANIFEST_FILE, type Manifest, sha256 } from '../artifacts.ts';
import { guestIdOf, verifyingKeySchema, verifyingKeySolidity } from '../verifying-key.ts';

const brotli = promisify(brotliCompress);

/** A large window, because the parts of the circuit repeat far apart. */
function compress(content: Uint8Array): Promise<Uint8Array> {
  return brotli(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  });
}

/** Paths of what a ceremony made, uncompressed. */
export interface CeremonyOutcome {
  readonly provingKey: string;
  readonly witnessProgram: string;
  readonly verifyingKey: string;
}

/** The manifest of a ceremony's outcome (paths of its files). */
export async function describeOutcome(outcome: CeremonyOutcome, ceremony: Manifest['ceremony']): Promise<Manifest> {
  const files: Record<string, string> = {};
  for (const [role, name] of Object.entries(ARTIFACT_FILES)) {
    files[name] = sha256(await readFile(outcome[role as keyof typeof ARTIFACT_FILES]));
  }
  const key = verifyingKeySchema.parse(JSON.parse(await readFile(outcome.verifyingKey, 'utf8')));
  return { guestId: guestIdOf(key), ceremony, files };
}

/** Copies the files into `directory`, writes the manifest, and writes the key's Solidity to `contract`. */
export async function publishOutcome(
  outcome: CeremonyOutcome,
  manifest: Manifest,
  directory: string,
  contract: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [role, name] of Object.entries(ARTIFACT_FILES)) {
    const content = await readFile(outcome[role as keyof typeof ARTIFACT_FILES]);
    await writeFile(join(directory, name), name.endsWith('.br') ? await compress(content) : content);
  }
  await writeFile(join(directory, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const key = verifyingKeySchema.parse(JSON.parse(await readFile(outcome.verifyingKey, 'utf8')));
  await writeFile(contract, verifyingKeySolidity(key, { development: manifest.ceremony === 'development' }));
}
