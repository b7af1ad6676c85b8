import {
  checkNested,
  type DerElement,
  DerError,
  expectTag,
  hex,
  readBitString,
  readElements,
  readNonNegative,
  readSingle,
  TAG,
} from './der.ts';
import { type Extensions, readExtensions } from './extensions.ts';
import { checkPublicKey } from './public-key.ts';
import { rootParts, SUBJECT } from './root.ts';
import { readValidity, type Validity } from './validity.ts';

/** What the chain rules look at and Node's `X509Certificate` does not give. Names are raw DER, as they are compared. */
export interface CertificateProfile extends Validity, Extensions {
  readonly issuer: string;
  readonly subject: string;
  /** The SubjectPublicKeyInfo, raw DER in hex. */
  readonly publicKey: string;
}

export const SERVER_AUTH_OID = '2b06010505070301';

const pss = (hash: string, salt: string) =>
  `06092a864886f70d01010a3034a00f300d0609608648016503040${hash}0500a11c301a06092a864886f70d010108300d0609608648016503040${hash}0500a2030201${salt}`;

/** Contents of the algorithm identifiers that certificates may be signed with: no SHA-1, no ECDSA with SHA-512. */
const SIGNATURE_ALGORITHMS: ReadonlySet<string> = new Set([
  '06082a8648ce3d040302', // ECDSA with SHA-256
  '06082a8648ce3d040303', // ECDSA with SHA-384
  '06032b6570', // Ed25519
  // RSA PKCS#1 with SHA-256, SHA-384 and SHA-512; their parameters are NULL or absent (RFC 4055 section 5).
  ...['0b', '0c', '0d'].flatMap((hash) => [`06092a864886f70d0101${hash}0500`, `06092a864886f70d0101${hash}`]),
  pss('201', '20'), // RSA-PSS with SHA-256
  pss('202', '30'), // RSA-PSS with SHA-384
  pss('203', '40'), // RSA-PSS with SHA-512
]);

/** Bytes of a serial number (RFC 5280 section 4.1.2.2), without a sign byte. */
const MAX_SERIAL_LENGTH = 20;

/**
 * Reads a leaf or intermediate certificate and refuses what no chain may contain, no matter which authority issued it:
 * - versions other than 3, serial numbers out of range, unique ids;
 * - weak or inconsistent signature algorithms, other kinds or encodings of keys;
 * - repeated or unknown critical extensions, name constraints (those of roots are read elsewhere).
 *
 * It refuses whatever the official verifier refuses, but for RSA identifiers without parameters.
 * @throws DerError with a reason that may be shown.
 */
export function readProfile(der: Uint8Array): CertificateProfile {
  const certificate = readSingle(der, TAG.sequence);
  checkNested(certificate);
  const [tbs, outerAlgorithm, signature, ...rest] = readElements(certificate.content);
  if (rest.length > 0) throw new DerError('unexpected parts');
  readBitString(signature);
  const [version, serial, innerAlgorithm, issuer, validity, subject, key, extensions, ...surplus] = readElements(
    expectTag(tbs, TAG.sequence).content,
  );
  if (hex(expectTag(version, TAG.context0).content) !== '020102') throw new DerError('it is not of version 3');
  checkSerial(readNonNegative(serial));
  const algorithm = hex(expectTag(innerAlgorithm, TAG.sequence).content);
  if (algorithm !== hex(expectTag(outerAlgorithm, TAG.sequence).content)) {
    throw new DerError('it names two signature algorithms');
  }
  if (!SIGNATURE_ALGORITHMS.has(algorithm)) throw new DerError('its signature algorithm is not supported');
  checkPublicKey(key);
  // Unique ids (`[1]`, `[2]`) would stand where the extensions are expected.
  if (surplus.length > 0) throw new DerError('unexpected parts');
  return {
    issuer: readName(issuer),
    subject: readName(subject),
    publicKey: hex(expectTag(key, TAG.sequence).whole),
    ...readValidity(validity),
    ...readExtensions(extensions),
  };
}

/** A distinguished name in hex: sets of pairs of an OID and a value. @throws DerError for other structures. */
function readName(element: DerElement | undefined): string {
  const { content, whole } = expectTag(element, TAG.sequence);
  for (const set of readElements(content)) {
    const pairs = readElements(expectTag(set, TAG.set).content);
    if (pairs.length === 0) throw new DerError('a name is malformed');
    for (const pair of pairs) {
      const [type, value, ...rest] = readElements(expectTag(pair, TAG.sequence).content);
      expectTag(type, TAG.oid);
      if (value === undefined || rest.length > 0) throw new DerError('a name is malformed');
    }
  }
  return hex(whole);
}

/** The subject of any certificate, roots of version 1 too, as raw DER in hex. @throws DerError */
export function readSubject(der: Uint8Array): string {
  return hex(expectTag(rootParts(der)[SUBJECT], TAG.sequence).whole);
}

function checkSerial(serial: Uint8Array): void {
  if (serial.length > MAX_SERIAL_LENGTH) throw new DerError('its serial number is too long');
  if (serial.length === 1 && serial[0] === 0) throw new DerError('its serial number is zero');
}
