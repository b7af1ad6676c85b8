/**
 * The tables of the reference pages are those of the code. If one is out of date, `npx vitest run test/unit/docs -u` writes it again;
 * the prose around the tables is written by hand.
 */

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { ERROR_CATALOGUE } from '../../../core/errors.ts';
import { describeEnvironment, FIELDS, readEnvironment, toConfig } from '../../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { configFields, valueAt } from '../../support/config-fields.ts';

type Rows = readonly (readonly string[])[];

/** Compares a page with itself after its marked tables were written again. */
async function expectTables(page: string, tables: Readonly<Record<string, Rows>>): Promise<void> {
  const path = `../../../docs/${page}.md`;
  let text = readFileSync(new URL(path, import.meta.url), 'utf8');
  for (const [name, [head = [], ...rows]] of Object.entries(tables)) {
    const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
    const marked = new RegExp(`(<!-- ${name} -->\n\n)[\\s\\S]*?(\n\n<!-- end -->)`);
    expect(text, name).toMatch(marked);
    text = text.replace(marked, (_all, before: string, after: string) => before + table + after);
  }
  expect(text).not.toMatch(/^[^|\n].*\n\|/m); // a row that belongs to no table
  await expect(text).toMatchFileSnapshot(path);
}

/** The value of a field when nothing is set: of the library, if the host has another one. */
function libraryDefault(field: string): string | null {
  const [library, host] = [{}, { ...toConfig(readEnvironment({})), zkProver: fakeProver() }].map((config) =>
    valueAt(resolveConfig(config), field),
  );
  return isDeepStrictEqual(library, host) ? null : `\`${JSON.stringify(library)}\``;
}

it('has every error', async () => {
  const rows = Object.entries(ERROR_CATALOGUE)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, description }]) => [`\`${code}\``, String(status), description]);
  await expectTables('errors', { errors: [['Code', 'Status', 'Meaning'], ...rows] });
});

it('has every variable and every field', async () => {
  const variables = describeEnvironment()
    .split('\n')
    .map((line) => {
      const [, name = '', description = '', fallback] = /^ {2}(\S+) +(.*?)(?: \[([^\]]*)\])?$/.exec(line) ?? [];
      const field = FIELDS.get(name);
      const other = field === undefined ? null : libraryDefault(field);
      const defaults = [fallback === undefined ? '' : `\`${fallback}\``, other === null ? '' : `in code ${other}`];
      return [
        `\`${name}\``,
        field === undefined ? '' : `\`${field}\``,
        defaults.filter((text) => text !== '').join('; '),
        description,
      ];
    });
  const withVariable = new Set(FIELDS.values());
  const fields = configFields()
    .filter(({ path }) => !withVariable.has(path))
    .map(({ path, description }) => [`\`${path}\``, description]);
  await expectTables('configuration', {
    variables: [['Variable', 'In code', 'Default', 'Meaning'], ...variables],
    fields: [['In code', 'Meaning'], ...fields],
  });
});
