import { describe, expect, it } from 'vitest';
import { format } from '../../../hosts/cli/output.ts';

describe('the output of a command', () => {
  it('says none when what was looked for is not there', () => {
    expect(format({ data: null }, 'text')).toBe('none');
    expect(format({ data: [] }, 'text')).toBe('none');
    expect(format(undefined, 'text')).toBe('done');
  });

  it('ends with the warning beside the data', () => {
    const warning = 'Sent to nobody.';
    expect(format({ data: { redelivered: 1 }, warning }, 'text')).toBe(`redelivered  1\nwarning: ${warning}`);
    expect(format({ data: [], warning }, 'text')).toBe(`none\nwarning: ${warning}`);
    expect(format({ data: [{ id: 1 }], warning }, 'csv')).toBe('id\r\n1');
  });

  it('has no column for an object that is null in some rows', () => {
    const rows = [
      { id: 1, comment: null, note: null },
      { id: 2, comment: { text: 'Me!' }, note: null },
    ];
    expect(format({ data: rows }, 'csv').split('\r\n')).toEqual(['id,note,comment.text', '1,,', '2,,Me!']);
    expect(format({ data: rows }, 'text').split('\n')[0]).toMatch(/^id +note +comment\.text$/);
  });

  it('fits a terminal: the widest cells are cut, and without room for a table each row has lines', () => {
    const data = [{ id: 1, name: 'a'.repeat(50), url: 'b'.repeat(30) }];
    const wide = format({ data }, 'text', 60).split('\n');
    expect(wide.map((line) => line.length <= 60)).toEqual([true, true]);
    expect(wide[1]).toMatch(/^1 {3}a+… {2}b+…?$/);
    expect(format({ data }, 'text', 20)).toBe(`id    1\nname  ${'a'.repeat(50)}\nurl   ${'b'.repeat(30)}`);
  });

  it('has a table for each list of objects in an object, and a line for each value of a list', () => {
    const answer = {
      results: [
        { url: 'https://a.test/1', ok: true, likes: 3 },
        { url: 'https://a.test/2', ok: false, error: { code: 'POST_NOT_FOUND' } },
      ],
      summary: { total: 2, warnings: ['one', 'two'], notes: [] },
    };
    expect(format(answer, 'text').split('\n')).toEqual([
      'summary.total     2',
      'summary.warnings  one',
      '                  two',
      'summary.notes     none',
      '',
      'results:',
      'url               ok     likes  error.code',
      'https://a.test/1  true   3',
      'https://a.test/2  false         POST_NOT_FOUND',
    ]);
    expect(format({ results: [{ id: 1 }] }, 'text')).toBe('results:\nid\n1');
  });

  it('joins the values of a list in a cell', () => {
    const rows = [
      { id: 1, events: ['creator.verified', 'reward.issued'] },
      { id: 2, events: [] },
    ];
    const lines = format({ data: rows }, 'text').split('\n');
    expect(lines).toEqual(['id  events', '1   creator.verified, reward.issued', '2   none']);
    expect(format({ data: rows }, 'csv').split('\r\n')[2]).toBe('2,[]');
  });

  it('shows nothing in a column that only another row has, whatever its name', () => {
    const rows = [{ id: 1 }, JSON.parse('{"id":2,"constructor":"a","__proto__":"b","toString":"c"}')];
    const lines = format({ data: rows }, 'csv').split('\r\n');
    expect(lines).toEqual(['id,constructor,__proto__,toString', '1,,,', '2,a,b,c']);
    expect(format({ data: rows }, 'text').split('\n')[1]).toBe('1');
  });

  const HOSTILE = ['\u001b[2J', '\u009b31m', '\u0007', '\u007f', '\u009d0;t\u009c', '\u202eexe', '\u2066', 'a\rb'].join(
    ' ',
  );
  const OBEYED = /(?![\n\t]|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

  it.each(['text', 'json', 'csv'] as const)('as %s has nothing that a terminal obeys, in values and names', (as) => {
    const row = { id: 1, text: HOSTILE, [`name ${HOSTILE}`]: [HOSTILE], inner: { list: [{ of: HOSTILE }] } };
    for (const answer of [{ data: [row], warning: HOSTILE }, { data: row }, { data: HOSTILE }, [HOSTILE]]) {
      const text = format(answer, as);
      expect(text).not.toMatch(OBEYED);
      if (as === 'json') expect(JSON.parse(text)).toEqual(answer);
    }
  });

  it('lets no line of a value pass for another field', () => {
    expect(format({ data: { body: 'x\nnotary  trusted', notary: 'unknown' } }, 'text').split('\n')).toEqual([
      'body    x',
      '        notary  trusted',
      'notary  unknown',
    ]);
  });

  it('as CSV strips control characters before it looks for a formula, also of names', () => {
    const rows = [{ text: '\u0001=1+1', '\u0002@a': -2 }];
    expect(format({ data: rows }, 'csv').split('\r\n')).toEqual(['text,"\'@a"', '"\'=1+1",-2']);
  });
});
