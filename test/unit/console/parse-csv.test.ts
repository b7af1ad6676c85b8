import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../plugins/console/app/parts/parse-csv.ts';

const REQUIRED = ['externalId', 'handle'];
const parse = (text: string) => parseCsv(text, REQUIRED, 3);

describe('a CSV file for the console', () => {
  it.each([
    ['commas', 'externalId,handle\nu1,@ada\n'],
    ['semicolons', 'externalId;handle\r\nu1;@ada'],
    ['quotes', '"externalId","handle"\n"u1","@ada"'],
    ['a mark of its encoding, blanks and another case', '\uFEFF EXTERNALID , handle \n u1 , @ada \n\n,\n'],
  ])('may have %s', (_name, text) => {
    expect(parse(text)).toMatchObject([{ values: { externalid: 'u1', handle: '@ada' } }]);
  });

  it('keeps separators, quotes and lines within quotes, and gives missing cells no text', () => {
    expect(parse('externalId,handle,displayName\n"a,""b""\nc",x')).toMatchObject([
      { values: { externalid: 'a,"b"\nc', handle: 'x', displayname: '' } },
    ]);
  });

  it('says on which line of the file each row begins', () => {
    expect(parse('externalId,handle\r\n"a\nb",x\r\n\r\n,\r\nc,y').map(({ line }) => line)).toEqual([2, 6]);
  });

  it.each([
    ['without a column', 'externalId\nu1', 'lacks handle'],
    ['with a column twice', 'externalId,handle,Handle\nu1,a,b', 'names handle twice'],
    ['that is empty', '', 'lacks externalId, handle'],
    ['with an open quote', 'externalId,handle\n"u1,x', 'not closed'],
    ['with too many rows', `externalId,handle\n${'a,b\n'.repeat(4)}`, 'has 4 rows'],
  ])('is refused %s', (_name, text, why) => {
    expect(() => parse(text)).toThrow(why);
  });
});
