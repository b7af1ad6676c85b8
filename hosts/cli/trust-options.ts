/** Options about whom to trust. One that cannot be used is a wrong call: it says nothing about a proof. */
import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../../adapters/x509/pem-blocks.ts';
import { readInput } from './input-file.ts';
import { UsageError } from './usage-error.ts';

/** The PEM certificates of `--roots`; none without the option. @throws UsageError for a file without them */
export async function readRoots(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = (await readInput(file)).toString();
  const blocks = pemBlocks(text);
  if (blocks.length === 0 || !blocks.every(isCertificate)) {
    throw new UsageError(
      `${file} holds no PEM certificate, or one that cannot be read. Give PEM certificates in --roots.`,
    );
  }
  return [text];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** @throws UsageError for what is no fingerprint of a notary's key; `option` is named in it */
export function checkFingerprint(option: string, fingerprint: string): void {
  if (/^[0-9a-f]{64}$/i.test(fingerprint)) return;
  throw new UsageError(
    `${option} ${JSON.stringify(fingerprint)} is no fingerprint of a notary's key. Give the 64 hex digits that the notary prints.`,
  );
}
