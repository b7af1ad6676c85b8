/** Trusted roots without a platform's list. A root is a name and a key: its own dates and signature do not matter. */
import { decodeBase64 } from '../../../core/security/base64.ts';
import { DerError, expectTag, hex, readElements, readSingle, TAG } from '../der.ts';
import { base64OfPem, pemBlocks } from '../pem-blocks.ts';
import { type CertificateKey, readCertificateKey } from './public-keys.ts';

export interface Anchor {
  readonly anchorKey: CertificateKey;
}

/** A root as it is written: its subject and its SubjectPublicKeyInfo, one after the other. */
export function anchorOfCertificate(der: Uint8Array): Uint8Array {
  const [tbs] = readElements(readSingle(der, TAG.sequence).content);
  const parts = readElements(expectTag(tbs, TAG.sequence).content);
  const first = parts[0]?.tag === TAG.context0 ? 1 : 0;
  const [subject, key] = [parts[first + 4], parts[first + 5]].map((part) => expectTag(part, TAG.sequence).whole);
  return Uint8Array.from([...(subject ?? []), ...(key ?? [])]);
}

/**
 * The anchors by subject, raw DER in hex.
 * @param written base64 of anchors
 * @param extra certificates: DER, or PEM text with any number of them
 * @throws Error for an extra root that is not a certificate
 */
export function createAnchors(
  written: readonly string[],
  extra: readonly (string | Uint8Array)[],
): (subject: string) => readonly Anchor[] {
  const bySubject = new Map<string, Anchor[]>();
  for (const bytes of [...written.map(decoded), ...extra.flatMap(certificatesOf).map(anchorOf)]) {
    const [subject, key] = readElements(bytes);
    const name = hex(expectTag(subject, TAG.sequence).whole);
    const anchor = { anchorKey: readCertificateKey(expectTag(key, TAG.sequence).whole) };
    bySubject.set(name, [...(bySubject.get(name) ?? []), anchor]);
  }
  return (subject) => bySubject.get(subject) ?? [];
}

function certificatesOf(root: string | Uint8Array): Uint8Array[] {
  if (typeof root !== 'string') return [root];
  const blocks = pemBlocks(root);
  if (blocks.length === 0) throw new Error('An extra root is given as PEM text that holds no certificate.');
  return blocks.map((block) => decoded(base64OfPem(block)));
}

function anchorOf(der: Uint8Array): Uint8Array {
  try {
    return anchorOfCertificate(der);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new Error('An extra root is not a certificate.', { cause });
  }
}

function decoded(base64: string): Uint8Array {
  const bytes = decodeBase64(base64);
  if (bytes === null) throw new Error('An extra root is not base64.');
  return bytes;
}
