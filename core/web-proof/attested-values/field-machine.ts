/**
 * Sums of products in the scalar field of BN254, in WebAssembly: `BigInt` takes four times as long. Each program has a module
 * of its own, which is put together here. A program is a list of operations on numbered elements in memory. It runs without a
 * loop.
 *
 * Elements are in Montgomery form (times 2^261), below twice the order, as nine limbs of 29 bits in 64-bit words. So nine
 * products of limbs can be added six times before anything is carried.
 */

import {
  branchIf,
  type Code,
  call,
  get,
  i32,
  i64,
  instantiate,
  load,
  OP,
  type Procedure,
  set,
  store,
  tee,
} from '../wasm-module.ts';

const LIMBS = 9;
const LIMB_BITS = 29;
const LIMB_MASK = 2 ** LIMB_BITS - 1;
const MASK = BigInt(LIMB_MASK);
const ELEMENT_BYTES = LIMBS * 8;
/** Sums of nine products each that fit into 64 bits together. */
const TERMS_BEFORE_CARRY = 6;

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

export interface FieldMachine {
  /** Sets an element. `value` is not negative and below the order. */
  write(element: number, value: bigint): void;
  /** The value of an element, below the order. */
  read(element: number): bigint;
  run(): void;
}

/**
 * Makes a machine for one program.
 * @param order odd, between 2^250 and 2^254
 * @param elements how many there are
 */
export function createFieldMachine(order: bigint, elements: number, program: readonly Operation[]): FieldMachine {
  // Three more than the program has: R^2 and 1, with which values come and go, and one in between.
  const [square, one, between] = [elements, elements + 1, elements + 2];
  const { memory, run, dot } = instantiate((elements + 3) * ELEMENT_BYTES, [
    dotProcedure(order),
    addProcedure(),
    { name: 'run', parameters: 0, locals: 0, code: program.flatMap(operation) },
  ]) as Exports;
  const words = new BigUint64Array(memory.buffer);
  const halves = new Uint32Array(memory.buffer);
  const given = new BigUint64Array(4);
  const bits = new Uint32Array(given.buffer);
  const put = (element: number, value: bigint) => {
    for (let word = 0; word < 4; word += 1) given[word] = value >> BigInt(word * 64);
    for (let limb = 0; limb < LIMBS; limb += 1) {
      const [at, shift] = [(limb * LIMB_BITS) >> 5, (limb * LIMB_BITS) & 31];
      const above = shift === 0 ? 0 : (bits[at + 1] ?? 0) << (32 - shift);
      halves[2 * (element * LIMBS + limb)] = (((bits[at] ?? 0) >>> shift) | above) & LIMB_MASK;
    }
  };
  const multiply = (out: number, left: number, right: number) =>
    dot(out * ELEMENT_BYTES, left * ELEMENT_BYTES, right * ELEMENT_BYTES, 1);
  put(square, (1n << BigInt(2 * LIMBS * LIMB_BITS)) % order);
  put(one, 1n);
  return {
    write(element, value) {
      put(between, value);
      multiply(element, between, square);
    },
    read(element) {
      multiply(between, element, one);
      let value = 0n;
      for (let limb = LIMBS - 1; limb >= 0; limb -= 1) {
        value = (value << BigInt(LIMB_BITS)) | (words[between * LIMBS + limb] ?? 0n);
      }
      return value % order;
    },
    run,
  };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(): void;
  dot(out: number, left: number, right: number, count: number): void;
}

/** Indices of the procedures. */
const DOT = 0;
const SUM = 1;

function operation(step: Operation): Code {
  const addresses = [step.out, step.left, step.right].flatMap((element) => i32(element * ELEMENT_BYTES));
  return step.kind === 'dot' ? [...addresses, ...i32(step.count), ...call(DOT)] : [...addresses, ...call(SUM)];
}

const PLACES = Array.from({ length: LIMBS }, (_, limb) => limb);

/** Carries from `from` to the next one; what stays fits a limb. */
const carry = (from: number, to: number): Code => [
  ...[...get(to), ...get(from), ...i64(BigInt(LIMB_BITS)), ...OP.i64ShiftRight, ...OP.i64Add, ...set(to)],
  ...[...get(from), ...i64(MASK), ...OP.i64And, ...set(from)],
];

function dotProcedure(order: bigint): Procedure {
  const [out, left, right, count, pending] = [0, 1, 2, 3, 4 + 18 + 18 + 1] as const;
  const sum = (place: number) => 4 + place;
  const a = (limb: number) => 4 + 18 + limb;
  const b = (limb: number) => 4 + 18 + LIMBS + limb;
  const quotient = 4 + 18 + 18;
  const carryAll = Array.from({ length: 17 }, (_, place) => carry(sum(place), sum(place + 1))).flat();
  const products = Array.from({ length: 17 }, (_, place) => [
    ...get(sum(place)),
    ...PLACES.filter((limb) => place - limb >= 0 && place - limb < LIMBS).flatMap((limb) => [
      ...[...get(a(limb)), ...get(b(place - limb)), ...OP.i64Mul, ...OP.i64Add],
    ]),
    ...set(sum(place)),
  ]).flat();
  const advance = (pointer: number): Code => [...get(pointer), ...i32(ELEMENT_BYTES), ...OP.i32Add, ...set(pointer)];
  const term: Code = [
    ...PLACES.flatMap((limb) => [...get(left), ...load(limb * 8), ...set(a(limb))]),
    ...PLACES.flatMap((limb) => [...get(right), ...load(limb * 8), ...set(b(limb))]),
    ...products,
    ...advance(left),
    ...advance(right),
  ];
  // Montgomery: adds the multiple of the order that makes the lower half zero, limb by limb.
  const inverse = negativeInverse(order);
  const orderLimb = (limb: number) => (order >> BigInt(limb * LIMB_BITS)) & MASK;
  const reduce = PLACES.flatMap(
    (place): Code => [
      ...[...get(sum(place)), ...i64(inverse), ...OP.i64Mul, ...i64(MASK), ...OP.i64And, ...set(quotient)],
      ...PLACES.flatMap((limb) => [
        ...[...get(sum(place + limb)), ...get(quotient), ...i64(orderLimb(limb)), ...OP.i64Mul, ...OP.i64Add],
        ...set(sum(place + limb)),
      ]),
      ...carry(sum(place), sum(place + 1)),
    ],
  );
  const result = PLACES.flatMap(
    (limb): Code => [
      ...(limb < LIMBS - 1 ? carry(sum(LIMBS + limb), sum(LIMBS + limb + 1)) : []),
      ...[...get(out), ...get(sum(LIMBS + limb)), ...store(limb * 8)],
    ],
  );
  // Locals are zero at first, so `pending` counts up.
  const code: Code = [
    ...OP.loop,
    ...term,
    ...[...get(pending), ...i64(1n), ...OP.i64Add, ...set(pending)],
    ...[...get(pending), ...i64(BigInt(TERMS_BEFORE_CARRY)), ...OP.i64Equal, ...OP.if],
    ...[...carryAll, ...i64(0n), ...set(pending), ...OP.end],
    ...[...get(count), ...i32(1), ...OP.i32Sub, ...tee(count), ...branchIf(0)],
    ...OP.end,
    ...carryAll,
    ...reduce,
    ...result,
  ];
  return { name: 'dot', parameters: 4, locals: 18 + 18 + 2, code };
}

function addProcedure(): Procedure {
  const [out, left, right] = [0, 1, 2];
  const sum = (limb: number) => 3 + limb;
  const sums = PLACES.flatMap(
    (limb): Code => [
      ...[...get(left), ...load(limb * 8), ...get(right), ...load(limb * 8), ...OP.i64Add, ...set(sum(limb))],
    ],
  );
  const result = PLACES.flatMap(
    (limb): Code => [
      ...(limb < LIMBS - 1 ? carry(sum(limb), sum(limb + 1)) : []),
      ...[...get(out), ...get(sum(limb)), ...store(limb * 8)],
    ],
  );
  return { name: 'add', parameters: 3, locals: LIMBS, code: [...sums, ...result] };
}

/** -1/order modulo 2^29, by Newton's iteration. */
function negativeInverse(order: bigint): bigint {
  let inverse = 1n;
  for (let bits = 1; bits < LIMB_BITS; bits *= 2) inverse = (inverse * (2n - order * inverse)) & MASK;
  return -inverse & MASK;
}
