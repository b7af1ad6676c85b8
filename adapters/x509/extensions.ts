/** The extensions of a certificate that the chain rules look at. */
import {
  type DerElement,
  DerError,
  eachElement,
  expectTag,
  hex,
  readBoolean,
  readElements,
  readNonNegative,
  readSingle,
  TAG,
} from './der.ts';

export interface Extensions {
  readonly ca: boolean;
  readonly pathLength: number | undefined;
  /** The first eight bits; undefined when the extension is absent. */
  readonly keyUsage: number | undefined;
  /** OIDs in hex; undefined when the extension is absent. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** The general names, one after the other; undefined when the extension is absent. */
  readonly subjectAltName: Uint8Array | undefined;
}

export const NAME_CONSTRAINTS = '551d1e';
/** Bits of the key usage: the key signs in handshakes, and signs certificates. */
export const KEY_USAGE = { digitalSignature: 0x80, certificateSigning: 0x04 } as const;

/** Whether a key may be used so: without the extension it may. */
export function hasUsage({ keyUsage }: Pick<Extensions, 'keyUsage'>, bit: number): boolean {
  return keyUsage === undefined || (keyUsage & bit) !== 0;
}

const OID = {
  subjectKeyId: '551d0e',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: NAME_CONSTRAINTS,
  authorityKeyId: '551d23',
  extendedKeyUsage: '551d25',
} as const;
/** Tags of the general names (RFC 5280 section 4.2.1.6), with the form that each must have. */
const GENERAL_NAMES: readonly number[] = [0xa0, 0x81, 0x82, 0xa3, 0xa4, 0xa5, 0x86, 0x87, 0x88];
/** Understood here or by the other checks; any other critical extension refuses the certificate. */
const UNDERSTOOD: readonly string[] = [OID.keyUsage, OID.subjectAltName, OID.basicConstraints, OID.extendedKeyUsage];

/**
 * Reads the `[3]` part of a certificate.
 * @throws DerError for repeated or unknown critical extensions, name constraints, and malformed values.
 */
export function readExtensions(element: DerElement | undefined): Extensions {
  const values = extensionValues(element);
  const content = (oid: string, tag: number) => {
    const value = values.get(oid);
    return value === undefined ? undefined : readSingle(value, tag).content;
  };
  const sequence = (oid: string) => content(oid, TAG.sequence);
  // Read by one of the checkers only, and not by all libraries alike if malformed.
  content(OID.subjectKeyId, TAG.octetString);
  sequence(OID.authorityKeyId);
  return {
    ...readBasicConstraints(sequence(OID.basicConstraints)),
    keyUsage: readKeyUsage(content(OID.keyUsage, TAG.bitString)),
    extendedKeyUsage: readExtendedKeyUsage(sequence(OID.extendedKeyUsage)),
    subjectAltName: readGeneralNames(sequence(OID.subjectAltName)),
  };
}

function readGeneralNames(content: Uint8Array | undefined): Uint8Array | undefined {
  for (const { tag } of eachElement(content ?? new Uint8Array())) {
    if (!GENERAL_NAMES.includes(tag)) throw new DerError('it has a name of an unknown kind');
  }
  return content;
}

/** The extensions by OID in hex. @throws DerError for repeated or unknown critical extensions and name constraints. */
export function extensionValues(element: DerElement | undefined): ReadonlyMap<string, Uint8Array> {
  if (element === undefined) throw new DerError('it has no extensions');
  const values = new Map<string, Uint8Array>();
  const list = readElements(readSingle(expectTag(element, TAG.context3).content, TAG.sequence).content);
  if (list.length === 0) throw new DerError('it has no extensions');
  for (const extension of list) {
    const { oid, critical, value } = readExtension(extension);
    if (values.has(oid)) throw new DerError('it repeats an extension');
    if (oid === OID.nameConstraints) throw new DerError('it has name constraints, which are not supported');
    if (critical && !UNDERSTOOD.includes(oid)) throw new DerError('it has an unknown critical extension');
    values.set(oid, value);
  }
  return values;
}

/** @throws DerError */
export function readExtension(extension: DerElement): { oid: string; critical: boolean; value: Uint8Array } {
  const [oid, ...others] = readElements(expectTag(extension, TAG.sequence).content);
  const flag = others[0]?.tag === TAG.boolean ? others.shift() : undefined;
  const [value, ...rest] = others;
  if (rest.length > 0) throw new DerError('an extension is malformed');
  return {
    oid: hex(expectTag(oid, TAG.oid).content),
    critical: flag !== undefined && readBoolean(flag),
    value: expectTag(value, TAG.octetString).content,
  };
}

function readBasicConstraints(content: Uint8Array | undefined): Pick<Extensions, 'ca' | 'pathLength'> {
  const parts = readElements(content ?? new Uint8Array());
  const flag = parts[0]?.tag === TAG.boolean ? parts.shift() : undefined;
  const ca = flag !== undefined && readBoolean(flag);
  const [length, ...rest] = parts;
  if (rest.length > 0) throw new DerError('its basic constraints are malformed');
  if (length === undefined) return { ca, pathLength: undefined };
  const [pathLength, ...more] = readNonNegative(length);
  if (pathLength === undefined || more.length > 0) throw new DerError('its path length is too large');
  return { ca, pathLength };
}

/** What no bit allows is not allowed. @throws DerError */
function readKeyUsage(content: Uint8Array | undefined): number | undefined {
  if (content === undefined) return undefined;
  const [unused = 8, usage = 0] = content;
  if (unused > 7) throw new DerError('its key usage is malformed');
  return usage;
}

function readExtendedKeyUsage(content: Uint8Array | undefined): string[] | undefined {
  if (content === undefined) return undefined;
  return readElements(content).map((oid) => hex(expectTag(oid, TAG.oid).content));
}
