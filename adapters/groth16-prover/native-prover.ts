/** Proves with rapidsnark, a program that the operator installs: the same key, the same witness, several times as fast. */

import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { NativeProver, ProvenStatement } from './proving-messages.ts';

const run = promisify(execFile);

/** A proof has one kilobyte, and a public input at most 78 digits. */
const MAX_OUTPUT_LENGTH = 64 * 1024;

const integer = z.string().regex(/^[0-9]{1,78}$/);
const proofSchema = z.object({
  pi_a: z.tuple([integer, integer], integer),
  pi_b: z.tuple([z.tuple([integer, integer]), z.tuple([integer, integer])], z.unknown()),
  pi_c: z.tuple([integer, integer], integer),
});
const publicSignalsSchema = z.array(integer).max(64);

const keys = new Map<string, Promise<string>>();

/** Writes the key, which was read from `source`, where the program finds it, once. Resolves to its path. */
export function writeKey(directory: string, source: string, key: Uint8Array): Promise<string> {
  const path = join(directory, `${basename(source)}.zkey`);
  const known = keys.get(path);
  if (known !== undefined) return known;
  const written = writeFile(path, key, { mode: 0o600 }).then(() => path);
  keys.set(path, written);
  // The disk may have room again at the next proof.
  written.catch(() => keys.delete(path));
  return written;
}

/**
 * Runs `<program> <key> <witness> <proof.json> <public.json>`. Rejects if it fails, prints or writes more than a proof needs, or
 * writes what is none. Whether the proof holds is for the caller to check. Its time is bounded from outside, by ending this
 * process and everything that it started.
 */
export async function proveNatively(
  { program, directory }: NativeProver,
  { source, key }: { readonly source: string; readonly key: Uint8Array },
  witness: Uint8Array,
): Promise<ProvenStatement> {
  const keyPath = await writeKey(directory, source, key);
  const place = await mkdtemp(join(directory, 'proof-'));
  try {
    const [witnessPath, proofPath, publicPath] = ['witness.wtns', 'proof.json', 'public.json'].map((name) =>
      join(place, name),
    ) as [string, string, string];
    await writeFile(witnessPath, witness, { mode: 0o600 });
    await run(program, [keyPath, witnessPath, proofPath, publicPath], {
      cwd: place,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_LENGTH,
    });
    return {
      proof: proofSchema.parse(await readJson(proofPath)),
      publicSignals: publicSignalsSchema.parse(await readJson(publicPath)),
    };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function readJson(path: string): Promise<unknown> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(MAX_OUTPUT_LENGTH + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MAX_OUTPUT_LENGTH) throw new Error('the prover wrote more than a proof');
    return JSON.parse(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}
