/**
 * Poseidon as a program of sums of products.
 *
 * In a partial round only the first element passes the S-box. All constants of these rounds but the first element's can be
 * added before the first of them, as the paper's appendix B shows. The other elements then never have to be computed. The
 * rounds are a linear system with one input and one output: x comes out of the S-box, and y goes in next. By the theorem of
 * Cayley and Hamilton, every y is a sum over the last y and x, as many as there are other elements. The first rounds start
 * from the elements themselves. After the last round, the elements are recovered from the last y and x.
 */

import { dot, Fp, invert, type Matrix, multiply, product, transpose, type Vector } from './field-matrix.ts';
import type { Operation } from './field-program.ts';
import { grainConstants } from './grain.ts';
import type { Steps } from './steps.ts';

const HALF_FULL_ROUNDS = 4;

export interface PoseidonProgram {
  readonly operations: readonly Operation[];
  /** How many elements there are. */
  readonly elements: number;
  /** Values of elements that never change. */
  readonly constants: ReadonlyMap<number, bigint>;
  /** The first of the inputs, which follow each other; the program does not change them. */
  readonly input: number;
  readonly output: number;
}

/** The program for so many inputs, with the parameters of circomlib. Some steps take milliseconds. */
export function* poseidonProgram(inputs: number, partialRounds: number): Steps<PoseidonProgram> {
  const width = inputs + 1;
  const { matrix, roundConstants } = yield* grainConstants({ width, fullRounds: 2 * HALF_FULL_ROUNDS, partialRounds });
  yield;
  const lastPartial = HALF_FULL_ROUNDS + partialRounds;
  const partial = gatherConstants(matrix, roundConstants.slice(HALF_FULL_ROUNDS, lastPartial));
  yield;
  const system = linearSystem(matrix, partialRounds);
  yield;

  const operations: Operation[] = [];
  const constants = new Map<number, bigint>();
  let elements = 0;
  const reserve = (count: number) => {
    elements += count;
    return elements - count;
  };
  const constant = (values: Vector) => {
    const first = reserve(values.length);
    for (const [i, value] of values.entries()) constants.set(first + i, value);
    return first;
  };
  const sum = (out: number, left: number, right: number, count = 1) =>
    operations.push({ kind: 'dot', out, left, right, count });
  const add = (out: number, left: number, right: number) => operations.push({ kind: 'add', out, left, right });

  const state = reserve(width);
  const boxed = reserve(width);
  const scratch = reserve(3);
  const fifthPower = (out: number, element: number) => {
    sum(scratch, element, element);
    sum(scratch + 1, scratch, scratch);
    sum(out, scratch + 1, element);
  };
  const rows = matrix.map(constant);
  const fullRound = (from: readonly number[], round: Vector, outputs: number) => {
    const first = constant(round);
    for (const [i, element] of from.entries()) {
      add(scratch + 2, element, first + i);
      fifthPower(boxed + i, scratch + 2);
    }
    for (const [i, row] of rows.slice(0, outputs).entries()) sum(state + i, row, boxed, width);
  };
  const stateElements = Array.from({ length: width }, (_, i) => state + i);
  // The first element of the state is zero at the start.
  const inputState = reserve(width);
  constants.set(inputState, 0n);

  let from = stateElements.map((_, i) => inputState + i);
  for (const round of roundConstants.slice(0, HALF_FULL_ROUNDS)) {
    fullRound(from, round, width);
    from = stateElements;
  }

  // The other elements, and then x and y in turns: what is summed up lies side by side.
  const others = reserve(inputs);
  const first = others + inputs;
  reserve(2 * partialRounds);
  const x = (round: number) => first + 2 * round;
  const y = (round: number) => (round === 0 ? state : first + 2 * round - 1);
  const start = constant(partial.start);
  add(state, state, start);
  for (let i = 0; i < inputs; i += 1) add(others + i, state + 1 + i, start + 1 + i);
  const roundFirsts = constant(partial.constants);
  const recurrence = constant(system.recurrence);
  for (let round = 0; round < partialRounds; round += 1) {
    const isLast = round === partialRounds - 1;
    fifthPower(x(round), y(round));
    if (!isLast) add(x(round), x(round), roundFirsts + round);
    const opening = system.opening[round];
    if (opening === undefined) sum(y(round + 1), recurrence, x(round - inputs), system.recurrence.length);
    else sum(y(round + 1), constant(opening), others, opening.length);
  }
  for (const [i, row] of system.recovery.entries()) {
    sum(state + 1 + i, constant(row), x(partialRounds - inputs), row.length);
  }

  from = [y(partialRounds), ...stateElements.slice(1)];
  const closing = roundConstants.slice(lastPartial);
  for (const [i, round] of closing.entries()) {
    fullRound(from, round, i === closing.length - 1 ? 1 : width);
    from = stateElements;
  }
  return { operations, elements, constants, input: inputState + 1, output: state };
}

interface LinearSystem {
  /** y of the first rounds: over the other elements, x, y, x … */
  readonly opening: Matrix;
  /** Every later y: over x, y, x … x, up to the one before it. */
  readonly recurrence: Vector;
  /** The other elements after the last round: over x, y … x, y. */
  readonly recovery: Matrix;
}

/** The rounds as y = corner * x + row * others, others = column * x + lower * others. */
function linearSystem(matrix: Matrix, rounds: number): LinearSystem {
  const size = matrix.length - 1;
  const [corner = 0n, ...row] = matrix[0] ?? [];
  const column = matrix.slice(1).map((line) => line[0] ?? 0n);
  const lower = matrix.slice(1).map((line) => line.slice(1));
  const lowerColumns = transpose(lower);
  // row * lower^k, and what an x adds to the y that comes k rounds after the next one.
  const rows: Vector[] = [row];
  while (rows.length <= size) rows.push(multiply(lowerColumns, rows.at(-1) ?? []));
  const effects = [corner, ...rows.map((line) => dot(line, column))];
  const effect = (k: number) => effects[k] ?? 0n;

  const observed = rows.slice(0, size);
  const observedInverse = invert(observed);
  // row * lower^size as a sum of the rows before it.
  const feedback = multiply(transpose(observedInverse), rows[size] ?? []);
  const feedforward = Array.from({ length: size + 1 }, (_, k) =>
    Fp.create(
      effect(k) -
        dot(
          feedback,
          Array.from({ length: size }, (_, j) => effect(k - size + j)),
        ),
    ),
  );
  const power = Array.from({ length: size }).reduce<Matrix>((result) => product(lower, result), identity(size));
  const fromY = product(power, observedInverse);
  const columns: Vector[] = [column];
  while (columns.length < size) columns.push(multiply(lower, columns.at(-1) ?? []));
  const fromX = fromY.map((line, i) =>
    Array.from({ length: size }, (_, j) => {
      const seen = Array.from({ length: size }, (_, k) => (k < j ? 0n : effect(k - j)));
      return Fp.create((columns[size - 1 - j]?.[i] ?? 0n) - dot(line, seen));
    }),
  );
  return {
    opening: rows.slice(0, Math.min(size, rounds)).map((line, round) => [
      ...line,
      ...interleaved(
        Array.from({ length: round + 1 }, (_, j) => effect(round - j)),
        new Array<bigint>(round).fill(0n),
      ),
    ]),
    recurrence: interleaved(feedforward.toReversed(), feedback),
    recovery: fromY.map((line, i) => interleaved(fromX[i] ?? [], line)),
  };
}

function interleaved(xs: Vector, ys: Vector): bigint[] {
  return xs.flatMap((x, i) => (i < ys.length ? [x, ys[i] ?? 0n] : [x]));
}

function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? 1n : 0n)));
}

/** Moves the constants of the partial rounds to the front, save what the first element needs after each S-box. */
function gatherConstants(matrix: Matrix, rounds: Matrix): { readonly start: Vector; readonly constants: Vector } {
  const inverse = invert(matrix);
  const constants: bigint[] = [];
  let start: Vector = rounds.at(-1) ?? [];
  for (let k = rounds.length - 2; k >= 0; k -= 1) {
    const moved = multiply(inverse, start);
    constants.unshift(moved[0] ?? 0n);
    start = (rounds[k] ?? []).map((constant, i) => (i === 0 ? constant : Fp.create(constant + (moved[i] ?? 0n))));
  }
  return { start, constants };
}
