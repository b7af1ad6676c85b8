/** Matrices over the scalar field of BN254, as lists of rows. For constants that are computed once. */
import { Field } from '@noble/curves/abstract/modular.js';

/** The order of BN254's scalar field: the field of the circuit and of every Poseidon input. */
export const FIELD_ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

export const Fp = Field(FIELD_ORDER);

export type Vector = readonly bigint[];
export type Matrix = readonly Vector[];

export function dot(left: Vector, right: Vector): bigint {
  let sum = 0n;
  for (let i = 0; i < left.length; i += 1) sum += (left[i] ?? 0n) * (right[i] ?? 0n);
  return sum % FIELD_ORDER;
}

export function multiply(matrix: Matrix, vector: Vector): bigint[] {
  return matrix.map((row) => dot(row, vector));
}

export function transpose(matrix: Matrix): Matrix {
  return (matrix[0] ?? []).map((_, i) => matrix.map((row) => row[i] ?? 0n));
}

export function product(left: Matrix, right: Matrix): Matrix {
  return transpose(transpose(right).map((column) => multiply(left, column)));
}

/** Gauss-Jordan without exchanging rows. @throws Error if a pivot is zero */
export function invert(matrix: Matrix): Matrix {
  const size = matrix.length;
  let rows = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => (i === j ? 1n : 0n))]);
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
