/**
 * What a database lacks of the schema. Changes of the schema only add: tables, indexes, and columns that may be null or have a
 * default. So a release finds what an earlier one has made, adds the rest, and both can run on it.
 */

/**
 * The statements of the schema that add what is missing, in their order.
 * @param columns that are there
 * @param indexes by their names
 */
export function additions(
  schema: string,
  columns: readonly { readonly table: string; readonly column: string }[],
  indexes: readonly { readonly name: string }[],
): string[] {
  const known = Map.groupBy(columns, ({ table }) => table);
  const statements = schema.split(/;\s*(?=CREATE |$)/).map((statement) => statement.trim());
  return statements.flatMap((statement) => {
    const [, index] = /^CREATE (?:UNIQUE )?INDEX (\w+)/.exec(statement) ?? [];
    if (index !== undefined) return indexes.some(({ name }) => name === index) ? [] : [statement];
    const [, table = '', body = ''] = /^CREATE TABLE (\w+) \(\n(.*)\n\)/s.exec(statement) ?? [];
    const there = known.get(table)?.map(({ column }) => column);
    if (there === undefined) return statement === '' ? [] : [statement];
    const lines = body.split(',\n').map((line) => line.trim());
    const added = lines.filter((line) => /^[a-z]/.test(line) && !there.includes(line.split(' ', 1)[0] ?? ''));
    return added.map((line) => `ALTER TABLE ${table} ADD COLUMN ${line}`);
  });
}
