/** Trusted roots as both checkers read them: a name, a key and name constraints. Their dates and signatures do not matter. */
import { type DerElement, DerError, expectTag, readElements, readSingle, TAG } from './der.ts';
import { NAME_CONSTRAINTS, readExtension } from './extensions.ts';
import { MALFORMED_CONSTRAINTS, type NameConstraints, readNameConstraints } from './name-constraints.ts';

/** The parts of what the authority of any certificate signs, without the version: roots of version 1 have none. @throws DerError */
export function rootParts(der: Uint8Array): DerElement[] {
  const [tbs] = readElements(readSingle(der, TAG.sequence).content);
  const parts = readElements(expectTag(tbs, TAG.sequence).content);
  return parts.slice(parts[0]?.tag === TAG.context0 ? 1 : 0);
}

/** Where the subject and the key are among these parts. */
export const SUBJECT = 4;
export const PUBLIC_KEY = 5;

/** The name constraints of a root; undefined if it has none. @throws DerError if they are malformed or there twice */
export function constraintsOfRoot(der: Uint8Array): NameConstraints | undefined {
  const extensions = rootParts(der).find(({ tag }) => tag === TAG.context3);
  if (extensions === undefined) return undefined;
  const [constraints, ...more] = readElements(readSingle(extensions.content, TAG.sequence).content)
    .map(readExtension)
    .filter(({ oid }) => oid === NAME_CONSTRAINTS);
  if (more.length > 0) throw new DerError(MALFORMED_CONSTRAINTS);
  return constraints && readNameConstraints(constraints.value, constraints.critical);
}

/** Why an extra root cannot be used. */
export function unusableRoot(cause: unknown): Error {
  const isOfConstraints = cause instanceof DerError && cause.message === MALFORMED_CONSTRAINTS;
  const problem = isOfConstraints ? `cannot be used: ${MALFORMED_CONSTRAINTS}` : 'is not a certificate';
  return new Error(`An extra root ${problem}.`, { cause });
}
