/** Trusted roots without a platform's list. */
import { decodeBase64 } from '../../../core/security/base64.ts';
import type { ConstrainedRoot } from '../chain-search.ts';
import { expectTag, hex, readElements, TAG } from '../der.ts';
import type { NameConstraints } from '../name-constraints.ts';
import { base64OfPem, pemBlocks } from '../pem-blocks.ts';
import { constraintsOfRoot, PUBLIC_KEY, rootParts, SUBJECT, unusableRoot } from '../root.ts';
import { type CertificateKey, readCertificateKey } from './public-keys.ts';

export interface Anchor extends ConstrainedRoot {
  readonly anchorKey: CertificateKey;
}

/** A root as it is written: its subject and its SubjectPublicKeyInfo, one after the other. */
export function anchorOfCertificate(der: Uint8Array): Uint8Array {
  const parts = rootParts(der);
  const [subject, key] = [SUBJECT, PUBLIC_KEY].map((at) => expectTag(parts[at], TAG.sequence).whole);
  return Uint8Array.from([...(subject ?? []), ...(key ?? [])]);
}

/**
 * The anchors by subject, raw DER in hex.
 * @param written base64 of anchors
 * @param extra certificates: DER, or PEM text with any number of them
 * @throws Error for an extra root that is not a certificate, or whose name constraints are malformed
 */
export function createAnchors(
  written: readonly string[],
  extra: readonly (string | Uint8Array)[],
): (subject: string) => readonly Anchor[] {
  const bySubject = new Map<string, Anchor[]>();
  const add = (anchor: Uint8Array, constraints?: NameConstraints) => {
    const [subject, key] = readElements(anchor);
    const name = hex(expectTag(subject, TAG.sequence).whole);
    const anchorKey = readCertificateKey(expectTag(key, TAG.sequence).whole);
    bySubject.set(name, [...(bySubject.get(name) ?? []), { anchorKey, constraints }]);
  };
  for (const base64 of written) add(decoded(base64));
  for (const der of extra.flatMap(certificatesOf)) {
    try {
      add(anchorOfCertificate(der), constraintsOfRoot(der));
    } catch (error) {
      throw unusableRoot(error);
    }
  }
  return (subject) => bySubject.get(subject) ?? [];
}

function certificatesOf(root: string | Uint8Array): Uint8Array[] {
  if (typeof root !== 'string') return [root];
  const blocks = pemBlocks(root);
  if (blocks.length === 0) throw new Error('An extra root is given as PEM text that holds no certificate.');
  return blocks.map((block) => decoded(base64OfPem(block)));
}

function decoded(base64: string): Uint8Array {
  const bytes = decodeBase64(base64);
  if (bytes === null) throw new Error('An extra root is not base64.');
  return bytes;
}
