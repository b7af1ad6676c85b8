import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * What is stored of a bearer token: lower-case hex SHA-256. A plain hash is enough because tokens are 256 random bits,
 * never chosen by people.
 */
export function hashToken(token: string): string {
  return bytesToHex(sha256(utf8ToBytes(token)));
}
