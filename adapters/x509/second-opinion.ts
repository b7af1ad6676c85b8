import { Certificate, CertificateChainValidationEngine } from 'pkijs';
import type { CertificatePath } from './chain-search.ts';

/**
 * pkijs's judgement of a path that was found, at the session's time. It knows rules that Node's interface does not
 * (name constraints, policies), and misses others; only both together are complete.
 */
export async function pkijsAccepts(path: CertificatePath, time: Date): Promise<boolean> {
  try {
    const root = parse(path.root.raw);
    // A root is trusted as a name and a key: its own dates do not count, and pkijs would look at them.
    root.notBefore.value = time;
    root.notAfter.value = time;
    const engine = new CertificateChainValidationEngine({
      trustedCerts: [root],
      // The engine takes the last one for the leaf.
      certs: [...path.intermediates.map(({ x509 }) => parse(x509.raw)), parse(path.leaf.x509.raw)],
      checkDate: time,
    });
    return (await engine.verify()).result;
  } catch {
    return false;
  }
}

function parse(der: Uint8Array): Certificate {
  return Certificate.fromBER(Uint8Array.from(der));
}
