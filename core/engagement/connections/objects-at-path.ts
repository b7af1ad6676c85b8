import { EACH, type JsonStep } from '../../platforms/ownership-rules.ts';
import { elementPath, memberPath, ROOT_PATH } from '../../web-proof/extraction/canonical-path.ts';

/**
 * Finds the canonical paths of the objects at the end of a path of steps, in their order.
 * @param text of a `JsonDocument`, in which no name occurs twice in one object.
 * @param member that the objects have; null if none is needed.
 */
export function objectsAtPath(text: string, steps: readonly JsonStep[], member: string | null): string[] {
  const paths: string[] = [];
  const walk = (value: unknown, path: string, [step, ...rest]: readonly JsonStep[]): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    if (step === undefined) {
      if (!isList && (member === null || Object.hasOwn(value, member))) paths.push(path);
    } else if (isList) {
      value.forEach((each, at) => {
        if (step === EACH || step === at) walk(each, elementPath(path, at), rest);
      });
    } else if (typeof step === 'string' && Object.hasOwn(value, step)) {
      walk((value as Readonly<Record<string, unknown>>)[step], memberPath(path, step), rest);
    }
  };
  walk(JSON.parse(text), ROOT_PATH, steps);
  return paths;
}
