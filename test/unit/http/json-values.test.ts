import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoreValuesThan, MAX_JSON_VALUES, parseBody } from '../../../plugins/http/body.ts';
import { anyCharacter } from '../../support/any-character.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Objects, lists, and what is in them; keys count with their values. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 0);
}

describe('counting the values of a JSON text', () => {
  it('never falls short of what the text unfolds to, and stays near it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), fc.nat(3), (value, indent) => {
        const text = bytes(JSON.stringify(value, null, indent));
        const count = valuesIn(value);
        expect(hasMoreValuesThan(count - 1, text)).toBe(true);
        expect(hasMoreValuesThan(2 * count, text)).toBe(false);
      }),
    );
  });

  it('lets a body hold 65,536 values', async () => {
    const list = (length: number) => bytes(`[${'0,'.repeat(length - 1)}0]`);
    const parse = async (length: number) => parseBody({ bytes: list(length) }, 'application/json');
    // The list is a value too.
    expect(await parse(65_535)).toHaveLength(65_535);
    await expect(parse(65_536)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('refuses large bodies of many values before they are unfolded, and lets long texts through', async () => {
    const parse = async (text: string) => parseBody({ bytes: bytes(text) }, 'application/json');
    for (const unit of ['{},', '[],', '0,', '[', '{"":', '"",']) {
      await expect(parse(`[${unit.repeat(MAX_JSON_VALUES + 1)}`), unit).rejects.toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
      });
    }
    expect(await parse(`{"data":"${'[{,'.repeat(MAX_JSON_VALUES)}","list":[1,2]}`)).toMatchObject({ list: [1, 2] });
  });
});
