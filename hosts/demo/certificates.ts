/** A throw-away certificate authority for the demo's own HTTPS server on loopback. */
import { type webcrypto, X509Certificate } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

export interface DemoCertificates {
  readonly rootPem: string;
  readonly certificatePem: string;
  readonly keyPem: string;
}

const DAY_MS = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const OIDS = {
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  subjectAltName: '2.5.29.17',
  extendedKeyUsage: '2.5.29.37',
};
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const DNS_NAME = 2;

interface Issue {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly issuerKeys: webcrypto.CryptoKeyPair;
  readonly extensions: readonly pkijs.Extension[];
}

/** A root, and a server certificate for `name` below it; both on P-256 and good for a day. */
export async function makeCertificates(name: string): Promise<DemoCertificates> {
  const [rootKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const subject = 'Credence demo root, trusted by nobody';
  const root = await issue({
    subject,
    issuer: subject,
    keys: rootKeys,
    issuerKeys: rootKeys,
    extensions: [extension(OIDS.basicConstraints, true, new pkijs.BasicConstraints({ cA: true }).toSchema())],
  });
  const names = [new pkijs.GeneralName({ type: DNS_NAME, value: name })];
  const leaf = await issue({
    subject: name,
    issuer: subject,
    keys,
    issuerKeys: rootKeys,
    extensions: [
      extension(OIDS.subjectAltName, false, new pkijs.GeneralNames({ names }).toSchema()),
      extension(OIDS.extendedKeyUsage, false, new pkijs.ExtKeyUsage({ keyPurposes: [SERVER_AUTH] }).toSchema()),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    rootPem: new X509Certificate(Buffer.from(root)).toString(),
    certificatePem: new X509Certificate(Buffer.from(leaf)).toString(),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function issue({ subject, issuer, keys, issuerKeys, extensions }: Issue): Promise<ArrayBuffer> {
  const certificate = new pkijs.Certificate({ version: 2 });
  certificate.serialNumber = new asn1js.Integer({ valueHex: positive(crypto.getRandomValues(new Uint8Array(8))) });
  certificate.issuer.typesAndValues.push(commonName(issuer));
  certificate.subject.typesAndValues.push(commonName(subject));
  certificate.notBefore.value = new Date(Date.now() - DAY_MS);
  certificate.notAfter.value = new Date(Date.now() + DAY_MS);
  certificate.extensions = [...extensions];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  await certificate.sign(issuerKeys.privateKey, algorithm.hash);
  return certificate.toSchema(true).toBER(false);
}

function commonName(value: string): pkijs.AttributeTypeAndValue {
  return new pkijs.AttributeTypeAndValue({ type: OIDS.commonName, value: new asn1js.Utf8String({ value }) });
}

function extension(extnID: string, critical: boolean, value: asn1js.AsnType): pkijs.Extension {
  return new pkijs.Extension({ extnID, critical, extnValue: value.toBER(false), parsedValue: value });
}

/** A serial number is positive and its first byte is not needless. */
function positive(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes.buffer;
}
