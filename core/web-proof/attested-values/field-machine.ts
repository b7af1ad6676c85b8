/**
 * Sums of products in the scalar field of BN254, in WebAssembly, for two computations at a time: `BigInt` takes eight times as
 * long. A program is a list of operations on numbered elements in memory.
 */

import { instantiate, PAGE_BYTES } from '../wasm-module.ts';
import { CONSTANT_BYTES, ELEMENT_BYTES, fieldConstants, LIMB_BITS, LIMB_MASK, LIMBS, pointOf } from './field-limbs.ts';
import { fieldModule, STEP_BYTES } from './field-procedures.ts';
import { atOnce } from './steps.ts';

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
  const programStart = addressOf(elements + 4);
  const programEnd = programStart + program.length * STEP_BYTES;
  const { memory, run, product, add } = instantiate(atOnce(fieldModule())) as Exports;
  memory.grow(Math.ceil(programEnd / PAGE_BYTES));
  const words = new Uint32Array(memory.buffer);
  words.set(fieldConstants(order));
  for (const [index, step] of program.entries()) {
    const count = step.kind === 'dot' ? step.count : 0;
    const addresses = [step.out, step.left, step.right].map(addressOf);
    words.set([...addresses, count], (programStart + index * STEP_BYTES) / 4);
  }
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
    run: () => run(programStart, programEnd),
  };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  run(from: number, to: number): void;
  product(out: number, left: number, right: number): void;
  add(out: number, left: number, right: number): void;
}

const addressOf = (element: number) => CONSTANT_BYTES + element * ELEMENT_BYTES;
/** Index of the word with a limb of the first value; the second value follows. */
const wordOf = (address: number, limb: number) => address / 4 + 2 * pointOf(limb);
