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

/** A name, a name in quotes, or an index. */
const SEGMENT = /([A-Za-z_][A-Za-z0-9_]*)|("(?:[^"\\]|\\[\s\S])*")|\[(\d+)\]/y;

/** The names and indices of a canonical path; undefined for any other text. */
export function segmentsOf(path: string): readonly (string | number)[] | undefined {
  if (path === ROOT_PATH) return [];
  const segments: (string | number)[] = [];
  let spelling = ROOT_PATH;
  for (let at = 0; at < path.length; at = SEGMENT.lastIndex) {
    SEGMENT.lastIndex = path[at] === '.' ? at + 1 : at;
    const [whole, name, quoted, index] = SEGMENT.exec(path) ?? [];
    if (whole === undefined) return undefined;
    const segment = index === undefined ? (name ?? unquoted(quoted ?? '')) : Number(index);
    if (segment === undefined) return undefined;
    segments.push(segment);
    spelling = typeof segment === 'number' ? elementPath(spelling, segment) : memberPath(spelling, segment);
  }
  // One way has many spellings; only one is canonical.
  return spelling === path ? segments : undefined;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
