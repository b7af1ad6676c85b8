/** Arbitrary values that a schema of the document describes. */
import fc from 'fast-check';
import type { JsonSchema, ServedDocument } from './served-document.ts';

/** Values of the world under test by the name of the field or parameter that takes them. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

const LONGEST_TEXT = 60;

/** A value for the field `name`; three times in four a known one, where the world has some. */
export function valueFor(
  document: ServedDocument,
  known: KnownValues,
  given: JsonSchema,
  name = '',
): fc.Arbitrary<unknown> {
  const schema = document.resolve(given);
  const values = known[name];
  const drawn = draw(document, known, schema);
  if (values === undefined || values.length === 0) return drawn;
  return fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 3 }, { arbitrary: drawn, weight: 1 });
}

function draw(document: ServedDocument, known: KnownValues, schema: JsonSchema): fc.Arbitrary<unknown> {
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) {
    // A branch may only add to the object around it, for example which fields it requires.
    const whole = branches.map((branch) => (schema.properties ? { ...schema, ...branch, oneOf: undefined } : branch));
    return fc.oneof(...whole.map((branch) => valueFor(document, known, branch as JsonSchema)));
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => draw(document, known, { ...schema, type })));
  }
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([name, field]) => [name, valueFor(document, known, field, name)] as const,
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
    }
    case 'array': {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.min(schema.maxItems ?? 3, minLength + 3);
      return fc.array(valueFor(document, known, schema.items ?? {}), { minLength, maxLength });
    }
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return text(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = LONGEST_TEXT, format, pattern } = schema;
  if (format === 'email') return fc.emailAddress();
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: 'small' });
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, LONGEST_TEXT) });
}
