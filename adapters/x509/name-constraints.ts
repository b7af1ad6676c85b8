/** What names a trusted root allows the certificates below it (RFC 5280 section 4.2.1.10). */
import { type DerElement, DerError, eachElement, readElements, readSingle, TAG } from './der.ts';
import type { Extensions } from './extensions.ts';
import { DNS_NAME, isDnsName } from './server-names.ts';

/** Names of one kind, and all below them. */
interface Subtree {
  /** The tag of the general name. */
  readonly kind: number;
  readonly base: Uint8Array;
}

export interface NameConstraints {
  readonly permitted: readonly Subtree[];
  readonly excluded: readonly Subtree[];
  /** True if they say something of a kind that is not understood, and insist on it. */
  readonly isUnknown: boolean;
}

const IP_ADDRESS = 0x87;
const DIRECTORY_NAME = 0xa4;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
export const MALFORMED_CONSTRAINTS = 'its name constraints are malformed';
/** Comparisons for one certificate: both lists may be long. */
const MAX_COMPARISONS = 250_000;

/** Reads the extension's value. @throws DerError */
export function readNameConstraints(value: Uint8Array, critical: boolean): NameConstraints {
  const lists = readElements(readSingle(value, TAG.sequence).content);
  const tags = lists.map(({ tag }) => tag);
  if (!['160', '161', '160,161'].includes(tags.join())) throw malformed();
  const of = (tag: number) => lists.filter((list) => list.tag === tag).flatMap(readSubtrees);
  const [permitted, excluded] = [of(PERMITTED), of(EXCLUDED)];
  const isUnderstood = ({ kind }: Subtree) => kind === DNS_NAME || kind === IP_ADDRESS;
  return { permitted, excluded, isUnknown: critical && ![...permitted, ...excluded].every(isUnderstood) };
}

function readSubtrees(list: DerElement): Subtree[] {
  const trees = readElements(list.content);
  if (trees.length === 0) throw malformed();
  return trees.map((tree) => {
    if (tree.tag !== TAG.sequence) throw malformed();
    // The least and the greatest distance have no use in this profile.
    const [base, ...distances] = readElements(tree.content);
    if (base === undefined || distances.length > 0 || !isBase(base)) throw malformed();
    return { kind: base.tag, base: base.content };
  });
}

function isBase({ tag, content }: DerElement): boolean {
  // All names, or names with at least one more label.
  if (tag === DNS_NAME) return content.length === 0 || isDnsName(textOf(content).replace(/^\./, ''));
  if (tag !== IP_ADDRESS) return true;
  const bits = [...content.subarray(content.length / 2)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (content.length === 8 || content.length === 32) && /^1*0*$/.test(bits);
}

/**
 * Returns true if every name of a certificate is permitted and none is excluded. Names of a kind that is
 * not understood, such as directory names, are refused if a constraint is about that kind.
 */
export function allowsNames(
  constraints: NameConstraints,
  { subjectAltName }: Pick<Extensions, 'subjectAltName'>,
): boolean {
  const { permitted, excluded, isUnknown } = constraints;
  if (isUnknown) return false;
  const names = [
    { tag: DIRECTORY_NAME, content: new Uint8Array() },
    ...eachElement(subjectAltName ?? new Uint8Array()),
  ];
  if (names.length * (permitted.length + excluded.length) > MAX_COMPARISONS) return false;
  return names.every(({ tag, content }) => {
    const [inside, outside] = [permitted, excluded].map((trees) => trees.filter(({ kind }) => kind === tag));
    if (!inside?.length && !outside?.length) return true;
    if (tag === DNS_NAME) return isDnsAllowed(textOf(content), inside ?? [], outside ?? []);
    if (tag !== IP_ADDRESS || (content.length !== 4 && content.length !== 16)) return false;
    const isIn = ({ base }: Subtree) => isAddressIn(content, base);
    return (!inside?.length || inside.some(isIn)) && !outside?.some(isIn);
  });
}

/** A wildcard stands for all names with one label more: all must be permitted, and none excluded. */
function isDnsAllowed(name: string, permitted: readonly Subtree[], excluded: readonly Subtree[]): boolean {
  if (!isDnsName(name.replace(/^\*\./, ''))) return false;
  const isIn = (each: string, base: string) =>
    base === '' || each === base || each.endsWith(base.startsWith('.') ? base : `.${base}`);
  const isWildcard = name.startsWith('*.');
  const isExcluded = (base: string) => isIn(name, base) || (isWildcard && isIn(base, name.slice(1)));
  return (
    (permitted.length === 0 || permitted.some(({ base }) => isIn(name, textOf(base)))) &&
    !excluded.some(({ base }) => isExcluded(textOf(base)))
  );
}

/** The first half of the base is an address, the second says which of its bits count. */
function isAddressIn(address: Uint8Array, base: Uint8Array): boolean {
  const { length } = address;
  if (base.length !== 2 * length) return false;
  return address.every((byte, at) => ((byte ^ (base[at] ?? 0)) & (base[length + at] ?? 0)) === 0);
}

function textOf(content: Uint8Array): string {
  return String.fromCharCode(...content.subarray(0, 256)).toLowerCase();
}

function malformed(): DerError {
  return new DerError(MALFORMED_CONSTRAINTS);
}
