import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packValues, unpackValues } from '../../../../adapters/claim-thread/messages.ts';
import { VALUE_KINDS, type ValueKind } from '../../../../core/web-proof/extraction/journal-value.ts';

const kinds = Object.keys(VALUE_KINDS) as ValueKind[];
const text = fc.string({ unit: 'grapheme' });
const value = fc.record({ kind: fc.constantFrom(...kinds), text }, { noNullPrototype: true });

it('gives a thread the same values in the same order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, value)), (values) => {
      expect(unpackValues(structuredClone(packValues(values)))).toEqual(values);
    }),
  );
});
