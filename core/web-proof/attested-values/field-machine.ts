/**
 * Sums of products in the scalar field of BN254, in WebAssembly, for two computations at a time: `BigInt` takes eight times as
 * long. Each program has a module of its own, which is put together here. A program is a list of operations on numbered
 * elements in memory. It runs without a loop.
 */

import { type Code, call, i32, instantiate } from '../wasm-module.ts';
import {
  ADD,
  DOT,
  ELEMENT_BYTES,
  fieldConstants,
  fieldProcedures,
  LIMB_BITS,
  LIMB_MASK,
  LIMBS,
  PRODUCT,
  pointOf,
} from './field-procedures.ts';

/** One step of a program; elements are named by their number. */
export type Operation =
  /** `out` = the sum of the products of `count` elements from `left` on and as many from `right` on; at most 40. */
  | {
      readonly kind: 'dot';
      readonly out: number;
      readonly left: number;
      readonly right: number;
      readonly count: number;
    }
  | { readonly kind: 'add'; readonly out: number; readonly left: number; readonly right: number };

/** The values that an element has in the two computations. */
export type Pair = readonly [bigint, bigint];

export interface FieldMachine {
  /** Sets an element. The values are not negative and below the order. */
  write(element: number, values: Pair): void;
  /** The values of an element, below the order. */
  read(element: number): Pair;
  run(): void;
}

/**
 * Makes a machine for one program.
 * @param order odd, between 2^250 and 2^254
 * @param elements how many there are
 */
export function createFieldMachine(order: bigint, elements: number, program: readonly Operation[]): FieldMachine {
  // Four more than the program has: R^2, 1 and 0, with which values come and go, and one in between.
  const square = addressOf(elements);
  const one = addressOf(elements + 1);
  const zero = addressOf(elements + 2);
  const between = addressOf(elements + 3);
  const constants = addressOf(elements + 4);
  const constantWords = fieldConstants(order);
  const { memory, run, product, add } = instantiate(constants + constantWords.length * 4, [
    ...fieldProcedures(constants),
    { name: 'run', parameters: 0, code: program.flatMap(operation) },
  ]) as Exports;
  const words = new Uint32Array(memory.buffer);
  words.set(constantWords, constants / 4);
  const given = new BigUint64Array(4);
  const bits = new Uint32Array(given.buffer);
  const put = (address: number, values: Pair) => {
    for (const [lane, value] of values.entries()) {
      for (let word = 0; word < 4; word += 1) given[word] = value >> BigInt(word * 64);
      for (let limb = 0; limb < LIMBS; limb += 1) {
        const [at, shift] = [(limb * LIMB_BITS) >> 5, (limb * LIMB_BITS) & 31];
        const above = shift === 0 ? 0 : (bits[at + 1] ?? 0) << (32 - shift);
        words[wordOf(address, limb) + lane] = (((bits[at] ?? 0) >>> shift) | above) & LIMB_MASK;
      }
    }
    // Computes the other points.
    add(address, address, zero);
  };
  const valueAt = (address: number, lane: number) => {
    let value = 0n;
    for (let limb = LIMBS - 1; limb >= 0; limb -= 1) {
      value = (value << BigInt(LIMB_BITS)) | BigInt(words[wordOf(address, limb) + lane] ?? 0);
    }
    return value % order;
  };
  const montgomerySquare = (1n << BigInt(2 * LIMBS * LIMB_BITS)) % order;
  put(square, [montgomerySquare, montgomerySquare]);
  put(one, [1n, 1n]);
  return {
    write(element, values) {
      put(between, values);
      product(addressOf(element), between, square);
    },
    read(element) {
      product(between, addressOf(element), one);
      return [valueAt(between, 0), valueAt(between, 1)];
    },
    run,
  };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(): void;
  product(out: number, left: number, right: number): void;
  add(out: number, left: number, right: number): void;
}

const addressOf = (element: number) => element * ELEMENT_BYTES;
/** Index of the word with a limb of the first value; that of the second one follows. */
const wordOf = (address: number, limb: number) => address / 4 + 2 * pointOf(limb);

function operation(step: Operation): Code {
  const addresses = [step.out, step.left, step.right].flatMap((element) => i32(addressOf(element)));
  if (step.kind === 'add') return [...addresses, ...call(ADD)];
  return step.count === 1 ? [...addresses, ...call(PRODUCT)] : [...addresses, ...i32(step.count), ...call(DOT)];
}
