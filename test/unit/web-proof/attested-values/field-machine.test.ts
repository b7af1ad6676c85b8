import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFieldMachine } from '../../../../core/web-proof/attested-values/field-machine.ts';
import { FIELD_ORDER } from '../../../../core/web-proof/attested-values/field-matrix.ts';

const MOST_TERMS = 40;
const [left, right, out] = [0, MOST_TERMS, 2 * MOST_TERMS];

const element = fc.oneof(
  fc.constantFrom(0n, 1n, FIELD_ORDER - 1n, 1n << 29n, (1n << 253n) - 1n),
  fc.bigInt({ min: 0n, max: FIELD_ORDER - 1n }),
);
const pairs = (count: number) => fc.array(fc.tuple(element, element), { minLength: count, maxLength: count });

// The sums of limbs are carried after every sixth term.
it.each([1, 5, 6, 7, 12, 21, MOST_TERMS])('sums %i products, and the largest ones', (count) => {
  const machine = createFieldMachine(FIELD_ORDER, out + 1, [{ kind: 'dot', out, left, right, count }]);
  const agrees = (terms: readonly (readonly [bigint, bigint])[]) => {
    for (const [i, [a, b]] of terms.entries()) {
      machine.write(left + i, a);
      machine.write(right + i, b);
    }
    machine.run();
    expect(machine.read(out)).toBe(terms.reduce((sum, [a, b]) => sum + a * b, 0n) % FIELD_ORDER);
  };
  agrees(new Array(count).fill([FIELD_ORDER - 1n, FIELD_ORDER - 1n]));
  fc.assert(
    fc.property(pairs(count), (terms) => void agrees(terms)),
    { numRuns: 50 },
  );
});

it('continues with sums that are larger than the order', () => {
  const machine = createFieldMachine(FIELD_ORDER, 4, [
    { kind: 'add', out: 2, left: 0, right: 1 },
    { kind: 'dot', out: 3, left: 2, right: 2, count: 1 },
    { kind: 'add', out: 3, left: 3, right: 2 },
  ]);
  const agrees = fc.property(element, element, (a, b) => {
    machine.write(0, a);
    machine.write(1, b);
    machine.run();
    expect(machine.read(3)).toBe(((a + b) ** 2n + a + b) % FIELD_ORDER);
  });
  fc.assert(agrees, { numRuns: 200 });
});
