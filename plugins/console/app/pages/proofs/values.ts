/** The values of a JSON body, with the paths that redaction rules name. */

export interface Value {
  readonly path: string;
  readonly text: string;
}

/** As many as somebody would choose from. */
export const MOST_VALUES = 5_000;

/** The values of a body, none if it is not JSON. A dot or a backslash in a name is escaped. */
export function valuesOf(body: string | null): readonly Value[] {
  const values: Value[] = [];
  const visit = (value: unknown, path: string) => {
    if (values.length >= MOST_VALUES) return;
    if (typeof value !== 'object' || value === null) {
      if (path !== '') values.push({ path, text: JSON.stringify(value) });
      return;
    }
    for (const [name, child] of Object.entries(value)) {
      const step = name.replaceAll(/[\\.]/g, '\\$&');
      visit(child, path === '' ? step : `${path}.${step}`);
    }
  };
  try {
    visit(JSON.parse(body ?? ''), '');
  } catch {
    return [];
  }
  return values;
}
