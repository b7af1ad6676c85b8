/**
 * What a database lacks of the schema. Changes of the schema only add: tables, indexes, and columns that may be null or have a
 * default. So a release finds what an earlier one has made, adds the rest, and both can run on it.
 */

/** What is there: the columns of tables, and the names of indexes. */
export interface Existing {
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly indexes: ReadonlySet<string>;
}

/** Rows with `table` and `column`, and rows with the `name` of an index. */
export function existingIn(
  columns: readonly { readonly table: string; readonly column: string }[],
  indexes: readonly { readonly name: string }[],
): Existing {
  const byTable = Map.groupBy(columns, ({ table }) => table);
  return {
    columns: new Map([...byTable].map(([table, of]) => [table, new Set(of.map(({ column }) => column))])),
    indexes: new Set(indexes.map(({ name }) => name)),
  };
}

/** The statements of the schema that add what is missing, in their order. */
export function additions(schema: string, { columns, indexes }: Existing): string[] {
  const statements = schema.split(/;\s*(?=CREATE |$)/).map((statement) => statement.trim());
  return statements.flatMap((statement) => {
    const [, index] = /^CREATE (?:UNIQUE )?INDEX (\w+)/.exec(statement) ?? [];
    if (index !== undefined) return indexes.has(index) ? [] : [statement];
    const [, table = '', body = ''] = /^CREATE TABLE (\w+) \(\n(.*)\n\)/s.exec(statement) ?? [];
    const known = columns.get(table);
    if (known === undefined) return statement === '' ? [] : [statement];
    const lines = body.split(',\n').map((line) => line.trim());
    const added = lines.filter((line) => /^[a-z]/.test(line) && !known.has(line.split(' ', 1)[0] ?? ''));
    return added.map((line) => `ALTER TABLE ${table} ADD COLUMN ${line}`);
  });
}
