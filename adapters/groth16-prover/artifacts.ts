/** The files that proving needs, and the manifest that says what they are and how they came to be. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { z } from 'zod';
import { guestIdOf, type VerifyingKey, verifyingKeySchema } from './verifying-key.ts';

const CIRCUIT = 'attested-values';
const MAX_ARTIFACT_LENGTH = 256 * 1024 * 1024;
const decompress = promisify(brotliDecompress);

/** Names inside an artifacts directory. What ends in `.br` is compressed with Brotli, to a third of its size. */
export const ARTIFACT_FILES = {
  provingKey: `${CIRCUIT}.zkey.br`,
  witnessProgram: `${CIRCUIT}.wasm.br`,
  verifyingKey: 'verification-key.json',
} as const;

export const MANIFEST_FILE = 'manifest.json';

/** The artifacts of the development ceremony that come with this package. */
export const BUNDLED_ARTIFACTS = fileURLToPath(new URL('./artifacts', import.meta.url));

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
  readonly verifyingKey: VerifyingKey;
  readonly paths: Readonly<Record<keyof typeof ARTIFACT_FILES, string>>;
}

/** The manifest alone, unchecked against the files. Throws when it cannot be read or is none. */
export async function readManifest(directory: string): Promise<Manifest> {
  return manifestSchema.parse(JSON.parse(await readFile(join(directory, MANIFEST_FILE), 'utf8')));
}

/**
 * Reads manifest and verifying key of `directory` and checks the hash of every file. Throws an `Error` that names the file
 * and the command that restores it.
 */
export async function loadArtifacts(directory: string): Promise<Artifacts> {
  const path = (name: string) => join(directory, name);
  const manifest = await readManifest(directory);
  for (const name of Object.values(ARTIFACT_FILES)) {
    const found = sha256(await readArtifact(path(name)));
    if (found !== manifest.files[name]) {
      throw new Error(`${path(name)} does not have the hash of its manifest. Restore it, or run \`npm run zk:setup\`.`);
    }
  }
  const verifyingKey = verifyingKeySchema.parse(JSON.parse(await readFile(path(ARTIFACT_FILES.verifyingKey), 'utf8')));
  if (guestIdOf(verifyingKey) !== manifest.guestId) {
    throw new Error(`${path(MANIFEST_FILE)} and the verifying key have different guest ids.`);
  }
  return {
    manifest,
    verifyingKey,
    paths: {
      provingKey: path(ARTIFACT_FILES.provingKey),
      witnessProgram: path(ARTIFACT_FILES.witnessProgram),
      verifyingKey: path(ARTIFACT_FILES.verifyingKey),
    },
  };
}

/** The content of an artifact. Throws when it is damaged, or larger than any of ours. */
export async function readArtifact(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path);
  return path.endsWith('.br') ? decompress(bytes, { maxOutputLength: MAX_ARTIFACT_LENGTH }) : bytes;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
