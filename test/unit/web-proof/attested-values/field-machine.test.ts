import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFieldMachine, type Pair } from '../../../../core/web-proof/attested-values/field-machine.ts';
import { FIELD_ORDER } from '../../../../core/web-proof/attested-values/field-matrix.ts';

const MOST_TERMS = 40;
const [left, right, out] = [0, MOST_TERMS, 2 * MOST_TERMS];

const element = fc.oneof(
  fc.constantFrom(0n, 1n, FIELD_ORDER - 1n, 1n << 29n, (1n << 253n) - 1n),
  fc.bigInt({ min: 0n, max: FIELD_ORDER - 1n }),
);
const pair = fc.tuple(element, element);
const terms = (count: number) => fc.array(fc.tuple(pair, pair), { minLength: count, maxLength: count });
type Term = readonly [Pair, Pair];

// The sums of limbs are carried after every seventh term.
it.each([1, 2, 6, 7, 8, 14, 21, MOST_TERMS])('sums %i products of two computations, and the largest ones', (count) => {
  const machine = createFieldMachine(FIELD_ORDER, out + 1, [{ kind: 'dot', out, left, right, count }]);
  const agrees = (given: readonly Term[]) => {
    for (const [i, [a, b]] of given.entries()) {
      machine.write(left + i, a);
      machine.write(right + i, b);
    }
    machine.run();
    const sum = (lane: 0 | 1) => given.reduce((total, [a, b]) => total + a[lane] * b[lane], 0n) % FIELD_ORDER;
    expect(machine.read(out)).toEqual([sum(0), sum(1)]);
  };
  const largest = [FIELD_ORDER - 1n, FIELD_ORDER - 1n] as const;
  agrees(new Array<Term>(count).fill([largest, largest]));
  fc.assert(
    fc.property(terms(count), (given) => void agrees(given)),
    { numRuns: 50 },
  );
});

it('continues with sums that are larger than the order', () => {
  const machine = createFieldMachine(FIELD_ORDER, 5, [
    { kind: 'add', out: 2, left: 0, right: 1 },
    { kind: 'add', out: 4, left: 2, right: 2 },
    { kind: 'dot', out: 3, left: 4, right: 4, count: 1 },
    { kind: 'add', out: 3, left: 3, right: 2 },
  ]);
  const agrees = fc.property(pair, pair, (a, b) => {
    machine.write(0, a);
    machine.write(1, b);
    machine.run();
    const result = (lane: 0 | 1) => ((2n * (a[lane] + b[lane])) ** 2n + a[lane] + b[lane]) % FIELD_ORDER;
    expect(machine.read(3)).toEqual([result(0), result(1)]);
  });
  fc.assert(agrees, { numRuns: 200 });
});
