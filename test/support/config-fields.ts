/** The fields of the library's configuration, by the schema that checks it. */
import * as fields from '../../plugins/compose/config-fields.ts';
import { configSchema } from '../../plugins/compose/config-schema.ts';

export { valueAt } from '../../plugins/compose/config-fields.ts';

/** Every field that holds a value; one that may be set in several ways has a path for each. */
export const configFields = () => fields.configFields(configSchema);

/** A configuration with nothing but this value at a dotted path. */
export function configWith(path: string, value: unknown): Readonly<Record<string, unknown>> {
  return path
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<Record<string, unknown>>;
}
