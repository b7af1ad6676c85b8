/** A schema as a table that reads from top to bottom: one row a field, nested fields under dotted names. */
import { Html, html, joined } from '../html.ts';
import { type DocsDocument, type DocsSchema, resolveSchema } from './document.ts';
import { inline } from './prose.ts';

interface Row {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly schema: DocsSchema;
}

/** Deep enough for every body of the API, and an end for one that refers to itself. */
const MAX_DEPTH = 8;

/** The fields of a body. Empty when the schema has none to show. */
export function schemaTable(document: DocsDocument, schema: DocsSchema, caption: string): Html {
  const rows = withoutBareObjects(rowsOf(document, schema, '', 0));
  if (rows.length === 0) return new Html('');
  return html`<table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>
${joined(rows.map(rowMarkup))}
</tbody>
</table>`;
}

function rowMarkup({ name, type, required, schema }: Row): Html {
  return html`<tr><th scope="row"><code>${name}</code>${required ? '' : ' '}${required ? '' : html`<small>optional</small>`}</th><td>${type}</td><td>${notesOf(schema)}</td></tr>`;
}

/** Type, format and values in words: `string (uri) or null`. */
export function typeOf(document: DocsDocument, given: DocsSchema): string {
  const schema = resolveSchema(document, given);
  const branches = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
  if (branches) return [...new Set(branches.map((branch) => typeOf(document, branch)))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.items) return `array of ${typeOf(document, schema.items)}`;
  const names = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any');
  return schema.format === undefined ? names : `${names} (${schema.format})`;
}

function notesOf(schema: DocsSchema): Html {
  const { minimum, maximum, maxLength, maxItems, description } = schema;
  const bounds = [
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== '');
  return html`${inline(description ?? '')}${description && bounds.length > 0 ? ' ' : ''}${bounds.length > 0 ? html`<small>${bounds.join(', ')}</small>` : ''}`;
}

/** Notes of one schema, for tables of parameters. */
export function parameterNotes(schema: DocsSchema, description: string | undefined): Html {
  return notesOf(description === undefined ? schema : { ...schema, description });
}

function rowsOf(document: DocsDocument, given: DocsSchema, prefix: string, depth: number): Row[] {
  if (depth > MAX_DEPTH) return [];
  const schema = resolveSchema(document, given);
  const inner = (part: DocsSchema, name: string) => rowsOf(document, part, name, depth + 1);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([field, value]) => {
    const name = prefix === '' ? field : `${prefix}.${field}`;
    const required = schema.required?.includes(field) ?? false;
    const resolved = resolveSchema(document, value);
    // What stands beside a reference describes the field, not the type.
    const notes = value.description === undefined ? resolved : { ...resolved, description: value.description };
    return [{ name, type: typeOf(document, value), required, schema: notes }, ...inner(value, name)];
  });
  const items = schema.items ? inner(schema.items, `${prefix}[]`) : [];
  const branches = (schema.anyOf ?? schema.oneOf ?? []).flatMap((branch) => inner(branch, prefix));
  return distinct([...fields, ...items, ...branches]);
}

/** An object says nothing that its fields do not say, unless it has a note or may be left out. */
function withoutBareObjects(rows: readonly Row[]): Row[] {
  return rows.filter(
    ({ name, type, required, schema }) =>
      type !== 'object' ||
      !required ||
      schema.description !== undefined ||
      !rows.some((row) => row.name.startsWith(`${name}.`)),
  );
}

/** Branches of a union share fields; the first mention stands, with the types of all. */
function distinct(rows: readonly Row[]): Row[] {
  const byName = new Map<string, Row>();
  for (const row of rows) {
    const seen = byName.get(row.name);
    if (seen === undefined) byName.set(row.name, row);
    else if (!seen.type.includes(row.type)) byName.set(row.name, { ...seen, type: `${seen.type} or ${row.type}` });
  }
  return [...byName.values()];
}
