/** The constants of Poseidon: drawn from the Grain generator, as the reference of the Poseidon paper does. */
import { Fp, type Matrix } from './field-matrix.ts';
import type { Steps } from './steps.ts';

const STATE_BITS = 80;
const DISCARDED_BITS = 160;
const ELEMENT_BITS = 254;
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

/** A register of 80 bits with feedback. Of two bits that it gives, the second counts if the first is 1. */
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
  const state = Uint8Array.from(text.padEnd(STATE_BITS, '1'), Number);
  let at = 0;
  const tap = (offset: number) => state[at + offset < STATE_BITS ? at + offset : at + offset - STATE_BITS] as number;
  const next = () => {
    const bit = tap(62) ^ tap(51) ^ tap(38) ^ tap(23) ^ tap(13) ^ tap(0);
    state[at] = bit;
    at = at === STATE_BITS - 1 ? 0 : at + 1;
    return bit;
  };
  for (let discarded = 0; discarded < DISCARDED_BITS; discarded += 1) next();
  return () => {
    for (;;) {
      const isTaken = next() === 1;
      const bit = next();
      if (isTaken) return bit;
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
