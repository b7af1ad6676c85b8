/**
 * Who took part in a ceremony, as the key records it: section 10 of snarkjs's `.zkey` format. Read from the file itself,
 * because what snarkjs prints holds names that contributors chose.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface Contribution {
  /** A beacon's randomness is public: on its own it keeps nobody from forging. */
  readonly kind: 'contribution' | 'beacon';
  /** What the contributor called itself; empty if it did not. */
  readonly name: string;
  /** BLAKE2b-512 in hex, as snarkjs shows it to the contributor. */
  readonly hash: string;
  /** The public value, hex; of a beacon only. */
  readonly beacon?: string;
}

/** A key that cannot be read, or whose ceremony is not whole. The message says what to do. */
export class CeremonyError extends Error {}

const MAGIC = 'zkey';
const CONTRIBUTIONS_SECTION = 10;
const HASH_LENGTH = 64;
const COORDINATE_LENGTH = 32;
/** deltaAfter, s and sx in G1, spx in G2. */
const POINTS_LENGTH = 10 * COORDINATE_LENGTH;
/** Beacons hash their value 2 to this power times; ours 10. A key may name up to 63, with which no check would ever end. */
const MAX_BEACON_ROUNDS = 20;
const KINDS: readonly Contribution['kind'][] = ['contribution', 'beacon'];
const FIELD = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
/** 1 / 2^256 in the field: coordinates are stored in Montgomery's form. */
const FROM_MONTGOMERY = 20988524275117001072002809824448087578619730785600314334253784976379291040311n;

/** The contributions of the key at `path`, in their order. Throws a `CeremonyError` if it is no key of BN254. */
export async function readContributions(path: string): Promise<readonly Contribution[]> {
  const reader = new Reader(section(new Reader(await readFile(path)), CONTRIBUTIONS_SECTION));
  // The hash of the circuit.
  reader.take(HASH_LENGTH);
  const count = reader.uint32();
  const found: Contribution[] = [];
  for (let index = 0; index < count; index++) found.push(readContribution(reader));
  return found;
}

/**
 * Checks that a ceremony is whole: at least one contribution, then exactly one beacon at the end. Throws a `CeremonyError`.
 * That the contributions follow from each other is for `snarkjs zkey verify` to check.
 */
export function checkWhole(contributions: readonly Contribution[]): void {
  const beacons = contributions.filter(({ kind }) => kind === 'beacon').length;
  if (beacons === contributions.length) {
    throw new CeremonyError(
      'Nobody has contributed to this key, so anyone can forge proofs for it. Run contribute with at least one party, then beacon.',
    );
  }
  if (beacons !== 1 || contributions.at(-1)?.kind !== 'beacon') {
    throw new CeremonyError(
      'The ceremony of this key does not end with one beacon. Run beacon once, after the last party.',
    );
  }
}

/** Checks that the key can take another contribution or its beacon. Throws a `CeremonyError`. */
export function checkOpen(contributions: readonly Contribution[], next: Contribution['kind']): void {
  if (contributions.some(({ kind }) => kind === 'beacon')) {
    throw new CeremonyError('This key has its beacon already. Take the key from before the beacon.');
  }
  if (next === 'beacon' && contributions.length === 0) {
    throw new CeremonyError(
      'Nobody has contributed to this key. Run contribute with at least one party before beacon.',
    );
  }
}

/** One line for each contribution. */
export function describeContributions(contributions: readonly Contribution[]): readonly string[] {
  return contributions.map(({ kind, name, hash, beacon }, index) => {
    const value = beacon === undefined ? '' : ` of the value ${beacon}`;
    return `${index + 1}. ${kind} ${JSON.stringify(name)}${value}: ${hash}`;
  });
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new CeremonyError('The key is cut short or is no key.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  uint64(): number {
    const value = this.take(8).readBigUInt64LE();
    return value > BigInt(this.left) ? this.left + 1 : Number(value);
  }
}

/** The one section of this type. */
function section(reader: Reader, wanted: number): Buffer {
  if (reader.take(MAGIC.length).toString('latin1') !== MAGIC) throw new CeremonyError('The file is no key of snarkjs.');
  reader.uint32();
  const found: Buffer[] = [];
  const count = reader.uint32();
  for (let index = 0; index < count; index++) {
    const type = reader.uint32();
    const content = reader.take(reader.uint64());
    if (type === wanted) found.push(content);
  }
  const [content] = found;
  if (content === undefined || found.length > 1)
    throw new CeremonyError('The key does not have one list of contributions.');
  return content;
}

function readContribution(reader: Reader): Contribution {
  const points = reader.take(POINTS_LENGTH);
  const transcript = reader.take(HASH_LENGTH);
  const kind = KINDS[reader.uint32()];
  if (kind === undefined) throw new CeremonyError('The key has a contribution of an unknown kind.');
  const parameters = readParameters(new Reader(reader.take(reader.uint32())));
  const hash = createHash('blake2b512').update(standardForm(points)).update(transcript).digest('hex');
  return { kind, name: parameters.name, hash, ...(kind === 'beacon' ? { beacon: parameters.beacon } : {}) };
}

/** 1: a name. 2: the log of the beacon's rounds. 3: the beacon's value. */
function readParameters(reader: Reader): { readonly name: string; readonly beacon: string } {
  let name = '';
  let beacon = '';
  while (reader.left > 0) {
    const type = reader.byte();
    if (type === 1) name = reader.take(reader.byte()).toString('utf8');
    else if (type === 2) checkRounds(reader.byte());
    else if (type === 3) beacon = reader.take(reader.byte()).toString('hex');
    else throw new CeremonyError('The key has a contribution with unknown parameters.');
  }
  return { name, beacon };
}

function checkRounds(rounds: number): void {
  if (rounds <= MAX_BEACON_ROUNDS) return;
  throw new CeremonyError(
    `The beacon of this key takes 2^${rounds} hashes, too many to check. Run beacon on the key from before it.`,
  );
}

/** The points as they are hashed: big-endian, of a coordinate in G2 the imaginary part first. */
function standardForm(points: Buffer): Buffer {
  const coordinates = Array.from({ length: points.length / COORDINATE_LENGTH }, (_, index) => {
    const stored = points.subarray(index * COORDINATE_LENGTH, (index + 1) * COORDINATE_LENGTH).toReversed();
    const value = (BigInt(`0x${Buffer.from(stored).toString('hex')}`) * FROM_MONTGOMERY) % FIELD;
    return value.toString(16).padStart(2 * COORDINATE_LENGTH, '0');
  });
  const [realX, imaginaryX, realY, imaginaryY] = coordinates.splice(6);
  return Buffer.from([...coordinates, imaginaryX, realX, imaginaryY, realY].join(''), 'hex');
}
