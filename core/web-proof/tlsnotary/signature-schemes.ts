/** How a server may sign its key exchange in TLS 1.2. */
export interface SignatureScheme {
  /** Number of the variant in presentations. */
  readonly variant: number;
  /** Number in TLS. */
  readonly tlsNumber: number;
  readonly key: 'rsa' | 'ec' | 'ed25519';
  readonly padding: 'pkcs1' | 'pss' | null;
  /** Null when the scheme hashes by itself. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
}

const rsa = (variant: number, tlsNumber: number, padding: 'pkcs1' | 'pss', hash: SignatureScheme['hash']) =>
  ({ variant, tlsNumber, key: 'rsa', padding, hash }) as const;

/** The schemes that verifiers accept; SHA-1 (variants 0, 1) and P-521 (7) are not among them. */
export const SIGNATURE_SCHEMES: readonly SignatureScheme[] = [
  rsa(2, 0x0401, 'pkcs1', 'sha256'),
  { variant: 3, tlsNumber: 0x0403, key: 'ec', padding: null, hash: 'sha256' },
  rsa(4, 0x0501, 'pkcs1', 'sha384'),
  { variant: 5, tlsNumber: 0x0503, key: 'ec', padding: null, hash: 'sha384' },
  rsa(6, 0x0601, 'pkcs1', 'sha512'),
  rsa(8, 0x0804, 'pss', 'sha256'),
  rsa(9, 0x0805, 'pss', 'sha384'),
  rsa(10, 0x0806, 'pss', 'sha512'),
  { variant: 11, tlsNumber: 0x0807, key: 'ed25519', padding: null, hash: null },
];

/** The accepted scheme with this variant number. */
export function schemeOfVariant(variant: number): SignatureScheme | undefined {
  return SIGNATURE_SCHEMES.find((scheme) => scheme.variant === variant);
}

/** The accepted scheme with this TLS number. */
export function schemeOfTlsNumber(tlsNumber: number): SignatureScheme | undefined {
  return SIGNATURE_SCHEMES.find((scheme) => scheme.tlsNumber === tlsNumber);
}
