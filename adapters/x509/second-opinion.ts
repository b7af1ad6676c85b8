import type { X509Certificate } from 'node:crypto';
import { keepNewest } from '../../core/keep-newest.ts';
import { loadPackage } from '../package-loader/index.ts';
import type { NodeCertificatePath } from './node-certificates.ts';

const { Certificate, CertificateChainValidationEngine, Extension } = loadPackage(
  'pkijs',
  'Checking certificates of web proofs',
);
type Certificate = InstanceType<typeof Certificate>;

const BASIC_CONSTRAINTS = '2.5.29.19';
const IS_AUTHORITY = Uint8Array.of(0x30, 0x03, 0x01, 0x01, 0xff).buffer;

/** Issuers of accepted paths that are kept as pkijs reads them, which takes a third of a verification. */
const MAX_ISSUERS = 64;

export interface SecondOpinion {
  /**
   * pkijs's judgement of a path that was found, at the session's time. It knows rules that Node's interface does not
   * (name constraints, policies), and misses others; only both together are complete.
   */
  accepts(path: NodeCertificatePath, time: Date): Promise<boolean>;
}

export function createSecondOpinion(): SecondOpinion {
  const roots = new WeakMap<X509Certificate, Certificate>();
  const issuers = new Map<string, Certificate>();

  function rootOf(x509: X509Certificate): Certificate {
    let root = roots.get(x509);
    if (root === undefined) {
      root = parse(x509);
      // A root is trusted as a name and a key: its own dates do not count, and pkijs would look at them.
      root.notBefore.value = new Date(0);
      root.notAfter.value = new Date('9999-12-31T23:59:59Z');
      // A root of version 1 cannot say that it is an authority, and pkijs asks for it.
      root.extensions ??= [new Extension({ extnID: BASIC_CONSTRAINTS, critical: true, extnValue: IS_AUTHORITY })];
      roots.set(x509, root);
    }
    return root;
  }

  /** Only what accepted paths were made of is kept, so that nobody can fill the memory with certificates of his own. */
  function keep(x509: X509Certificate, issuer: Certificate): void {
    keepNewest(issuers, x509.fingerprint256, issuer, MAX_ISSUERS);
  }

  return {
    async accepts({ leaf, intermediates, root }, time) {
      try {
        const between = intermediates.map(({ x509 }) => issuers.get(x509.fingerprint256) ?? parse(x509));
        const engine = new CertificateChainValidationEngine({
          trustedCerts: [rootOf(root.x509)],
          // The engine takes the last one for the leaf.
          certs: [...between, parse(leaf.x509)],
          checkDate: time,
        });
        const { result } = await engine.verify();
        if (result) {
          intermediates.forEach(({ x509 }, index) => {
            const issuer = between[index];
            if (issuer !== undefined) keep(x509, issuer);
          });
        }
        return result;
      } catch {
        return false;
      }
    },
  };
}

function parse(x509: X509Certificate): Certificate {
  return Certificate.fromBER(Uint8Array.from(x509.raw));
}
