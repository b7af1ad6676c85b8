/** The files that proving needs, and the manifest that says what they are and how they came to be. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { fileBeside } from 'credence/kit';
import { z } from 'zod';
import { CIRCUIT_SIZES, type CircuitSize, circuitName } from './circuit-sizes.ts';
import { guestIdOf, type VerifyingKey, verifyingKeySchema } from './verifying-key.ts';

const MAX_ARTIFACT_LENGTH = 256 * 1024 * 1024;
/** Artifacts have megabytes: pieces of the default, 16 KiB, take twice the time. */
const PIECE_LENGTH = 1024 * 1024;
const decompress = promisify(brotliDecompress);

/** What proving with one circuit needs. */
export const CIRCUIT_FILES = ['provingKey', 'witnessProgram', 'verifyingKey'] as const;
export type CircuitFile = (typeof CIRCUIT_FILES)[number];
/** Paths of the files of one circuit. */
export type CircuitPaths = Readonly<Record<CircuitFile, string>>;

/** Names inside an artifacts directory. What ends in `.br` is compressed with Brotli, to a third of its size. */
export function artifactNames(size: CircuitSize): CircuitPaths {
  const name = circuitName(size);
  return { provingKey: `${name}.zkey.br`, witnessProgram: `${name}.wasm.br`, verifyingKey: `${name}.vkey.json` };
}

export const MANIFEST_FILE = 'manifest.json';

/**
 * The directory with the artifacts of the development ceremony that come with this package.
 * @throws Error that says what to do in a CommonJS bundle, which has none
 */
export function bundledArtifacts(): string {
  return fileURLToPath(fileBeside(import.meta.url, 'artifacts'));
}

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

export const manifestSchema = z.strictObject({
  guestId: z.templateLiteral(['0x', sha256Hex]),
  /** `development`: made with public randomness, so that anyone can forge proofs for it. */
  ceremony: z.enum(['development', 'production']),
  /** SHA-256 of every file of the artifacts, by name; of the content, not of its compressed form. */
  files: z.record(z.string(), sha256Hex),
});

export type Manifest = z.infer<typeof manifestSchema>;

export interface Artifacts {
  readonly manifest: Manifest;
  /** In the order of `CIRCUIT_SIZES`. */
  readonly verifyingKeys: readonly VerifyingKey[];
  /** The files of the circuit of a size. */
  paths(size: CircuitSize): CircuitPaths;
}

/** The manifest alone, unchecked against the files. Throws when it cannot be read or is none. */
export async function readManifest(directory: string): Promise<Manifest> {
  return manifestSchema.parse(JSON.parse(await readFile(join(directory, MANIFEST_FILE), 'utf8')));
}

/** The first file that artifacts of this version have and `manifest` does not list; null if it lists all. */
export function unlistedFile({ files }: Manifest): string | null {
  const names = CIRCUIT_SIZES.flatMap((size) => CIRCUIT_FILES.map((role) => artifactNames(size)[role]));
  return names.find((name) => files[name] === undefined) ?? null;
}

/**
 * Reads manifest and verifying keys of `directory` and checks the hash of every file. Throws an `Error` that names the file
 * and the command that restores it.
 */
export async function loadArtifacts(directory: string): Promise<Artifacts> {
  const manifest = await readManifest(directory);
  const unlisted = unlistedFile(manifest);
  if (unlisted !== null) {
    throw new Error(
      `${join(directory, MANIFEST_FILE)} does not list ${unlisted}: the artifacts are those of another version. Run a ceremony for this one.`,
    );
  }
  const verifyingKeys: VerifyingKey[] = [];
  for (const size of CIRCUIT_SIZES) {
    const names = artifactNames(size);
    for (const role of CIRCUIT_FILES) {
      const path = join(directory, names[role]);
      const content = await readArtifact(path);
      if (sha256(content) !== manifest.files[names[role]]) {
        throw new Error(`${path} does not have the hash of its manifest. Restore it, or run \`npm run zk:setup\`.`);
      }
      if (role === 'verifyingKey') verifyingKeys.push(parseVerifyingKey(content));
    }
  }
  if (guestIdOf(verifyingKeys) !== manifest.guestId) {
    throw new Error(`${join(directory, MANIFEST_FILE)} and the verifying keys have different guest ids.`);
  }
  return {
    manifest,
    verifyingKeys,
    paths: (size) => within(directory, artifactNames(size)),
  };
}

/** The files of a circuit, named `names`, in `directory`. */
export function within(directory: string, { provingKey, witnessProgram, verifyingKey }: CircuitPaths): CircuitPaths {
  const at = (name: string) => join(directory, name);
  return { provingKey: at(provingKey), witnessProgram: at(witnessProgram), verifyingKey: at(verifyingKey) };
}

/** Throws if `content` is no verifying key of snarkjs for BN254. */
export function parseVerifyingKey(content: Uint8Array): VerifyingKey {
  return verifyingKeySchema.parse(JSON.parse(Buffer.from(content).toString('utf8')));
}

/** The content of an artifact. Throws when it is damaged, or larger than any of ours. */
export async function readArtifact(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path);
  return path.endsWith('.br')
    ? decompress(bytes, { maxOutputLength: MAX_ARTIFACT_LENGTH, chunkSize: PIECE_LENGTH })
    : bytes;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
