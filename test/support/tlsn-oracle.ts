/**
 * The official verifier, `tlsn-wasm`, as a test oracle. It trusts only its built-in roots. So that it can judge proofs
 * of our test CA, one of these roots is replaced by ours in the loaded bytes. No file is changed.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { rootCertificates } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { encodeName, type IssuedCertificate, issueRoot, newKey } from './test-ca.ts';

type OfficialModule = typeof import('tlsn-wasm');
type OfficialOutput = ReturnType<ReturnType<OfficialModule['Presentation']['deserialize']>['verify']>;

export type OracleVerdict =
  | { readonly accepted: true; readonly output: OfficialOutput }
  | { readonly accepted: false; readonly reason: string };

export type Oracle = (presentation: Uint8Array) => Promise<OracleVerdict>;

const REPLACED = { country: 'US', organisation: 'Internet Security Research Group', commonName: 'ISRG Root X2' };

/** A root that takes the place of a built-in one: same key type, a name of the same length. */
export function issueOracleRoot(): IssuedCertificate {
  const subject = { country: 'ZZ', organisation: 'Credence test root - not trusted', commonName: 'Test Root 01' };
  return issueRoot({ subject, key: newKey('p384') });
}

let instances = 0;

/** @param root from `issueOracleRoot`. */
export function createOracle(root: IssuedCertificate): Oracle {
  const script = createRequire(import.meta.url).resolve('tlsn-wasm/tlsn_wasm.js');
  const program = patched(readFileSync(script.replace('.js', '_bg.wasm')), root);
  let loaded: Promise<OfficialModule> | undefined;
  // The package expects a worker's globals.
  Object.assign(globalThis, { self: globalThis, addEventListener: () => {} });

  const load = async () => {
    const module: OfficialModule = await import(`${pathToFileURL(script).href}?instance=${instances++}`);
    module.initSync({ module: program });
    return module;
  };
  return async (presentation) => {
    loaded ??= load();
    const module = await loaded;
    try {
      return { accepted: true, output: module.Presentation.deserialize(presentation).verify() };
    } catch (error) {
      // After a trap the instance is unusable: the next question gets a new one.
      if (error instanceof Error && error.name === 'RuntimeError') loaded = undefined;
      return { accepted: false, reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

function patched(program: Buffer, root: IssuedCertificate): Buffer {
  const replaced = rootCertificates
    .map((pem) => new X509Certificate(pem))
    .find((certificate) => certificate.subject.includes(REPLACED.commonName));
  if (replaced === undefined) throw new Error('The built-in root to be replaced is gone');
  swap(program, encodeName(REPLACED).subarray(2), encodeName(root.subject).subarray(2));
  swap(program, point(replaced), point(new X509Certificate(root.der)));
  return program;
}

function point(certificate: X509Certificate): Uint8Array {
  return certificate.publicKey.export({ type: 'spki', format: 'der' }).subarray(-97);
}

function swap(program: Buffer, from: Uint8Array, to: Uint8Array): void {
  const at = program.indexOf(from);
  if (at === -1 || from.length !== to.length) throw new Error('The root cannot be replaced');
  program.set(to, at);
}
