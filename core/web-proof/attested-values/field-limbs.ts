/**
 * How `fieldModule` multiplies elements, each of which holds two values: the code of its parts.
 *
 * A value has five limbs of 51 bits, kept as floating-point numbers. All but the last limb are below 2^51 in size and never negative
 * after a product; the last one carries the sign. A value is in Montgomery form (times 2^306).
 *
 * A product of two limbs has 102 bits. A fused multiply-add rounds once. So adding 1.5 * 2^103 to the product leaves its upper half
 * in the lower bits of the result. A second one finds what that rounds away. The bits of such numbers are summed up as
 * integers. What the added numbers put into them is taken off the sums when these begin. Emmart, Zheng and Weems describe it
 * ("Faster modular exponentiation using double precision floating point arithmetic on the GPU", ARITH 2018).
 */

import { type Code, get, i32, i64, loadVector, OP, set, storeVector } from '../wasm-module.ts';

export const LIMBS = 5;
export const LIMB_BITS = 51;
const MASK = 2n ** BigInt(LIMB_BITS) - 1n;
/** One limb more than a value has: every result is then at most the order in size, and a little. */
const REDUCED_LIMBS = LIMBS + 1;
export const MONTGOMERY_BITS = REDUCED_LIMBS * LIMB_BITS;
/** Places of a sum of products, and of what the reduction adds. */
const PLACES = LIMBS + REDUCED_LIMBS;
const VECTOR_BYTES = 16;
export const ELEMENT_BYTES = LIMBS * VECTOR_BYTES;

/** Added to a product, for the upper half of its bits, and for the lower one. */
const [UPPER, LOWER] = [3 * 2 ** 102, 3 * 2 ** 51];
/** Keeps sums from being negative while they are carried. */
const BIAS = 1n << 62n;

const bitsOf = (value: number) => new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;

/** At which places products with a whole value begin: those of a term, and those that the reduction adds. */
const TERM_PLACES = [0, 1, 2, 3, 4];
const REDUCTION_PLACES = [1, 2, 3, 4, 5, 5];

/** What a sum has to begin with for the products that begin at `places`: their lower halves, and the upper ones of the place before. */
function offsetOf(place: number, places: readonly number[]): bigint {
  const productsAt = (at: number) => BigInt(places.filter((first) => at >= first && at < first + LIMBS).length);
  return -(productsAt(place) * bitsOf(LOWER) + productsAt(place - 1) * bitsOf(UPPER));
}

/** For the products of one more term. */
const termOffset = (place: number) => offsetOf(place, TERM_PLACES);
/** For what the reduction adds, and for the bias of this place, which the place before carries into it. */
function firstOffset(place: number): bigint {
  const carried = place === 0 ? 0n : BIAS >> BigInt(LIMB_BITS);
  const nearest = place < REDUCED_LIMBS - 1 ? 1n << BigInt(LIMB_BITS - 1) : 0n;
  return offsetOf(place, REDUCTION_PLACES) + (place === PLACES - 1 ? 0n : BIAS + nearest) - carried;
}

/** Addresses of what the memory begins with. */
const CONSTANTS = ['mask', 'integer', 'nearest', 'upper', 'both', 'lower', 'inverse', 'down'] as const;
type Constant = (typeof CONSTANTS)[number];
const ORDER_AT = CONSTANTS.length * VECTOR_BYTES;
const SHORTCUT_AT = ORDER_AT + LIMBS * VECTOR_BYTES;
export const CONSTANT_BYTES = SHORTCUT_AT + LIMBS * VECTOR_BYTES;

/** What the memory begins with, each twice. */
export function fieldConstants(order: bigint): Float64Array {
  const inverse = negativeInverse(order);
  // A multiple of the order that ends in ones, plus one. Its product with a limb moves the limb up, modulo the order.
  const shortcut = (order * inverse + 1n) >> BigInt(LIMB_BITS);
  const named: Readonly<Record<Constant, number>> = {
    mask: floatOf(MASK),
    integer: 2 ** 52,
    nearest: 2 ** 52 + 2 ** (LIMB_BITS - 1),
    upper: UPPER,
    both: UPPER + LOWER,
    lower: LOWER,
    inverse: Number(inverse),
    down: 2 ** -LIMB_BITS,
  };
  const numbers = new Float64Array(CONSTANT_BYTES / 8);
  for (const lane of [0, 1]) {
    for (const [index, name] of CONSTANTS.entries()) numbers[2 * index + lane] = named[name];
    writeLimbs(numbers, ORDER_AT / 8 + lane, order);
    writeLimbs(numbers, SHORTCUT_AT / 8 + lane, shortcut);
  }
  return numbers;
}

/** The number with these bits. */
function floatOf(bits: bigint): number {
  return new Float64Array(new BigUint64Array([bits]).buffer)[0] ?? 0;
}

const words = new BigUint64Array(4);
const halves = new Uint32Array(words.buffer);
/** Of 32 bits each, the lowest first. */
const word = (index: number) => halves[index] ?? 0;

/** Writes the limbs of a value to every second number from `index` on. */
export function writeLimbs(numbers: Float64Array, index: number, value: bigint): void {
  words[0] = value;
  words[1] = value >> 64n;
  words[2] = value >> 128n;
  words[3] = value >> 192n;
  // By hand: a tenth of the time that shifts of the whole value take.
  numbers[index] = word(0) + (word(1) & 0x7_ffff) * 2 ** 32;
  numbers[index + 2] = (word(1) >>> 19) + word(2) * 2 ** 13 + (word(3) & 0x3f) * 2 ** 45;
  numbers[index + 4] = (word(3) >>> 6) + (word(4) & 0x1ff_ffff) * 2 ** 26;
  numbers[index + 6] = (word(4) >>> 25) + word(5) * 2 ** 7 + (word(6) & 0xfff) * 2 ** 39;
  numbers[index + 8] = (word(6) >>> 12) + word(7) * 2 ** 20;
}

/** -1/order modulo 2^51, by Newton's iteration. */
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

/** The locals of vectors, after so many others. */
export function vectorLocals(others: number) {
  const named = Object.fromEntries(CONSTANTS.map((name, index) => [name, others + index])) as Record<Constant, number>;
  const first = others + CONSTANTS.length;
  const [factor, half] = [first, first + 1];
  const sum = (place: number) => first + 2 + place;
  return { ...named, factor, half, sum, count: CONSTANTS.length + 2 + PLACES };
}
type Locals = ReturnType<typeof vectorLocals>;

export const constant = (offset: number): Code => [...i32(0), ...loadVector(offset)];
export const loadLimb = (pointer: number, index: number): Code => [
  ...get(pointer),
  ...loadVector(VECTOR_BYTES * index),
];

/** Loads the named constants. */
export function loadConstants(locals: Locals): Code {
  return CONSTANTS.flatMap((name, index) => [...constant(index * VECTOR_BYTES), ...set(locals[name])]);
}

/** Begins the sums for as many terms as the code of `terms` leaves on the stack, in 64 bits. */
export function beginSums({ sum }: Locals, terms: Code): Code {
  return times(PLACES, (place) => [
    ...[...terms, ...i64(BigInt.asIntN(64, termOffset(place))), ...OP.i64Mul],
    ...[...i64(BigInt.asIntN(64, firstOffset(place))), ...OP.i64Add, ...OP.i64x2Splat, ...set(sum(place))],
  ]);
}

/** Adds the products of the limbs of two elements to the sums. */
export function addElements(locals: Locals, left: number, right: number): Code {
  const { factor } = locals;
  return times(LIMBS, (place) => [
    ...[...loadLimb(left, place), ...set(factor)],
    ...addProducts(locals, place, (index) => loadLimb(right, index)),
  ]);
}

/** Adds the products of the factor with the limbs of a value to the sums, from a place on. */
export function addProducts(locals: Locals, place: number, limb: (index: number) => Code): Code {
  const { factor, upper, both, half, sum } = locals;
  return times(LIMBS, (index) => {
    const factors = [...get(factor), ...limb(index)];
    return [
      ...[...factors, ...get(upper), ...OP.f64x2MultiplyAdd, ...set(half)],
      ...update(sum(place + index + 1), get(half), OP.i64x2Add),
      ...[...get(sum(place + index)), ...factors, ...get(both), ...get(half), ...OP.f64x2Subtract],
      ...[...OP.f64x2MultiplyAdd, ...OP.i64x2Add, ...set(sum(place + index))],
    ];
  });
}

/** The lower bits of a sum, as a number. */
const lowerBits = ({ mask, integer, sum }: Locals, place: number, taken = integer): Code => [
  ...[...get(sum(place)), ...get(mask), ...OP.v128And, ...get(integer), ...OP.v128Or],
  ...[...get(taken), ...OP.f64x2Subtract],
];

const carry = ({ sum }: Locals, place: number): Code =>
  update(sum(place + 1), [...get(sum(place)), ...i32(LIMB_BITS), ...OP.i64x2ShiftRight], OP.i64x2Add);

/** Montgomery: adds multiples of the order that make the lower places zero, limb by limb. */
export function reduce(locals: Locals): Code {
  const { factor, half, upper, both, lower, inverse, nearest } = locals;
  const limb = (at: number) => (index: number) => constant(at + VECTOR_BYTES * index);
  const last = REDUCED_LIMBS - 1;
  return [
    ...times(last, (place) => [
      ...[...lowerBits(locals, place, nearest), ...set(factor), ...carry(locals, place)],
      ...addProducts(locals, place + 1, limb(SHORTCUT_AT)),
    ]),
    // The shortcut would make the result too large here.
    ...[...lowerBits(locals, last), ...set(factor)],
    ...[...get(factor), ...get(inverse), ...get(upper), ...OP.f64x2MultiplyAdd, ...set(half)],
    ...[...get(factor), ...get(inverse), ...get(both), ...get(half), ...OP.f64x2Subtract, ...OP.f64x2MultiplyAdd],
    ...[...get(lower), ...OP.f64x2Subtract, ...set(factor)],
    ...addProducts(locals, last, limb(ORDER_AT)),
    ...carry(locals, last),
  ];
}

/** Stores the upper places of the sums at `out`. */
export function storeSums(locals: Locals, out: number): Code {
  const { lower, sum } = locals;
  const last = PLACES - 1;
  return [
    ...times(LIMBS - 1, (index) => [
      ...[...get(out), ...lowerBits(locals, REDUCED_LIMBS + index), ...storeVector(VECTOR_BYTES * index)],
      ...carry(locals, REDUCED_LIMBS + index),
    ]),
    // The only one that may be negative.
    ...[...get(out), ...get(sum(last)), ...get(lower), ...OP.i64x2Add, ...get(lower), ...OP.f64x2Subtract],
    ...storeVector(VECTOR_BYTES * (LIMBS - 1)),
  ];
}

/** Stores the sums of the limbs of two elements at `out`, each but the last one carried to the nearest multiple of 2^51. */
export function storeAdded({ upper, down, factor, half }: Locals, out: number, left: number, right: number): Code {
  const [total, carried] = [factor, half];
  return times(LIMBS, (index) => [
    ...[...loadLimb(left, index), ...loadLimb(right, index), ...OP.f64x2Add],
    ...(index === 0 ? [] : [...get(carried), ...get(down), ...OP.f64x2Multiply, ...OP.f64x2Add]),
    ...set(total),
    ...(index === LIMBS - 1
      ? [...get(out), ...get(total)]
      : [
          ...[...get(total), ...get(upper), ...OP.f64x2Add, ...get(upper), ...OP.f64x2Subtract, ...set(carried)],
          ...[...get(out), ...get(total), ...get(carried), ...OP.f64x2Subtract],
        ]),
    ...storeVector(VECTOR_BYTES * index),
  ]);
}
