/** The fields of the library's configuration, by the schema that checks it. */
import { z } from 'zod';
import { configSchema } from '../../plugins/compose/config.ts';

export interface ConfigField {
  /** Dotted, as mistakes are named: `platforms.instagram.baseUrl`. */
  readonly path: string;
  /** The nearest text that says what it is. */
  readonly description: string;
}

/** Every field that holds a value; one that may be set in several ways has a path for each. */
export function configFields(): readonly ConfigField[] {
  const fields = leaves(configSchema, '', '');
  return [...new Map(fields.map((field) => [field.path, field])).values()];
}

function leaves(schema: z.core.$ZodType, path: string, above: string): readonly ConfigField[] {
  const description = z.globalRegistry.get(schema)?.description ?? above;
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as z.core.$ZodShape).flatMap(([name, field]) =>
      leaves(field, path === '' ? name : `${path}.${name}`, description),
    );
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return leaves(schema.def.innerType, path, description);
  }
  if (schema instanceof z.ZodUnion && schema.options.every((option) => option instanceof z.ZodObject)) {
    return schema.options.flatMap((option) => leaves(option, path, description));
  }
  return [{ path, description }];
}

/** What stands at a dotted path. */
export function valueAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], config);
}

/** A configuration with nothing but this value at a dotted path. */
export function configWith(path: string, value: unknown): Readonly<Record<string, unknown>> {
  return path
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<Record<string, unknown>>;
}
