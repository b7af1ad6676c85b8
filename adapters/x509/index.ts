export {
  createX509CertificateChecker,
  type X509CertificateCheckerOptions,
} from './x509-certificate-checker.ts';
