/**
 * The real engine of MPC-TLS with our test root in the place of one that is built in. The package is not changed: the altered
 * program is a file of its own.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngineProver, createEngineVerifier } from '../../adapters/mpc-engine/engine.ts';
import { type EngineFiles, engineFiles } from '../../adapters/mpc-engine/package-files.ts';
import type { MpcProver, MpcVerifier } from '../../core/ports/mpc-tls.ts';
import { withRoot } from './replaced-root.ts';
import type { IssuedCertificate } from './test-ca.ts';

/** @param root from `issueOracleRoot` */
export function realEngines(root: IssuedCertificate): { verifier: MpcVerifier; prover: () => MpcProver } {
  const files = alteredFiles(root);
  return {
    verifier: createEngineVerifier({}, () => files),
    prover: () => createEngineProver({}, () => files),
  };
}

function alteredFiles(root: IssuedCertificate): EngineFiles {
  const { glue, program } = engineFiles();
  const path = join(mkdtempSync(join(tmpdir(), 'credence-engine-')), 'engine.wasm');
  writeFileSync(path, withRoot(readFileSync(program), root));
  return { glue, program: path };
}
