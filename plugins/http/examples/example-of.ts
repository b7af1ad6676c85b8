/** Makes an example of an answer from its schema: the values of `values.ts` by the names of the fields. */
import { z } from 'zod';
import { VALUES } from './values.ts';

/** Where a value stands. */
interface Place {
  readonly operation: string;
  /** The name of the nearest schema around it that has one. */
  readonly within: string;
  readonly name: string;
}

/** An example of what an operation answers, which fits the schema. */
export function exampleOf(schema: z.core.$ZodType, operation: string): unknown {
  return exampleAt(schema, { operation, within: '', name: '' });
}

function exampleAt(schema: z.core.$ZodType, { operation, within, name }: Place): unknown {
  const { id = within, example } = z.globalRegistry.get(schema) ?? {};
  const known = [VALUES[`${operation}.${name}`], VALUES[`${within}.${name}`], VALUES[name], example];
  const fitting = known.find((value) => value !== undefined && z.safeParse(schema, value).success);
  return fitting === undefined ? madeUp(schema, { operation, within: id, name }) : fitting;
}

function madeUp(schema: z.core.$ZodType, place: Place): unknown {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as z.core.$ZodShape).map(
      ([name, field]) => [name, exampleAt(field, { ...place, name })] as const,
    );
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }
  if (schema instanceof z.ZodArray) return optionsOf(schema.element).map((each) => exampleAt(each, place));
  if (schema instanceof z.ZodUnion) return exampleAt(schema.options[0] as z.core.$ZodType, place);
  if (schema instanceof z.ZodReadonly || schema instanceof z.ZodDefault) return exampleAt(schema.def.innerType, place);
  if (schema instanceof z.ZodNullable) return place.name === 'data' ? exampleAt(schema.def.innerType, place) : null;
  // What may be missing is, unless it has a value of its own.
  if (schema instanceof z.ZodOptional) return undefined;
  if (schema instanceof z.ZodTuple) return schema.def.items.map((each) => exampleAt(each, place));
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodNumber) return 1;
  if (schema instanceof z.ZodRecord) return {};
  return schema instanceof z.ZodCodec ? VALUES.at : null;
}

/** Lists of several kinds show one of each. */
function optionsOf(element: z.core.$ZodType): readonly z.core.$ZodType[] {
  return element instanceof z.ZodUnion ? element.options : [element];
}
