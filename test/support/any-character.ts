import fc from 'fast-check';

const SURROGATES = { start: 0xd800, count: 0x800 };

/**
 * One character of Unicode, for `fc.string({ unit: anyCharacter })`. The unit `'binary'` of fast-check gives the same, but
 * makes a map of a million characters first: seconds and 100 MiB in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((index) => String.fromCodePoint(index < SURROGATES.start ? index : index + SURROGATES.count));
