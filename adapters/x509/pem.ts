/** Certificates written as PEM text. */
import { z } from 'zod';
import { loadTrustedRoots } from './trusted-roots.ts';

/** Roots as one text: at least one certificate, and each of them usable. */
export const pemRoots = z.string().refine((text) => {
  try {
    loadTrustedRoots([text], false);
    return true;
  } catch {
    return false;
  }
}, 'must be PEM text with certificates (-----BEGIN CERTIFICATE-----), each of them readable');
