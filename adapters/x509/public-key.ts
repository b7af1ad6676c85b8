/** Which public keys certificates may hold, and how these must be written. */
import {
  type DerElement,
  DerError,
  expectTag,
  hex,
  readBitString,
  readElements,
  readNonNegative,
  readSingle,
  TAG,
} from './der.ts';

/** Contents of the algorithm identifiers of public keys. */
const RSA = '06092a864886f70d0101010500';
const EC_POINT_LENGTHS: Readonly<Record<string, number>> = {
  '06072a8648ce3d020106082a8648ce3d030107': 65,
  '06072a8648ce3d020106052b81040022': 97,
};
const ED25519 = '06032b6570';
const ED25519_LENGTH = 32;

const UNCOMPRESSED = 0x04;
/** RSA exponents have at most 33 bits and are at least 3. */
const MAX_EXPONENT = 2 ** 33 - 1;

/**
 * Checks a SubjectPublicKeyInfo: RSA, P-256, P-384 or Ed25519, points uncompressed, integers minimal, exponents odd and
 * small. Libraries read more forms; the verifiers of others do not. Sizes of RSA keys are left to `isStrongKey`.
 * @throws DerError
 */
export function checkPublicKey(element: DerElement | undefined): void {
  const [algorithm, value, ...rest] = readElements(expectTag(element, TAG.sequence).content);
  if (rest.length > 0) throw new DerError('its key is malformed');
  const kind = hex(expectTag(algorithm, TAG.sequence).content);
  const key = readBitString(value);
  if (kind === RSA) checkRsaKey(key);
  else checkCurveKey(kind, key);
}

function checkCurveKey(kind: string, key: Uint8Array): void {
  const length = kind === ED25519 ? ED25519_LENGTH : EC_POINT_LENGTHS[kind];
  if (length === undefined) throw new DerError('its kind of key is not supported');
  const isPoint = kind === ED25519 || key[0] === UNCOMPRESSED;
  if (key.length !== length || !isPoint) throw new DerError('its key is compressed or malformed');
}

function checkRsaKey(key: Uint8Array): void {
  const [modulus, exponent, ...rest] = readElements(readSingle(key, TAG.sequence).content);
  if (rest.length > 0) throw new DerError('its RSA key is malformed');
  const n = readNonNegative(modulus);
  const e = readNonNegative(exponent);
  const value = e.length > 5 ? Number.POSITIVE_INFINITY : Number.parseInt(hex(e), 16);
  const isOdd = (number: Uint8Array) => ((number.at(-1) ?? 0) & 1) === 1;
  if (!isOdd(n) || !isOdd(e) || value < 3 || value > MAX_EXPONENT) throw new DerError('its RSA key is not usable');
}
