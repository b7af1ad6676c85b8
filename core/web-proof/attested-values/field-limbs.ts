/**
 * How `fieldModule` multiplies elements, each of which holds two values: the code of its parts.
 *
 * A value has nine limbs of 29 bits, is in Montgomery form (times 2^261), and is below 2^256. Limbs are multiplied by
 * Karatsuba's method for three parts, twice: 36 products, not 81. An element is kept as the 36 sums of limbs that this takes,
 * its points. A vector holds two points of both values. All sums are modulo 2^64, so one of them may be negative for a while.
 */

import { type Code, get, i32, loadVector, OP, set, shuffle, storeVector } from '../wasm-module.ts';

export const LIMBS = 9;
export const LIMB_BITS = 29;
export const LIMB_MASK = 2 ** LIMB_BITS - 1;
const MASK = BigInt(LIMB_MASK);
/** Of an element: six for each of the six sums of its three parts. */
export const POINTS = 36;
export const ELEMENT_BYTES = POINTS * 8;
export const VECTORS = POINTS / 2;
const VECTOR_BYTES = 16;
/** As many sums of nine products of limbs as fit into 64 bits, with what a carry leaves. */
export const TERMS_BEFORE_CARRY = 7;

/** The point that is the limb itself. */
export const pointOf = (limb: number) => 6 * Math.floor(limb / 3) + (limb % 3);

export const MASK_AT = 0;
const INVERSE_AT = VECTOR_BYTES;
const ORDER_AT = 2 * VECTOR_BYTES;
const SHORTCUT_AT = ORDER_AT + Math.ceil(LIMBS / 2) * VECTOR_BYTES;
export const CONSTANT_BYTES = SHORTCUT_AT + Math.ceil(LIMBS / 2) * VECTOR_BYTES;

/** The words of 32 bits that the memory begins with. */
export function fieldConstants(order: bigint): readonly number[] {
  const inverse = negativeInverse(order);
  // A multiple of the order that ends in ones, plus one. Its product with a limb moves the limb up, modulo the order.
  const shortcut = (order * inverse + 1n) >> BigInt(LIMB_BITS);
  const limb = (value: bigint, index: number) => Number((value >> BigInt(index * LIMB_BITS)) & MASK);
  const limbs = (value: bigint) =>
    [0, 2, 4, 6, 8].flatMap((index) => [index, index, index + 1, index + 1].map((at) => limb(value, at)));
  const inverses = new Array<number>(4).fill(Number(inverse));
  return [LIMB_MASK, 0, LIMB_MASK, 0, ...inverses, ...limbs(order), ...limbs(shortcut)];
}

/** -1/order modulo 2^29, by Newton's iteration. */
function negativeInverse(order: bigint): bigint {
  let inverse = 1n;
  for (let bits = 1; bits < LIMB_BITS; bits *= 2) inverse = (inverse * (2n - order * inverse)) & MASK;
  return -inverse & MASK;
}

export const times = (count: number, code: (index: number) => Code): Code =>
  Array.from({ length: count }, (_, i) => code(i)).flat();
export const update = (local: number, by: Code, operator: Code): Code => [
  ...get(local),
  ...by,
  ...operator,
  ...set(local),
];
const add = (to: number, what: number) => update(to, get(what), OP.i64x2Add);
const subtract = (from: number, what: number) => update(from, get(what), OP.i64x2Subtract);

/** The locals of vectors, after so many others. */
export function vectorLocals(others: number) {
  const [mask, one, other, zero] = [others, others + 1, others + 2, others + 3] as const;
  const point = (index: number) => others + 4 + index;
  const sum = (place: number) => others + 4 + POINTS + place;
  /** Carries to the next place; what stays fits a limb. */
  const carry = (place: number): Code => [
    ...[...get(sum(place + 1)), ...get(sum(place)), ...i32(LIMB_BITS), ...OP.i64x2ShiftRight],
    ...[...OP.i64x2Add, ...set(sum(place + 1)), ...update(sum(place), get(mask), OP.v128And)],
  ];
  return { mask, one, other, zero, point, sum, carry, count: 4 + POINTS + 2 * LIMBS };
}
type Locals = ReturnType<typeof vectorLocals>;

export const constant = (offset: number): Code => [...i32(0), ...loadVector(offset)];

/** The products of the two points in a vector; `then` says what is done with them. */
export function multiplyVectors(
  { one, other }: Locals,
  { left, right, vector }: { readonly left: number; readonly right: number; readonly vector: number },
  then: (point: number, product: Code) => Code,
): Code {
  const load = (pointer: number, local: number) => [
    ...[...get(pointer), ...loadVector(VECTOR_BYTES * vector), ...set(local)],
  ];
  return [
    ...[...load(left, one), ...load(right, other)],
    ...then(2 * vector, [...get(one), ...get(other), ...OP.i64x2MultiplyLow]),
    ...then(2 * vector + 1, [...get(one), ...get(other), ...OP.i64x2MultiplyHigh]),
  ];
}

type Six<T> = readonly [T, T, T, T, T, T];

/** From products of three parts and of their sums by twos to the five coefficients, which stay in five of the six locals. */
function coefficients([a, b, c, ab, ac, bc]: Six<number>) {
  const code = [
    ...[...subtract(ab, a), ...subtract(ab, b)],
    ...[...subtract(ac, a), ...subtract(ac, c), ...add(ac, b)],
    ...[...subtract(bc, b), ...subtract(bc, c)],
  ];
  return { code, places: [a, ab, ac, bc, c] as const };
}

const six = <T>(item: (index: number) => T): Six<T> => [item(0), item(1), item(2), item(3), item(4), item(5)];

/** Adds the coefficients of the products at the points to the sums. */
export function addCoefficients({ point, sum }: Locals): Code {
  const inner = six((outer) => coefficients(six((index) => point(6 * outer + index))));
  const outer = ([0, 1, 2, 3, 4] as const).map((place) =>
    coefficients(six((index) => (inner[index] ?? inner[0]).places[place])),
  );
  return [
    ...[...inner, ...outer].flatMap(({ code }) => code),
    ...outer.flatMap(({ places }, place) => places.flatMap((local, part) => add(sum(3 * part + place), local))),
  ];
}

/** Montgomery: adds the multiple of the order that makes the lower half zero, limb by limb. The first limb is carried. */
export function reduce({ mask, one: quotient, other: limbs, sum, carry }: Locals): Code {
  const narrow = (local: number) => [...get(local), ...get(local), ...shuffle(0, 2, 0, 2), ...set(quotient)];
  const addMultiple = (place: number, offset: number): Code =>
    times(Math.ceil(LIMBS / 2), (vector) => [
      ...[...constant(offset + VECTOR_BYTES * vector), ...set(limbs)],
      ...[OP.i64x2MultiplyLow, OP.i64x2MultiplyHigh]
        .slice(0, LIMBS - 2 * vector)
        .flatMap((multiply, half) =>
          update(sum(place + 2 * vector + half), [...get(quotient), ...get(limbs), ...multiply], OP.i64x2Add),
        ),
    ]);
  const last = LIMBS - 1;
  return [
    ...times(last, (place) => [
      ...[...narrow(sum(place)), ...addMultiple(place + 1, SHORTCUT_AT), ...carry(place + 1)],
    ]),
    // The shortcut would make the result too large here.
    ...[...narrow(sum(last)), ...get(quotient), ...constant(INVERSE_AT), ...OP.i64x2MultiplyLow],
    ...[...get(mask), ...OP.v128And, ...set(quotient), ...narrow(quotient), ...addMultiple(last, ORDER_AT)],
    ...carry(last),
  ];
}

/** Carries the upper half of the sums and stores it at `out`, with its sums of limbs. */
export function storeElement({ point, sum, carry }: Locals, out: number): Code {
  const twos = [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const;
  const sums = (at: (index: number) => number) =>
    twos.flatMap(([one, other], index) => [
      ...[...get(at(one)), ...get(at(other)), ...OP.i64x2Add, ...set(at(3 + index))],
    ]);
  return [
    ...times(LIMBS - 1, (limb) => carry(LIMBS + limb)),
    ...times(LIMBS, (limb) => [...get(sum(LIMBS + limb)), ...set(point(pointOf(limb)))]),
    ...times(3, (outer) => sums((inner) => point(6 * outer + inner))),
    ...times(6, (inner) => sums((outer) => point(6 * outer + inner))),
    ...times(VECTORS, (vector) => [
      ...[...get(out), ...get(point(2 * vector)), ...get(point(2 * vector + 1))],
      ...[...shuffle(0, 2, 4, 6), ...storeVector(VECTOR_BYTES * vector)],
    ]),
  ];
}
