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
});
