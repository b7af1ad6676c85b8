/**
 * The real engine of MPC-TLS with our test root in the place of one that is built in. The package is not changed: the altered
 * program is a file of its own.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { createEngineProver, createEngineVerifier } from '../../adapters/mpc-engine/engine.ts';
import { type EngineFiles, engineFiles } from '../../adapters/mpc-engine/package-files.ts';
import type { MpcProver, MpcVerifier } from '../../core/ports/mpc-tls.ts';
import { encodeName, type IssuedCertificate } from './test-ca.ts';

const REPLACED = { country: 'US', organisation: 'Internet Security Research Group', commonName: 'ISRG Root X2' };

/** @param root from `issueOracleRoot` */
export function realEngines(root: IssuedCertificate): { verifier: MpcVerifier; prover: () => MpcProver } {
  const files = withRoot(root);
  return {
    verifier: createEngineVerifier({}, () => files),
    prover: () => createEngineProver({}, () => files),
  };
}

function withRoot(root: IssuedCertificate): EngineFiles {
  const { glue, program } = engineFiles();
  const bytes = readFileSync(program);
  const replaced = rootCertificates
    .map((pem) => new X509Certificate(pem))
    .find((certificate) => certificate.subject.includes(REPLACED.commonName));
  if (replaced === undefined) throw new Error('The built-in root to be replaced is gone');
  swapAll(bytes, encodeName(REPLACED).subarray(2), encodeName(root.subject).subarray(2));
  swapAll(bytes, point(replaced), point(new X509Certificate(root.der)));
  const path = join(mkdtempSync(join(tmpdir(), 'credence-engine-')), 'engine.wasm');
  writeFileSync(path, bytes);
  return { glue, program: path };
}

function point(certificate: X509Certificate): Uint8Array {
  return certificate.publicKey.export({ type: 'spki', format: 'der' }).subarray(-97);
}

/** The program holds whole certificates, so a name is there as subject and as issuer. */
function swapAll(bytes: Buffer, from: Uint8Array, to: Uint8Array): void {
  let at = bytes.indexOf(from);
  if (at === -1 || from.length !== to.length) throw new Error('The root cannot be replaced');
  for (; at !== -1; at = bytes.indexOf(from, at + 1)) bytes.set(to, at);
}
