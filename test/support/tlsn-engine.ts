/**
 * The real engine of MPC-TLS with our test root in the place of one that is built in. The package is not changed: the altered
 * program is a file of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMpcProver, createMpcVerifier } from '../../plugins/blind-notary/engine/engine.ts';
import { type EngineFiles, type EnginePackage, engineFiles } from '../../plugins/blind-notary/engine/package-files.ts';
import type { MpcProver, MpcVerifier } from '../../plugins/blind-notary/mpc-tls.ts';
import { newFolder } from './new-folder.ts';
import { withRoot } from './replaced-root.ts';
import type { IssuedCertificate } from './test-ca.ts';

/** @param root from `issueOracleRoot` */
export function realEngines(root: IssuedCertificate): { verifier: MpcVerifier; prover: () => MpcProver } {
  const files = alteredFiles(root, '@csfloat/tlsn-wasm');
  return {
    verifier: createMpcVerifier({ memoryMiB: 1_024 }, () => files),
    prover: () => createMpcProver({ memoryMiB: 1_024 }, () => files),
  };
}

/** The notary's half of sessions with stock provers. @param root from `issueOracleRoot` */
export function realStockVerifier(root: IssuedCertificate): MpcVerifier {
  const files = alteredFiles(root, 'tlsn-wasm');
  return createMpcVerifier({ memoryMiB: 1_024 }, () => files);
}

function alteredFiles(root: IssuedCertificate, name: EnginePackage): EngineFiles {
  const { glue, program } = engineFiles(name);
  const path = join(newFolder(), 'engine.wasm');
  writeFileSync(path, withRoot(readFileSync(program), root));
  return { glue, program: path };
}
