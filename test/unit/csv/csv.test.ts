import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { parseCsv, readTable, toCsv } from '../../../plugins/csv/index.ts';

/** What a spreadsheet would have in its cells. */
const cellsOf = (text: string) => Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' }).data;

describe('reading', () => {
  it('reads back every table that is written in quotes', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', 'é', '😀'), maxLength: 6 });
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n', '\r'), (rows, end) => {
        const text = rows.map((cells) => cells.map(quoted).join(',')).join(end);
        expect(parseCsv(`"a","b"${end}${text}`).map(({ cells }) => cells)).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });

  it('names the line on which a row begins, leaves blank lines out, and takes mixed line ends', () => {
    expect(parseCsv('\uFEFFa,"x\r\ny"\r\n\r\nb,\n \nc,d\r"e"')).toEqual([
      { line: 1, cells: ['a', 'x\ny'] },
      { line: 4, cells: ['b', ''] },
      { line: 6, cells: ['c', 'd'] },
      { line: 7, cells: ['e'] },
    ]);
  });

  it('reads semicolons where the first line has no comma', () => {
    expect(parseCsv('a;b\n"1;2";3,4').map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['1;2', '3,4'],
    ]);
  });

  it.each([
    ['a\nb,"x', 'Line 2 has a quote that is never closed.'],
    ['a\n\n"x\ny",b"c"', 'Line 3 has a quote inside a cell.'],
    ['a\n"x"y', 'Line 2 has a quote inside a cell.'],
    ['a\n"x" ,y', 'Line 2 has a quote inside a cell.'],
    ['a;b\n1;x"', 'Line 2 has a quote inside a cell.'],
  ])('refuses %j', (text, message) => {
    expect(() => parseCsv(text)).toThrow(message);
  });
});

describe('a table with names in its first line', () => {
  const read = (text: string) => readTable(text, ['externalId', 'handle'], ['displayName']);

  it.each([
    ['commas', 'externalId,handle\nu1,@ada\n'],
    ['semicolons', 'externalId;handle\r\nu1;@ada'],
    ['quotes', '"externalId","handle"\n"u1","@ada"'],
    [
      'a mark of its encoding, blanks, another spelling and rows without text',
      '\uFEFF EXTERNAL ID , handle \n u1 , @ada \n\n,\n',
    ],
    ['cells without text', 'external_id,handle,displayName\nu1,@ada,'],
  ])('may have %s', (_name, text) => {
    expect(read(text)).toEqual([{ line: 2, values: { externalId: 'u1', handle: '@ada' } }]);
  });

  it('says on which line of the file each row begins', () => {
    expect(read('externalId,handle\r\n"a\nb",x\r\n\r\n,\r\nc,y').map(({ line }) => line)).toEqual([2, 6]);
  });
});

describe('a file of refused rows', () => {
  const read = (text: string) => readTable(text, ['handle'], ['email']).map(({ values }) => values);
  const written = (handle: string) => toCsv(['line', 'code', 'reason', 'handle'], [[2, 'X', 'Y', handle]]);

  it('is read as what was written, without what it says of the rows', () => {
    const part = fc.constantFrom('a', '"', "'", ',', ';', '\t', '\n', ' ', '\u200b', '=', '-', '＝', ')', '(');
    const handle = fc.string({ unit: part, minLength: 1 }).filter((text) => text === text.trim());
    fc.assert(
      fc.property(handle, (text) => {
        expect(read(written(text))).toEqual([{ handle: text }]);
      }),
      { numRuns: 1_000 },
    );
    expect(read("Line,CODE,reason,handle\n2,X,Y,'＝smile\n3,X,Y,nice;'=x\n4,X,Y,''=lit")).toEqual(
      ['＝smile', 'nice;=x', "'=lit"].map((text) => ({ handle: text })),
    );
  });

  it('is one only with all its columns: other files keep their quotes', () => {
    for (const columns of ['', 'line,', 'code,reason,']) {
      expect(read(`${columns}handle\n${columns}'=x;'=y`)).toEqual([{ handle: "'=x;'=y" }]);
    }
    expect(() => read('line,line,handle\n1,2,a')).toThrow('unknown or there twice: line. Known: handle, email.');
  });
});

describe('writing', () => {
  it('writes text that reads back the same', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '1', '"', ',', ';', '\n', ' ', 'é', '😀'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 4 }), (rows) => {
        expect(cellsOf(toCsv(['x', 'y'], rows)).slice(1)).toEqual(rows.map((row) => row.map(unled)));
      }),
    );
  });

  /** A line feed in front is taken for a formula too. */
  const unled = (text: string) => (text.startsWith('\n') ? `'${text}` : text);

  it('makes text of what a spreadsheet would run, whatever is hidden before it', () => {
    const stripped = ['\u0000', '\u0001', '\u0008', '\u001b', '\u007f', '\u009b', '\u0085', '\u202e', '\u2066'];
    const trimmed = [' ', '\t', '\n', '\u00a0', '\u200b', '\u2060', '\ufeff'];
    const before = fc.array(fc.constantFrom(...stripped, ...trimmed), { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(before, fc.constantFrom(...'=+-@＝＋－＠﹢﹣﹦﹫'), (front, first) => {
        const [[cell = ''] = []] = cellsOf(toCsv([`${front}${first}1+1`], []));
        expect(cell.startsWith("'")).toBe(true);
        expect(cell).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('makes text of what a spreadsheet would run that separates by semicolons or tabs', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r\n', ' ', '\u200b', '=', '@') });
    fc.assert(
      fc.property(text, (comment) => {
        // Quotes are none to it, since they do not begin what it takes for a cell.
        const cells = toCsv(['id', 'text'], [['u1', comment]]).split(/[;\t\n]/);
        expect(cells.filter((cell) => /^["\s\u200b]*[=@]/.test(cell))).toEqual([]);
      }),
    );
    expect(cellsOf(toCsv(["nice;=1+cmd|'/C calc'!A1"], []))).toEqual([["nice;'=1+cmd|'/C calc'!A1"]]);
  });

  it.each([
    ['hi ;-) there', 'hi ;-) there'],
    ['5;-)', '5;-)'],
    ['so;=)); \n-)', 'so;=)); \n-)'],
    [';-);=1+cmd', ";-);'=1+cmd"],
    ['a;-5+cmd', "a;'-5+cmd"],
    ['a;@SUM(A1)', "a;'@SUM(A1)"],
    ['a;-(1+cmd)', "a;'-(1+cmd)"],
    // The next cell may be `5+cmd`: a formula where commas are decimal.
    ['a;-', "a;'-"],
    ['-)', "'-)"],
  ])('leaves smileys behind a semicolon as they are, but no formula: %j', (text, written) => {
    expect(cellsOf(toCsv([text], []))).toEqual([[written]]);
  });

  it('leaves numbers as they are, and nothing for what is missing', () => {
    expect(toCsv(['a'], [[-5], ['-5'], [null], [undefined], [true]])).toBe('a\r\n-5\r\n"\'-5"\r\n\r\n\r\ntrue');
  });
});
