/** Our test root in the place of one that is built into TLSNotary's programs: they trust no other roots. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { encodeName, type IssuedCertificate, issueRoot, newKey } from './test-ca.ts';

const REPLACED = { country: 'US', organisation: 'Internet Security Research Group', commonName: 'ISRG Root X2' };

/** A root that takes the place of a built-in one: same key type, a name of the same length. */
export function issueOracleRoot(): IssuedCertificate {
  const subject = { country: 'ZZ', organisation: 'Credence test root - not trusted', commonName: 'Test Root 01' };
  return issueRoot({ subject, key: newKey('p384') });
}

/** Changes the loaded bytes of a program, and returns them. @param root from `issueOracleRoot` */
export function withRoot(program: Buffer, root: IssuedCertificate): Buffer {
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

/** Everywhere: a program that holds whole certificates has a name as subject and as issuer. */
function swap(program: Buffer, from: Uint8Array, to: Uint8Array): void {
  let at = program.indexOf(from);
  if (at === -1 || from.length !== to.length) throw new Error('The root cannot be replaced');
  for (; at !== -1; at = program.indexOf(from, at + 1)) program.set(to, at);
}
