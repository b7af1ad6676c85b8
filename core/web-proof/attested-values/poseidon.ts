/**
 * Poseidon over the scalar field of BN254 with the parameters of circomlib, so that a circuit can recompute what we hash.
 * The constants come from the Grain generator of the Poseidon paper; the tests compare with circomlibjs.
 *
 * In a partial round only the first element passes the S-box. As the paper's appendix B shows, the dense matrix of these
 * rounds then splits into a sparse part and one that can wait until after the last of them. All their constants but the
 * first element's can be added before the first of them. That saves three quarters of the multiplications.
 */

import { Field } from '@noble/curves/abstract/modular.js';
import { grainGenConstants } from '@noble/curves/abstract/poseidon.js';

/** The order of BN254's scalar field: the field of the circuit and of every Poseidon input. */
export const FIELD_ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

const Fp = Field(FIELD_ORDER);
const HALF_FULL_ROUNDS = 4;
/** By number of inputs. */
const PARTIAL_ROUNDS = { 9: 60, 10: 66 } as const;

type Vector = readonly bigint[];
type Matrix = readonly Vector[];

interface Parameters {
  /** Constants of the full rounds before and after the partial ones. */
  readonly opening: Matrix;
  readonly closing: Matrix;
  readonly matrix: Matrix;
  /** Added before the first partial round. */
  readonly partialStart: Vector;
  readonly partial: readonly PartialRound[];
  /** Dense matrix of the last partial round. */
  readonly partialEnd: Matrix;
}

/** A partial round: after the S-box, `constant` is added to the first element; then the sparse matrix. */
interface PartialRound {
  readonly constant: bigint;
  readonly row: Vector;
  /** First column below the first row; the rest of the matrix is the identity. */
  readonly column: Vector;
}

const known = new Map<number, Parameters>();

/** Poseidon of 9 or 10 field elements. Throws a `RangeError` for another number of them. */
export function poseidon(inputs: readonly bigint[]): bigint {
  const parameters = known.get(inputs.length) ?? derive(inputs.length);
  let state = [0n, ...inputs];
  for (const constants of parameters.opening) state = fullRound(state, constants, parameters.matrix);
  state = state.map((element, i) => (element + (parameters.partialStart[i] ?? 0n)) % FIELD_ORDER);
  for (const round of parameters.partial) partialRound(state, round);
  state[0] = fifthPower(state[0] ?? 0n);
  state = multiply(parameters.partialEnd, state);
  for (const constants of parameters.closing) state = fullRound(state, constants, parameters.matrix);
  return state[0] ?? 0n;
}

function fullRound(state: Vector, constants: Vector, matrix: Matrix): bigint[] {
  return multiply(
    matrix,
    state.map((element, i) => fifthPower(element + (constants[i] ?? 0n))),
  );
}

/**
 * Changes the state in place. All elements but the first are sums of products and are left unreduced. They grow by a few bits
 * only over all rounds, and reducing them takes longer than anything else here.
 */
function partialRound(state: bigint[], { constant, row, column }: PartialRound): void {
  const first = fifthPower(state[0] ?? 0n) + constant;
  let sum = (row[0] ?? 0n) * first;
  for (let i = 1; i < state.length; i += 1) {
    const element = state[i] ?? 0n;
    sum += (row[i] ?? 0n) * element;
    state[i] = element + (column[i - 1] ?? 0n) * first;
  }
  state[0] = sum % FIELD_ORDER;
}

function fifthPower(element: bigint): bigint {
  const square = (element * element) % FIELD_ORDER;
  return (((square * square) % FIELD_ORDER) * element) % FIELD_ORDER;
}

function derive(inputs: number): Parameters {
  const roundsPartial = PARTIAL_ROUNDS[inputs as keyof typeof PARTIAL_ROUNDS];
  if (roundsPartial === undefined) throw new RangeError(`there is no Poseidon of ${inputs} elements here`);
  const shape = { Fp, t: inputs + 1, roundsFull: 2 * HALF_FULL_ROUNDS, roundsPartial, sboxPower: 5 };
  const { mds: matrix, roundConstants } = grainGenConstants(shape);
  const lastPartial = HALF_FULL_ROUNDS + roundsPartial;
  const { start, constants } = gatherConstants(matrix, roundConstants.slice(HALF_FULL_ROUNDS, lastPartial));

  // matrix = [[corner, row], [column, lower]]; round k has the sparse matrix [[corner, row * lower^k], [lower^-(k+1) *
  // column, 1]], and lower^k continues to the next one.
  const [corner = 0n, ...row] = matrix[0] ?? [];
  const column = matrix.slice(1).map((line) => line[0] ?? 0n);
  const lower = matrix.slice(1).map((line) => line.slice(1));
  const lowerInverse = invert(lower);
  const lowerColumns = transpose(lower);
  const partial: PartialRound[] = [];
  let rowNow: Vector = row;
  let columnNow: Vector = multiply(lowerInverse, column);
  let power = identity(inputs);
  for (let k = 0; k < roundsPartial - 1; k += 1) {
    partial.push({ constant: constants[k] ?? 0n, row: [corner, ...rowNow], column: columnNow });
    rowNow = multiply(lowerColumns, rowNow);
    columnNow = multiply(lowerInverse, columnNow);
    power = product(lower, power);
  }
  const remaining = product(lower, power);
  const parameters: Parameters = {
    opening: roundConstants.slice(0, HALF_FULL_ROUNDS),
    closing: roundConstants.slice(lastPartial),
    matrix,
    partialStart: start,
    partial,
    partialEnd: [[corner, ...rowNow], ...remaining.map((line, i) => [column[i] ?? 0n, ...line])],
  };
  known.set(inputs, parameters);
  return parameters;
}

/** Moves the constants of the partial rounds to the front, save what the first element needs after each S-box. */
function gatherConstants(matrix: Matrix, rounds: Matrix): { readonly start: Vector; readonly constants: Vector } {
  const inverse = invert(matrix);
  const constants: bigint[] = [];
  let start: Vector = rounds.at(-1) ?? [];
  for (let k = rounds.length - 2; k >= 0; k -= 1) {
    const moved = multiply(inverse, start);
    constants.unshift(moved[0] ?? 0n);
    start = (rounds[k] ?? []).map((constant, i) => (i === 0 ? constant : (constant + (moved[i] ?? 0n)) % FIELD_ORDER));
  }
  return { start, constants };
}

function multiply(matrix: Matrix, vector: Vector): bigint[] {
  return matrix.map((row) => dot(row, vector));
}

function dot(left: Vector, right: Vector): bigint {
  let sum = 0n;
  for (let i = 0; i < left.length; i += 1) sum += (left[i] ?? 0n) * (right[i] ?? 0n);
  return sum % FIELD_ORDER;
}

function transpose(matrix: Matrix): Matrix {
  return (matrix[0] ?? []).map((_, i) => matrix.map((row) => row[i] ?? 0n));
}

function product(left: Matrix, right: Matrix): Matrix {
  return transpose(transpose(right).map((column) => multiply(left, column)));
}

function identity(size: number): Matrix {
  return Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? 1n : 0n)));
}

/** Gauss-Jordan. Every matrix here is part of a Cauchy matrix, of which no minor is zero: no pivot is ever zero. */
function invert(matrix: Matrix): Matrix {
  const size = matrix.length;
  let rows = matrix.map((row, i) => [...row, ...(identity(size)[i] ?? [])]);
  for (let i = 0; i < size; i += 1) {
    const scale = Fp.inv(rows[i]?.[i] ?? 0n);
    const pivot = (rows[i] ?? []).map((element) => (element * scale) % FIELD_ORDER);
    rows = rows.map((row, j) => {
      const factor = row[i] ?? 0n;
      return i === j ? pivot : row.map((element, k) => Fp.create(element - factor * (pivot[k] ?? 0n)));
    });
  }
  return rows.map((row) => row.slice(size));
}
