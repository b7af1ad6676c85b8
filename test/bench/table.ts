/** Rows for people. */
import { type BenchRow, reachesAim } from './bench.ts';

const HEADINGS = ['', 'Credence', 'compared with', '', 'ratio', 'spread', 'aim', ''] as const;

export function formatTable(rows: readonly BenchRow[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const numeric = new Set([1, 3, 4]);
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        numeric.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const notes = rows.flatMap(({ name, note }) => (note === undefined ? [] : [`  ${name}: ${note}`]));
  return [...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function cellsOf(row: BenchRow): readonly string[] {
  const reached = reachesAim(row);
  return [
    row.name,
    `${digits(row.figure)} ${row.unit.name}`,
    row.reference?.name ?? '',
    row.reference === null ? '' : `${digits(row.reference.figure)} ${row.unit.name}`,
    row.ratio === null ? '' : digits(row.ratio),
    row.spread.map(digits).join('–'),
    aimText(row),
    reached === null ? '' : reached ? 'ok' : 'MISSED',
  ];
}

function aimText({ aim, unit }: BenchRow): string {
  if (aim === undefined) return '';
  const bounds = [
    ...(aim.atLeast === undefined ? [] : [`≥ ${aim.atLeast}`]),
    ...(aim.atMost === undefined ? [] : [`≤ ${aim.atMost}`]),
  ];
  const of = aim.of === 'ratio' ? '' : aim.of === 'difference' ? ` ${unit.name} more` : ` ${unit.name}`;
  return bounds.join(', ') + of;
}

/** Three digits that mean something; whole numbers from a hundred on. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
