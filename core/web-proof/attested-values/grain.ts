/** The constants of Poseidon: drawn from the Grain generator, as the reference of the Poseidon paper does. */
import { Fp, type Matrix } from './field-matrix.ts';
import type { Steps } from './steps.ts';

const STATE_BITS = 80;
const DISCARDED_BITS = 160;
const ELEMENT_BITS = 254;
const WORD_BITS = 16;
const WORD_MASK = 0xffff;
/** Bits that are gathered as a number before they go into a big integer. */
const CHUNK_BITS = 30;

export interface PoseidonShape {
  /** Elements of the state. */
  readonly width: number;
  readonly fullRounds: number;
  readonly partialRounds: number;
}

export interface PoseidonConstants {
  /** The matrix that every round multiplies by. */
  readonly matrix: Matrix;
  /** What each round adds, by element. */
  readonly roundConstants: Matrix;
}

/** Draws the constants of one shape, a step for each round. */
export function* grainConstants({ width, fullRounds, partialRounds }: PoseidonShape): Steps<PoseidonConstants> {
  const bit = createBits({ width, fullRounds, partialRounds });
  const roundConstants: bigint[][] = [];
  for (let round = 0; round < fullRounds + partialRounds; round += 1) {
    roundConstants.push(Array.from({ length: width }, () => elementBelowOrder(bit)));
    yield;
  }
  const [xs, ys] = [0, 1].map(() => Array.from({ length: width }, () => Fp.create(drawn(bit, ELEMENT_BITS))));
  const matrix = (xs ?? []).map((x) => Fp.invertBatch((ys ?? []).map((y) => Fp.add(x, y))));
  return { matrix, roundConstants };
}

/**
 * A register of 80 bits with feedback. Of two bits that it gives, the second counts if the first is 1. A new bit depends on none
 * of the 17 before it, so 16 are made at once.
 */
function createBits({ width, fullRounds, partialRounds }: PoseidonShape): () => number {
  const seed = [
    [1, 2],
    [0, 4],
    [ELEMENT_BITS, 12],
    [width, 12],
    [fullRounds, 10],
    [partialRounds, 10],
  ] as const;
  const text = seed.map(([value, bits]) => value.toString(2).padStart(bits, '0')).join('');
  const state = text.padEnd(STATE_BITS, '1').match(/.{16}/g) ?? [];
  // The oldest bit is the first one of `a`.
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state.map((bits) => Number.parseInt(bits, 2));
  const next = () => {
    // Bits from 62, 51, 38, 23, 13 and 0 on, 16 of each.
    const from62 = (d << 14) | (e >>> 2);
    const from51 = (d << 3) | (e >>> 13);
    const from38 = (c << 6) | (d >>> 10);
    const from23 = (b << 7) | (c >>> 9);
    const from13 = (a << 13) | (b >>> 3);
    const made = (from62 ^ from51 ^ from38 ^ from23 ^ from13 ^ a) & WORD_MASK;
    a = b;
    b = c;
    c = d;
    d = e;
    e = made;
    return made;
  };
  for (let discarded = 0; discarded < DISCARDED_BITS; discarded += WORD_BITS) next();
  let word = 0;
  let left = 0;
  return () => {
    for (;;) {
      if (left === 0) {
        word = next();
        left = WORD_BITS;
      }
      left -= 2;
      const pair = word >>> left;
      if ((pair & 2) !== 0) return pair & 1;
    }
  };
}

function elementBelowOrder(bit: () => number): bigint {
  for (;;) {
    const value = drawn(bit, ELEMENT_BITS);
    if (value < Fp.ORDER) return value;
  }
}

function drawn(bit: () => number, bits: number): bigint {
  let value = 0n;
  for (let left = bits; left > 0; ) {
    const count = left % CHUNK_BITS || CHUNK_BITS;
    let chunk = 0;
    for (let i = 0; i < count; i += 1) chunk = (chunk << 1) | bit();
    value = (value << BigInt(count)) | BigInt(chunk);
    left -= count;
  }
  return value;
}
