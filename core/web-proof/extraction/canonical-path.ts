/**
 * The one JMESPath spelling of the way to a value. Names are joined with dots, indices are in brackets. A name is in
 * quotes only when it is not an identifier; `@` is a document that is itself a scalar. A query spelled so can be proven from the
 * attestation alone; any other spelling of the same way has to be evaluated.
 */

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The path of the whole document. */
export const ROOT_PATH = '@';

/** The path of member `name` of the object at `parent`. */
export function memberPath(parent: string, name: string): string {
  const segment = IDENTIFIER.test(name) ? name : JSON.stringify(name);
  return parent === ROOT_PATH ? segment : `${parent}.${segment}`;
}

/** The path of element `index` of the array at `parent`. */
export function elementPath(parent: string, index: number): string {
  return parent === ROOT_PATH ? `[${index}]` : `${parent}[${index}]`;
}
