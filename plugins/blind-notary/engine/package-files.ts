/** Finds the engine's package and makes sure that it is the build that was examined. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A package with an engine. */
export type EnginePackage = '@csfloat/tlsn-wasm' | 'tlsn-wasm';

interface Build {
  readonly version: string;
  readonly sha256: Readonly<Record<'tlsn_wasm_bg.wasm' | 'tlsn_wasm.js', string>>;
}

/**
 * TLSNotary's builds for browsers. Prover and verifier of one session must have the same build, and other builds have other
 * flaws, so nothing else is loaded.
 */
const BUILDS: Readonly<Record<EnginePackage, Build>> = {
  // For Credence's own provers and notaries.
  '@csfloat/tlsn-wasm': {
    version: '0.1.0-alpha.14',
    sha256: {
      'tlsn_wasm_bg.wasm': '65da9b8130222442e1d7d24827affcb9f68e9114740c8556b94d5277d5ef633e',
      'tlsn_wasm.js': '569ee3fdad42d25e57819af57e3dd9dd50ea388017c237de84b16b5bb3ffe4db',
    },
  },
  // For stock provers of others, which have the last build that asks for attestations.
  'tlsn-wasm': {
    version: '0.1.0-alpha.12',
    sha256: {
      'tlsn_wasm_bg.wasm': 'f77fadf47ed8c3bfb0932041b280f834940ecf1a64b491f8658d789717588716',
      'tlsn_wasm.js': 'f497754ba69a960196f8c43a751b9d04eb8d29849e5e161e8bf09cb18cbccb21',
    },
  },
};

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

const found = new Map<EnginePackage, EngineFiles>();

/**
 * The files of a pinned package. Hashes 16 MB once for each process.
 * @throws UnknownEngineError if its bytes are not those of the pinned build
 */
export function engineFiles(name: EnginePackage = '@csfloat/tlsn-wasm'): EngineFiles {
  const known = found.get(name);
  if (known !== undefined) return known;
  const { version, sha256 } = BUILDS[name];
  const folder = dirname(createRequire(import.meta.url).resolve(name));
  for (const [file, expected] of Object.entries(sha256)) {
    const actual = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    if (actual === expected) continue;
    throw new UnknownEngineError(
      `${file} of the package ${name} is not the build that Credence was made for. Install exactly ${version}: npm install ${name}@${version}`,
    );
  }
  const files = { glue: join(folder, 'tlsn_wasm.js'), program: join(folder, 'tlsn_wasm_bg.wasm') };
  found.set(name, files);
  return files;
}
