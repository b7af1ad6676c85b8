import { EACH, type JsonStep } from '../../platforms/ownership-rules.ts';
import { elementPath, memberPath, ROOT_PATH } from '../../web-proof/extraction/canonical-path.ts';

const TOKEN = /[{}[\],:]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[^{}[\],:"]+/y;

/** An array or object that is being read. */
interface Container {
  readonly isArray: boolean;
  /** How many steps lead here; null if it is not on the path. */
  readonly taken: number | null;
  /** Where the value at hand is in it. */
  at: string | number;
  hasMember: boolean;
}

/**
 * Finds the canonical paths of the objects at the end of a path of steps. Keeps nothing of what is not on that path.
 * @param text of a `JsonDocument`: what is not JSON is not noticed, and there is no space between tokens.
 * @param member that the objects have; null if none is needed.
 */
export function objectsAtPath(text: string, steps: readonly JsonStep[], member: string | null): string[] {
  const paths: string[] = [];
  const open: Container[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const [token = ''] = TOKEN.exec(text) ?? [];
    at += Math.max(1, token.length);
    const container = open.at(-1);
    if (token === '{' || token === '[') {
      const taken = container === undefined ? 0 : takenTo(container, steps);
      open.push({ isArray: token === '[', taken, at: token === '[' ? 0 : '', hasMember: member === null });
    } else if (token === '}' || token === ']') {
      open.pop();
      const isFound = container?.isArray === false && container.taken === steps.length && container.hasMember;
      if (isFound) paths.push(pathTo(open));
    } else if (container === undefined) {
      return paths;
    } else if (token === ',') {
      if (typeof container.at === 'number') container.at += 1;
    } else if (container.taken !== null && token.startsWith('"') && text[at] === ':') {
      container.at = JSON.parse(token) as string;
      if (container.at === member) container.hasMember = true;
    }
  }
  return paths;
}

/** How many steps lead to the value at hand. */
function takenTo({ taken, at }: Container, steps: readonly JsonStep[]): number | null {
  if (taken === null) return null;
  const step = steps[taken];
  const fits = step === at || (step === EACH && typeof at === 'number');
  return fits ? taken + 1 : null;
}

function pathTo(open: readonly Container[]): string {
  return open.reduce(
    (path, { at }) => (typeof at === 'number' ? elementPath(path, at) : memberPath(path, at)),
    ROOT_PATH,
  );
}
