/** Finds the engine's package and makes sure that it is the build that was examined. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../package-loader/index.ts';

/**
 * TLSNotary's browser build of 0.1.0-alpha.14. Prover and verifier of one session must have the same build, and other builds
 * have other flaws, so nothing else is loaded.
 */
const SHA256 = {
  'tlsn_wasm_bg.wasm': '65da9b8130222442e1d7d24827affcb9f68e9114740c8556b94d5277d5ef633e',
  'tlsn_wasm.js': '569ee3fdad42d25e57819af57e3dd9dd50ea388017c237de84b16b5bb3ffe4db',
} as const;

/** The two files of the engine, as absolute paths. */
export interface EngineFiles {
  /** JavaScript that binds the program to its host. */
  readonly glue: string;
  readonly program: string;
}

/** The installed package is not the pinned build. */
export class UnknownEngineError extends Error {
  override readonly name = 'UnknownEngineError';
}

let found: EngineFiles | undefined;

/**
 * The files of the pinned package. Hashes 16 MB once for each process.
 * @throws MissingPackageError if it is not installed
 * @throws UnknownEngineError if its bytes are not those of the pinned build
 */
export function engineFiles(): EngineFiles {
  if (found !== undefined) return found;
  const folder = packageFolder('@csfloat/tlsn-wasm', 'A blind notary');
  for (const [name, expected] of Object.entries(SHA256)) {
    const actual = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (actual === expected) continue;
    throw new UnknownEngineError(
      `${name} of the package @csfloat/tlsn-wasm is not the build that Credence was made for. Install exactly 0.1.0-alpha.14: npm install @csfloat/tlsn-wasm@0.1.0-alpha.14`,
    );
  }
  found = { glue: join(folder, 'tlsn_wasm.js'), program: join(folder, 'tlsn_wasm_bg.wasm') };
  return found;
}
