/** The fields of a configuration, with what the one entry of each in the schema says about it. */
import { z } from 'zod';

/**
 * How operators see a value: `plain` as it is, `url` without credentials and query, `endpoint` without its path too, `notaries` as
 * names and fingerprints, `count` as how many there are. Of `code` and `secret` they see only whether it is set.
 */
export type Shown = 'plain' | 'url' | 'endpoint' | 'notaries' | 'count' | 'code' | 'secret';

/** What an entry says with `.meta()`, besides its type, its checks and its default. */
interface About {
  readonly description?: string;
  /** The environment variable of the standalone host. */
  readonly variable?: string;
  readonly shown?: Shown;
}

export interface ConfigField extends Required<Omit<About, 'variable'>> {
  /** Dotted, as mistakes are named: `jobs.leaseSeconds`. */
  readonly path: string;
  readonly schema: z.core.$ZodType;
  readonly variable: string | undefined;
}

/** Every field that holds a value. One that may be set in several ways has a path for each. */
export function configFields(schema: z.core.$ZodType): readonly ConfigField[] {
  const fields = leaves(schema, '', {});
  return [...new Map(fields.map((field) => [field.path, field])).values()];
}

function leaves(schema: z.core.$ZodType, path: string, above: About, outer = schema): readonly ConfigField[] {
  const about: About = { ...above, ...z.globalRegistry.get(schema) };
  if (schema instanceof z.ZodObject) {
    const { description = '' } = about;
    return Object.entries(schema.shape as z.core.$ZodShape).flatMap(([name, field]) =>
      leaves(field, path === '' ? name : `${path}.${name}`, { description }),
    );
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return leaves(schema.def.innerType as z.core.$ZodType, path, about, outer);
  }
  if (schema instanceof z.ZodUnion && schema.options.every((option) => option instanceof z.ZodObject)) {
    return schema.options.flatMap((option) => leaves(option, path, about));
  }
  const { description = '', variable, shown = isPlain(schema) ? 'plain' : 'secret' } = about;
  return [{ path, schema: outer, description, variable, shown }];
}

/** Numbers, switches and names of a set hold no secret. A text that may be shown says so. */
function isPlain(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodArray) return isPlain(schema.element as z.core.$ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.every(isPlain);
  return [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral].some((kind) => schema instanceof kind);
}

/** The schema without defaults and what else is around it. */
export function bareSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: input } = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = innerType ?? input;
  return inner === undefined ? schema : bareSchema(inner);
}

/** The fields of the object that a path leads to; none if it leads to no object. */
export function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { shape } = bareSchema(schema) as { shape?: Readonly<Record<PropertyKey, z.core.$ZodType>> };
  const [first, ...rest] = path;
  if (shape === undefined) return [];
  if (first === undefined) return Object.keys(shape);
  const next = shape[first];
  return next === undefined ? [] : fieldsAt(next, rest);
}

/** What stands at a dotted path. */
export function valueAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined | null)?.[name], config);
}
