/**
 * A certificate authority for tests: issues X.509 certificates, sound ones and ones with a single fault. Nothing here
 * is trusted by anyone; tests hand the root to the code under test.
 */
import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  type SigningOptions,
  sign,
} from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

export type KeyKind = 'rsa' | 'rsa-1024' | 'p256' | 'p384' | 'p521' | 'ed25519';
export type CertificateSignature = keyof typeof ALGORITHM_OID;

export interface CertificateName {
  readonly country?: string;
  readonly organisation?: string;
  readonly commonName: string;
}

export interface IssuedCertificate {
  readonly subject: CertificateName;
  readonly der: Uint8Array;
  readonly pem: string;
  readonly privateKey: KeyObject;
  /** PKCS#8, for `https.createServer({ key })`. */
  readonly keyPem: string;
}

/** A tag of a general name (RFC 5280 section 4.2.1.6) without its class, with text or bytes. */
export type GeneralName = readonly [type: 0 | 1 | 2 | 4 | 6 | 7 | 8, value: string | Uint8Array];

export interface NameConstraints {
  readonly permitted?: readonly GeneralName[];
  readonly excluded?: readonly GeneralName[];
  readonly critical?: boolean;
}

export interface IssueOptions {
  readonly subject: CertificateName;
  /** Made when not given: P-256. */
  readonly key?: KeyObject;
  /** Missing: self-signed. */
  readonly issuer?: Pick<IssuedCertificate, 'subject' | 'privateKey'>;
  readonly ca?: boolean;
  readonly pathLength?: number;
  /** Basic constraints extension left out altogether. */
  readonly withoutBasicConstraints?: boolean;
  readonly dns?: readonly string[];
  /** OIDs; server authentication for leaves unless told; empty leaves the extension out. */
  readonly extendedKeyUsage?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly signature?: CertificateSignature;
  /** Written into the outer algorithm only, to make both places disagree. */
  readonly outerSignature?: CertificateSignature;
  /** Names that certificates below may and may not have; critical unless told. */
  readonly nameConstraints?: NameConstraints;
  /** The first byte of the bits; an authority signs certificates and lists unless told. */
  readonly keyUsage?: number;
  /** The identifier of an RSA signature has no parameters, not even NULL (RFC 4055 section 5). */
  readonly withoutParameters?: boolean;
  /** Addresses, as bytes, beside the DNS names. */
  readonly addresses?: readonly Uint8Array[];
  readonly unknownCriticalExtension?: boolean;
  /** X.509 v1: no extensions. */
  readonly versionOne?: boolean;
}

export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const ANY_EXTENDED_KEY_USAGE = '2.5.29.37.0';

const DAY = 86_400_000;
const ALGORITHM_OID = {
  'rsa-sha1': '1.2.840.113549.1.1.5',
  'rsa-sha256': '1.2.840.113549.1.1.11',
  'rsa-sha384': '1.2.840.113549.1.1.12',
  'rsa-sha512': '1.2.840.113549.1.1.13',
  'rsa-pss-sha256': '1.2.840.113549.1.1.10',
  'ecdsa-sha1': '1.2.840.10045.4.1',
  'ecdsa-sha256': '1.2.840.10045.4.3.2',
  'ecdsa-sha384': '1.2.840.10045.4.3.3',
  'ecdsa-sha512': '1.2.840.10045.4.3.4',
  ed25519: '1.3.101.112',
} as const;

const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
const NEW_KEY: Readonly<Record<KeyKind, () => KeyObject>> = {
  rsa: () => rsa(2048),
  'rsa-1024': () => rsa(1024),
  p256: () => ec('prime256v1'),
  p384: () => ec('secp384r1'),
  p521: () => ec('secp521r1'),
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
};

/** A fresh private key. */
export const newKey = (kind: KeyKind): KeyObject => NEW_KEY[kind]();

/** DER of a name, as it is in certificates. */
export function encodeName(name: CertificateName): Uint8Array {
  return new Uint8Array(distinguishedName(name).toSchema().toBER(false));
}

function distinguishedName(name: CertificateName): pkijs.RelativeDistinguishedNames {
  const parts: [string, string | undefined][] = [
    ['2.5.4.6', name.country],
    ['2.5.4.10', name.organisation],
    ['2.5.4.3', name.commonName],
  ];
  // pkijs would put all parts into one set; certificates of public authorities have one set each.
  const sets = parts.flatMap(([type, value]) => {
    if (value === undefined) return [];
    const part = new pkijs.AttributeTypeAndValue({ type, value: new asn1js.PrintableString({ value }) });
    return [new asn1js.Set({ value: [part.toSchema()] })];
  });
  return pkijs.RelativeDistinguishedNames.fromBER(new asn1js.Sequence({ value: sets }).toBER(false));
}

/** One certificate, as told. */
export function issue(options: IssueOptions): IssuedCertificate {
  const privateKey = options.key ?? newKey('p256');
  const issuer = options.issuer ?? { subject: options.subject, privateKey };
  const algorithm = options.signature ?? usualSignature(issuer.privateKey);
  const certificate = new pkijs.Certificate();
  certificate.version = options.versionOne === true ? 0 : 2;
  certificate.serialNumber = new asn1js.Integer({ valueHex: positiveSerial() });
  certificate.issuer = distinguishedName(issuer.subject);
  certificate.subject = distinguishedName(options.subject);
  certificate.notBefore = new pkijs.Time({ type: 0, value: options.notBefore ?? new Date(Date.now() - DAY) });
  certificate.notAfter = new pkijs.Time({ type: 0, value: options.notAfter ?? new Date(Date.now() + 30 * DAY) });
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  certificate.subjectPublicKeyInfo = pkijs.PublicKeyInfo.fromBER(toArrayBuffer(spki));
  if (options.versionOne !== true) certificate.extensions = extensionsOf(options);
  certificate.signature = algorithmIdentifier(algorithm, options.withoutParameters);
  certificate.signatureAlgorithm = algorithmIdentifier(options.outerSignature ?? algorithm, options.withoutParameters);
  certificate.tbsView = new Uint8Array(certificate.encodeTBS().toBER(false));
  const value = signBytes(algorithm, certificate.tbsView, issuer.privateKey);
  certificate.signatureValue = new asn1js.BitString({ valueHex: toArrayBuffer(value) });
  const der = new Uint8Array(certificate.toSchema(false).toBER(false));
  return {
    subject: options.subject,
    der,
    pem: toPem(der),
    privateKey,
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A self-signed CA certificate. */
export function issueRoot(options: Partial<IssueOptions> = {}): IssuedCertificate {
  return issue({ subject: { commonName: 'Test Root' }, key: newKey('p256'), ca: true, ...options });
}

/** A CA certificate below `issuer`. */
export function issueIntermediate(issuer: IssuedCertificate, options: Partial<IssueOptions> = {}): IssuedCertificate {
  return issue({ subject: { commonName: 'Test Intermediate' }, ca: true, issuer, ...options });
}

/** A server certificate for the names, below `issuer`. */
export function issueLeaf(issuer: IssuedCertificate, dns: readonly string[], options: Partial<IssueOptions> = {}) {
  return issue({ subject: { commonName: 'Test Leaf' }, dns, issuer, ...options });
}

export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function extensionsOf(options: IssueOptions): pkijs.Extension[] {
  const extensions: pkijs.Extension[] = [];
  const add = (extnID: string, critical: boolean, value: { toBER(): ArrayBuffer }) =>
    extensions.push(new pkijs.Extension({ extnID, critical, extnValue: value.toBER() }));
  if (options.withoutBasicConstraints !== true && (options.ca !== undefined || options.pathLength !== undefined)) {
    const constraints = new pkijs.BasicConstraints({
      cA: options.ca ?? false,
      ...(options.pathLength === undefined ? {} : { pathLenConstraint: options.pathLength }),
    });
    add('2.5.29.19', true, constraints.toSchema());
  }
  const keyUsage = options.keyUsage ?? (options.ca === true ? 0x06 : undefined);
  if (keyUsage !== undefined)
    add('2.5.29.15', true, new asn1js.BitString({ valueHex: Uint8Array.of(keyUsage).buffer }));
  if (options.dns !== undefined) {
    const dns = options.dns.map((value) => generalName([2, value]));
    const addresses = options.addresses?.map((value) => generalName([7, value])) ?? [];
    add('2.5.29.17', false, new asn1js.Sequence({ value: [...dns, ...addresses] }));
  }
  const usage = options.extendedKeyUsage ?? (options.ca === true ? [] : [SERVER_AUTH]);
  if (usage.length > 0) add('2.5.29.37', false, new pkijs.ExtKeyUsage({ keyPurposes: [...usage] }).toSchema());
  if (options.nameConstraints !== undefined) {
    const { permitted, excluded, critical = true } = options.nameConstraints;
    const value = [permitted, excluded].flatMap((names, tagNumber) => {
      const trees = names?.map((name) => new asn1js.Sequence({ value: [generalName(name)] }));
      return trees === undefined ? [] : [new asn1js.Constructed({ idBlock: { tagClass: 3, tagNumber }, value: trees })];
    });
    add('2.5.29.30', critical, new asn1js.Sequence({ value }));
  }
  if (options.unknownCriticalExtension === true) add('1.3.6.1.4.1.99999.1', true, new asn1js.Null());
  return extensions;
}

function generalName([tagNumber, value]: GeneralName): asn1js.BaseBlock {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  const idBlock = { tagClass: 3, tagNumber };
  // Names of these kinds are structures.
  if (tagNumber === 0 || tagNumber === 4) {
    return new asn1js.Constructed({ idBlock, value: [asn1js.fromBER(toArrayBuffer(bytes)).result] });
  }
  return new asn1js.Primitive({ idBlock, valueHex: toArrayBuffer(bytes) });
}

function usualSignature(key: KeyObject): CertificateSignature {
  if (key.asymmetricKeyType === 'rsa') return 'rsa-sha256';
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  return key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ecdsa-sha384' : 'ecdsa-sha256';
}

function algorithmIdentifier(algorithm: CertificateSignature, withoutParameters = false): pkijs.AlgorithmIdentifier {
  const algorithmId = ALGORITHM_OID[algorithm];
  if (algorithm === 'rsa-pss-sha256') {
    const algorithmParams = new asn1js.Null();
    const sha256 = new pkijs.AlgorithmIdentifier({ algorithmId: '2.16.840.1.101.3.4.2.1', algorithmParams });
    const maskGenAlgorithm = new pkijs.AlgorithmIdentifier({
      algorithmId: '1.2.840.113549.1.1.8',
      algorithmParams: sha256.toSchema(),
    });
    const params = new pkijs.RSASSAPSSParams({ hashAlgorithm: sha256, maskGenAlgorithm, saltLength: 32 });
    return new pkijs.AlgorithmIdentifier({ algorithmId, algorithmParams: params.toSchema() });
  }
  return algorithm.startsWith('rsa') && !withoutParameters
    ? new pkijs.AlgorithmIdentifier({ algorithmId, algorithmParams: new asn1js.Null() })
    : new pkijs.AlgorithmIdentifier({ algorithmId });
}

function signBytes(algorithm: CertificateSignature, bytes: Uint8Array, key: KeyObject): Uint8Array {
  if (algorithm === 'ed25519') return sign(null, bytes, key);
  const digest = algorithm.slice(algorithm.lastIndexOf('-') + 1);
  const pss: SigningOptions = algorithm.startsWith('rsa-pss')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  return sign(digest, bytes, { key, ...pss });
}

function positiveSerial(): ArrayBuffer {
  const serial = randomBytes(9);
  serial[0] = 0x4d;
  return toArrayBuffer(serial);
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
