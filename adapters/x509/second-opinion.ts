import type { X509Certificate } from 'node:crypto';
import type { Certificate } from 'pkijs';
import { late } from '../../core/late.ts';
import { importFailure } from '../package-loader/index.ts';
import type { NodeCertificatePath } from './node-certificates.ts';

type PkiJs = typeof import('pkijs');

const loadPkiJs = late(async (): Promise<PkiJs> => {
  try {
    return await import('pkijs');
  } catch (error) {
    throw importFailure(error, 'pkijs', 'Checking certificates of web proofs');
  }
});

const BASIC_CONSTRAINTS = '2.5.29.19';
const IS_AUTHORITY = Uint8Array.of(0x30, 0x03, 0x01, 0x01, 0xff).buffer;

export interface SecondOpinion {
  /**
   * pkijs's judgement of a path that was found, at the session's time. It knows rules that Node's interface does not
   * (name constraints, policies), and misses others; only both together are complete.
   */
  accepts(path: NodeCertificatePath, time: Date): Promise<boolean>;
}

export function createSecondOpinion(): SecondOpinion {
  return {
    async accepts({ leaf, intermediates, root }, time) {
      const pkijs = await loadPkiJs();
      try {
        const engine = new pkijs.CertificateChainValidationEngine({
          trustedCerts: [trusted(pkijs, root.x509)],
          // The engine takes the last one for the leaf.
          certs: [...intermediates, leaf].map(({ x509 }) => parse(pkijs, x509)),
          checkDate: time,
        });
        return (await engine.verify()).result;
      } catch {
        return false;
      }
    },
  };
}

/** A root is trusted as a name and a key: its own dates do not count, and pkijs would look at them. */
function trusted(pkijs: PkiJs, x509: X509Certificate): Certificate {
  const root = parse(pkijs, x509);
  root.notBefore.value = new Date(0);
  root.notAfter.value = new Date('9999-12-31T23:59:59Z');
  // A root of version 1 cannot say that it is an authority, and pkijs asks for it.
  root.extensions ??= [new pkijs.Extension({ extnID: BASIC_CONSTRAINTS, critical: true, extnValue: IS_AUTHORITY })];
  return root;
}

function parse({ Certificate }: PkiJs, x509: X509Certificate): Certificate {
  return Certificate.fromBER(Uint8Array.from(x509.raw));
}
