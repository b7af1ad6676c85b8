/** Certificates written as PEM text. */
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { pemBlocks } from './pem-blocks.ts';

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
