import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CsvRow, csvRows } from '../../../hosts/cli/csv-rows.ts';

async function* pieces(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function read(texts: readonly string[]): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of csvRows(pieces(texts))) rows.push(row);
  return rows;
}

it('reads back every table that is written in quotes, however its text is cut into pieces', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é', '😀'), maxLength: 6 });
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom('\n', '\r\n', '\r'), fc.nat(20), async (rows, end, cut) => {
      const text = rows.map((cells) => cells.map(quoted).join(',')).join(end);
      const found = await read([text.slice(0, cut), text.slice(cut)]);
      expect(found.map(({ cells }) => cells)).toEqual(rows);
    }),
  );
});

it('names the line on which a row begins, and leaves empty lines out', async () => {
  expect(await read(['a,"x\r\ny"\r\n\r\nb,\n"c"'])).toEqual([
    { line: 1, cells: ['a', 'x\r\ny'] },
    { line: 4, cells: ['b', ''] },
    { line: 5, cells: ['c'] },
  ]);
});

it('refuses a cell that is too large instead of holding it', async () => {
  await expect(read(['"', 'x'.repeat(10_001)])).rejects.toThrow('more than 10000 characters');
  await expect(read([','.repeat(300)])).rejects.toThrow('more than 200 cells');
});
