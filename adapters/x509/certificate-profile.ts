import { checkNested, type DerElement, DerError, expectTag, readElements, readSingle, TAG } from './der.ts';

/** What the chain rules look at and Node's `X509Certificate` does not give. Names are raw DER, as they are compared. */
export interface CertificateProfile {
  readonly issuer: string;
  readonly subject: string;
  /** Unix seconds, both inclusive. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly ca: boolean;
  readonly pathLength: number | undefined;
  /** OIDs in hex; undefined when the extension is absent. */
  readonly extendedKeyUsage: readonly string[] | undefined;
}

const OID = {
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  extendedKeyUsage: '551d25',
} as const;
/** Understood here or by the other checks; any other critical extension refuses the certificate. */
const UNDERSTOOD: readonly string[] = [OID.keyUsage, OID.subjectAltName, OID.basicConstraints, OID.extendedKeyUsage];
export const SERVER_AUTH_OID = '2b06010505070301';

const pss = (hash: string, salt: string) =>
  `06092a864886f70d01010a3034a00f300d0609608648016503040${hash}0500a11c301a06092a864886f70d010108300d0609608648016503040${hash}0500a2030201${salt}`;

/** Contents of the algorithm identifiers that certificates may be signed with: no SHA-1, no ECDSA with SHA-512. */
const SIGNATURE_ALGORITHMS: ReadonlySet<string> = new Set([
  '06082a8648ce3d040302', // ECDSA with SHA-256
  '06082a8648ce3d040303', // ECDSA with SHA-384
  '06032b6570', // Ed25519
  '06092a864886f70d01010b0500', // RSA PKCS#1 with SHA-256
  '06092a864886f70d01010c0500', // RSA PKCS#1 with SHA-384
  '06092a864886f70d01010d0500', // RSA PKCS#1 with SHA-512
  pss('201', '20'), // RSA-PSS with SHA-256
  pss('202', '30'), // RSA-PSS with SHA-384
  pss('203', '40'), // RSA-PSS with SHA-512
]);

/** Contents of the algorithm identifiers of public keys: RSA, P-256, P-384, Ed25519. */
const KEY_ALGORITHMS: ReadonlySet<string> = new Set([
  '06092a864886f70d0101010500',
  '06072a8648ce3d020106082a8648ce3d030107',
  '06072a8648ce3d020106052b81040022',
  '06032b6570',
]);

/**
 * Reads a leaf or intermediate certificate and refuses what no chain may contain, whoever issued it: other versions than
 * 3, weak or inconsistent signature algorithms, other kinds of keys, repeated or unknown critical extensions, name
 * constraints.
 * @throws DerError with a reason that may be shown.
 */
export function readProfile(der: Uint8Array): CertificateProfile {
  const certificate = readSingle(der, TAG.sequence);
  checkNested(certificate);
  const [tbs, outerAlgorithm, signature, ...rest] = readElements(certificate.content);
  if (rest.length > 0) throw new DerError('unexpected parts');
  expectTag(signature, TAG.bitString);
  const [version, serial, innerAlgorithm, issuer, validity, subject, key, ...optional] = readElements(
    expectTag(tbs, TAG.sequence).content,
  );
  if (hex(expectTag(version, TAG.context0).content) !== '020102') throw new DerError('it is not of version 3');
  expectTag(serial, TAG.integer);
  const algorithm = hex(expectTag(innerAlgorithm, TAG.sequence).content);
  if (algorithm !== hex(expectTag(outerAlgorithm, TAG.sequence).content)) {
    throw new DerError('it names two signature algorithms');
  }
  if (!SIGNATURE_ALGORITHMS.has(algorithm)) throw new DerError('its signature algorithm is not supported');
  const [keyAlgorithm] = readElements(expectTag(key, TAG.sequence).content);
  if (!KEY_ALGORITHMS.has(hex(expectTag(keyAlgorithm, TAG.sequence).content))) {
    throw new DerError('its kind of key is not supported');
  }
  const [notBefore, notAfter] = readElements(expectTag(validity, TAG.sequence).content);
  const extensions = readExtensions(optional);
  return {
    issuer: hex(expectTag(issuer, TAG.sequence).whole),
    subject: hex(expectTag(subject, TAG.sequence).whole),
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    ...readBasicConstraints(extensions.get(OID.basicConstraints)),
    extendedKeyUsage: readExtendedKeyUsage(extensions.get(OID.extendedKeyUsage)),
  };
}

/** The subject of any certificate, roots of version 1 too, as raw DER in hex. @throws DerError */
export function readSubject(der: Uint8Array): string {
  const [tbs] = readElements(readSingle(der, TAG.sequence).content);
  const parts = readElements(expectTag(tbs, TAG.sequence).content);
  const first = parts[0]?.tag === TAG.context0 ? 1 : 0;
  return hex(expectTag(parts[first + 4], TAG.sequence).whole);
}

function readExtensions(optional: readonly DerElement[]): Map<string, Uint8Array> {
  const values = new Map<string, Uint8Array>();
  const wrapper = optional.find((part) => part.tag === TAG.context3);
  if (wrapper === undefined) return values;
  for (const extension of readElements(readSingle(wrapper.content, TAG.sequence).content)) {
    const parts = readElements(expectTag(extension, TAG.sequence).content);
    const oid = hex(expectTag(parts[0], TAG.oid).content);
    const flagged = parts[1]?.tag === TAG.boolean;
    if (flagged && hex(parts[1]?.content ?? new Uint8Array()) !== 'ff') throw new DerError('a boolean is malformed');
    const value = expectTag(parts[flagged ? 2 : 1], TAG.octetString).content;
    if (parts.length !== (flagged ? 3 : 2)) throw new DerError('an extension is malformed');
    if (values.has(oid)) throw new DerError('it repeats an extension');
    if (oid === OID.nameConstraints) throw new DerError('it has name constraints, which are not supported');
    if (flagged && !UNDERSTOOD.includes(oid)) throw new DerError('it has an unknown critical extension');
    values.set(oid, value);
  }
  return values;
}

function readBasicConstraints(value: Uint8Array | undefined): { ca: boolean; pathLength: number | undefined } {
  if (value === undefined) return { ca: false, pathLength: undefined };
  const parts = readElements(readSingle(value, TAG.sequence).content);
  const ca = parts[0]?.tag === TAG.boolean ? parts.shift() : undefined;
  if (ca !== undefined && hex(ca.content) !== 'ff') throw new DerError('its basic constraints are malformed');
  const length = parts.shift();
  if (parts.length > 0) throw new DerError('its basic constraints are malformed');
  if (length === undefined) return { ca: ca !== undefined, pathLength: undefined };
  const { content } = expectTag(length, TAG.integer);
  const pathLength = content[0];
  if (content.length !== 1 || pathLength === undefined || pathLength > 0x7f) {
    throw new DerError('its path length is malformed');
  }
  return { ca: ca !== undefined, pathLength };
}

function readExtendedKeyUsage(value: Uint8Array | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  return readElements(readSingle(value, TAG.sequence).content).map((oid) => hex(expectTag(oid, TAG.oid).content));
}

function readTime(element: DerElement | undefined): number {
  const text = String.fromCharCode(...(element?.content ?? []));
  const short = element?.tag === TAG.utcTime;
  if (!short && element?.tag !== TAG.generalizedTime) throw new DerError('its validity is malformed');
  const match = (
    short ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/ : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/
  ).exec(text);
  if (match === null) throw new DerError('its validity is malformed');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const fullYear = short ? (year < 50 ? 2000 + year : 1900 + year) : year;
  const time = new Date(0);
  time.setUTCFullYear(fullYear, month - 1, day);
  time.setUTCHours(hour, minute, second);
  const canonical = time
    .toISOString()
    .replace(/\D/g, '')
    .slice(short ? 2 : 0, 14);
  if (canonical !== match.slice(1).join('')) throw new DerError('its validity is not a date');
  return time.getTime() / 1000;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
