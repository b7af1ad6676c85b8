/** Certificates written as PEM text. */
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The blocks of a text, in order; what stands between them does not matter. */
export function pemBlocks(text: string): readonly string[] {
  return text.match(PEM_BLOCK) ?? [];
}

/** Roots as one text: at least one certificate, and each of them readable. */
export const pemRoots = z.string().refine((text) => {
  const blocks = pemBlocks(text);
  return blocks.length > 0 && blocks.every(isCertificate);
}, 'must be PEM text with certificates (-----BEGIN CERTIFICATE-----), each of them readable');

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
