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
const ROOT = 'Credence demo root, trusted by nobody';

/** A root, and a server certificate for `name` below it; both with one key on P-256 and good for a day. */
export async function makeCertificates(name: string): Promise<DemoCertificates> {
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const names = [new pkijs.GeneralName({ type: DNS_NAME, value: name })];
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    rootPem: await issue(ROOT, keys, [[OIDS.basicConstraints, new pkijs.BasicConstraints({ cA: true })]]),
    certificatePem: await issue(name, keys, [
      [OIDS.subjectAltName, new pkijs.GeneralNames({ names })],
      [OIDS.extendedKeyUsage, new pkijs.ExtKeyUsage({ keyPurposes: [SERVER_AUTH] })],
    ]),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}

type Extension = readonly [oid: string, value: { toSchema(): asn1js.AsnType }];

async function issue(subject: string, keys: webcrypto.CryptoKeyPair, extensions: readonly Extension[]) {
  const certificate = new pkijs.Certificate({ version: 2 });
  certificate.serialNumber = new asn1js.Integer({ value: Date.now() });
  certificate.issuer.typesAndValues.push(commonName(ROOT));
  certificate.subject.typesAndValues.push(commonName(subject));
  certificate.notBefore.value = new Date(Date.now() - DAY_MS);
  certificate.notAfter.value = new Date(Date.now() + DAY_MS);
  certificate.extensions = extensions.map(
    ([extnID, value]) =>
      new pkijs.Extension({
        extnID,
        critical: extnID === OIDS.basicConstraints,
        extnValue: value.toSchema().toBER(false),
      }),
  );
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  await certificate.sign(keys.privateKey, algorithm.hash);
  return new X509Certificate(Buffer.from(certificate.toSchema(true).toBER(false))).toString();
}

function commonName(value: string): pkijs.AttributeTypeAndValue {
  return new pkijs.AttributeTypeAndValue({ type: OIDS.commonName, value: new asn1js.Utf8String({ value }) });
}
