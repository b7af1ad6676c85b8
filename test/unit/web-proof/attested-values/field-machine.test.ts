import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONSTANT_BYTES } from '../../../../core/web-proof/attested-values/field-limbs.ts';
import { FIELD_ORDER as order } from '../../../../core/web-proof/attested-values/field-matrix.ts';
import type { FieldMachine, FieldProgram, Pair } from '../../../../core/web-proof/attested-values/field-program.ts';
import { createIntegerMachine } from '../../../../core/web-proof/attested-values/integer-machine.ts';
import { createVectorMachine } from '../../../../core/web-proof/attested-values/vector-machine.ts';
import { compile, get, i64, type Procedure, store } from '../../../../core/web-proof/wasm-module.ts';

const MOST_TERMS = 40;
const [left, right, out] = [0, MOST_TERMS, 2 * MOST_TERMS];

const element = fc.oneof(
  fc.constantFrom(0n, 1n, order - 1n, 1n << 51n, (1n << 51n) - 1n, (1n << 253n) - 1n),
  fc.bigInt({ min: 0n, max: order - 1n }),
);
const pair = fc.tuple(element, element);
const terms = (count: number) => fc.array(fc.tuple(pair, pair), { minLength: count, maxLength: count });
type Term = readonly [Pair, Pair];

function vectorMachine(program: FieldProgram): FieldMachine {
  const machine = createVectorMachine(program);
  if (machine === null) throw new Error('This processor cannot multiply and add at once.');
  return machine;
}

describe.each([
  ['vectors', vectorMachine],
  ['integers', createIntegerMachine],
])('a machine of %s', (_, create) => {
  it.each([1, 2, 7, 20, MOST_TERMS])('sums %i products of two computations, and the largest ones', (count) => {
    const machine = create({ order, elements: out + 1, operations: [{ kind: 'dot', out, left, right, count }] });
    const agrees = (given: readonly Term[]) => {
      for (const [i, [a, b]] of given.entries()) {
        machine.write(left + i, a);
        machine.write(right + i, b);
      }
      machine.run();
      const sum = (lane: 0 | 1) => given.reduce((total, [a, b]) => total + a[lane] * b[lane], 0n) % order;
      expect(machine.read(out)).toEqual([sum(0), sum(1)]);
    };
    const largest = [order - 1n, order - 1n] as const;
    agrees(new Array<Term>(count).fill([largest, largest]));
    fc.assert(
      fc.property(terms(count), (given) => void agrees(given)),
      { numRuns: 50 },
    );
  });

  it('continues with sums that are larger than the order', () => {
    const machine = create({
      order,
      elements: 5,
      operations: [
        { kind: 'add', out: 2, left: 0, right: 1 },
        { kind: 'dot', out: 4, left: 2, right: 2, count: 1 },
        { kind: 'add', out: 3, left: 4, right: 2 },
        { kind: 'dot', out: 4, left: 3, right: 2, count: 1 },
      ],
    });
    const agrees = fc.property(pair, pair, (a, b) => {
      machine.write(0, a);
      machine.write(1, b);
      machine.run();
      const result = (lane: 0 | 1) => {
        const sum = a[lane] + b[lane];
        return ((sum ** 2n + sum) * sum) % order;
      };
      expect(machine.read(4)).toEqual([result(0), result(1)]);
    });
    fc.assert(agrees, { numRuns: 200 });
  });
});

describe('a machine of vectors', () => {
  const program = { order, elements: 3, operations: [] };

  it('is none without relaxed vector instructions', () => {
    expect(createVectorMachine(program, null)).toBeNull();
  });

  it('is none if products come out wrong, as on a processor that rounds twice', () => {
    const clears = [...get(0), ...i64(0n), ...store(0)];
    const product: Procedure = { name: 'product', parameters: 3, code: clears };
    const module = compile(CONSTANT_BYTES, [product, { name: 'run', parameters: 2, code: [] }]);
    expect(createVectorMachine(program, module)).toBeNull();
  });
});
