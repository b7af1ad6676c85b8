/** The server's part of a TLS handshake as a prover hands it in. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { LIMITS } from 'credence/kit';
import type { CertificateOpening } from 'credence/kit/notaries';
import { z } from 'zod';

/** What the server said and signed; the notary never saw it, so all of it is checked. */
export type ServerHandshake = Omit<CertificateOpening, 'blinder'>;

const hex = (minBytes: number, maxBytes: number) =>
  z
    .string()
    .min(2 * minBytes)
    .max(2 * maxBytes)
    .regex(/^(?:[0-9a-f]{2})*$/, 'must be lower-case hex')
    .transform((text): Uint8Array => hexToBytes(text));

const RANDOM = 32;
const POINT = 65;

/** A handshake as it travels: bytes in lower-case hex. */
export const serverHandshakeSchema = z.strictObject({
  certificates: z.array(hex(1, LIMITS.certificate)).min(1).max(LIMITS.certificates),
  scheme: z.int().min(0).max(255),
  signature: hex(1, LIMITS.keyOrSignature),
  clientRandom: hex(RANDOM, RANDOM),
  serverRandom: hex(RANDOM, RANDOM),
  serverEphemeralKey: hex(POINT, POINT),
});
