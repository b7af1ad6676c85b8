/** Sums of products in a field, for two computations at a time. A program is a list of operations on numbered elements. */

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
  /** Of elements that were written or are sums of products, not themselves results of `add`. */
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

export interface FieldProgram {
  /** Odd, between 2^250 and 2^254. */
  readonly order: bigint;
  /** How many elements there are. */
  readonly elements: number;
  readonly operations: readonly Operation[];
}
