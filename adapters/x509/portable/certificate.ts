/** A certificate that was sent, read without a platform's cryptography. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { type CertificateProfile, readProfile } from '../certificate-profile.ts';
import { eachElement, expectTag, hex, readBitString, readElements, readSingle, TAG } from '../der.ts';
import { extensionValues } from '../extensions.ts';
import { type CertificateKey, readCertificateKey, type SigningMethod } from './public-keys.ts';

export interface PortableCertificate {
  readonly profile: CertificateProfile;
  readonly key: CertificateKey;
  /** Hex; undefined if the extension is absent. */
  readonly subjectKeyId: string | undefined;
  readonly authorityKeyId: string | undefined;
  readonly signed: { readonly method: SigningMethod; readonly message: Uint8Array; readonly signature: Uint8Array };
}

const SUBJECT_KEY_ID = '551d0e';
const AUTHORITY_KEY_ID = '551d23';
const AUTHORITY_KEY_ID_TAG = 0x80;
const EXTENSIONS = 7;

const rsa = (padding: 'pkcs1' | 'pss', hash: SigningMethod['hash']): SigningMethod => ({ key: 'rsa', padding, hash });
const PSS = '06092a864886f70d01010a';

/** By the content of the algorithm identifier; those that `readProfile` accepts. RSA-PSS is told by its first hash. */
const METHODS: Readonly<Record<string, SigningMethod>> = {
  '06082a8648ce3d040302': { key: 'ec', padding: null, hash: 'sha256' },
  '06082a8648ce3d040303': { key: 'ec', padding: null, hash: 'sha384' },
  '06032b6570': { key: 'ed25519', padding: null, hash: null },
  '06092a864886f70d01010b': rsa('pkcs1', 'sha256'),
  '06092a864886f70d01010c': rsa('pkcs1', 'sha384'),
  '06092a864886f70d01010d': rsa('pkcs1', 'sha512'),
};
const PSS_HASH = /^.{22}3034a00f300d0609608648016503040(20[123])/;
const PSS_HASHES: Readonly<Record<string, SigningMethod['hash']>> = { 201: 'sha256', 202: 'sha384', 203: 'sha512' };

/** @throws DerError for what no chain may contain, as `readProfile` */
export function readCertificate(der: Uint8Array): PortableCertificate {
  const profile = readProfile(der);
  const [tbs, algorithm, signature] = readElements(readSingle(der, TAG.sequence).content);
  const message = expectTag(tbs, TAG.sequence);
  const extensions = extensionValues(readElements(message.content)[EXTENSIONS]);
  const method = methodOf(hex(expectTag(algorithm, TAG.sequence).content));
  return {
    profile,
    key: readCertificateKey(hexToBytes(profile.publicKey)),
    subjectKeyId: keyIdOf(extensions.get(SUBJECT_KEY_ID)),
    authorityKeyId: authorityKeyIdOf(extensions.get(AUTHORITY_KEY_ID)),
    signed: { method, message: message.whole, signature: readBitString(signature) },
  };
}

function methodOf(algorithm: string): SigningMethod {
  // NULL or absent, the parameters of RSA say nothing.
  if (!algorithm.startsWith(PSS)) return METHODS[algorithm.replace(/0500$/, '')] as SigningMethod;
  return rsa('pss', PSS_HASHES[PSS_HASH.exec(algorithm)?.[1] ?? ''] ?? null);
}

function keyIdOf(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : hex(readSingle(value, TAG.octetString).content);
}

function authorityKeyIdOf(value: Uint8Array | undefined): string | undefined {
  if (value === undefined) return undefined;
  const parts = [...eachElement(readSingle(value, TAG.sequence).content)];
  const id = parts.find(({ tag }) => tag === AUTHORITY_KEY_ID_TAG);
  return id === undefined ? undefined : hex(id.content);
}
