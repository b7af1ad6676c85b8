/**
 * Poseidon over the scalar field of BN254 with the parameters of circomlib, so that a circuit can recompute what we hash. The
 * tests compare with circomlibjs.
 */
import { createFieldMachine } from './field-machine.ts';
import { FIELD_ORDER } from './field-matrix.ts';
import { fieldModule } from './field-procedures.ts';
import type { FieldMachine, Pair } from './field-program.ts';
import { poseidonProgram } from './poseidon-program.ts';
import { atOnce, type Steps } from './steps.ts';

export { FIELD_ORDER } from './field-matrix.ts';

/** By number of inputs. */
const PARTIAL_ROUNDS = { 9: 60, 10: 66 } as const;

const CONSTANTS_PER_STEP = 100;

interface Hash {
  readonly machine: FieldMachine;
  readonly input: number;
  readonly output: number;
}

const known = new Map<number, Hash>();

/** Derives what `poseidon` needs, once in the life of a process: some 20 ms, which `poseidon` takes itself if nobody has. */
export function* preparePoseidon(): Steps<void> {
  for (const inputs of Object.keys(PARTIAL_ROUNDS)) if (!known.has(Number(inputs))) yield* make(Number(inputs));
}

/** Poseidon of 9 or 10 field elements. Throws a `RangeError` for another number of them. */
export function poseidon(inputs: readonly bigint[]): bigint {
  return poseidonPair(inputs, inputs)[0];
}

/**
 * Poseidon of two lists of 9 or of two lists of 10 field elements, in the time that one takes. Throws a `RangeError` for another
 * number of them.
 */
export function poseidonPair(one: readonly bigint[], other: readonly bigint[]): Pair {
  if (one.length !== other.length) throw new RangeError('a pair has two lists of the same length');
  const { machine, input, output } = known.get(one.length) ?? atOnce(make(one.length));
  for (const [i, value] of one.entries()) machine.write(input + i, [value, other[i] ?? 0n]);
  machine.run();
  return machine.read(output);
}

function* make(inputs: number): Steps<Hash> {
  const rounds = PARTIAL_ROUNDS[inputs as keyof typeof PARTIAL_ROUNDS];
  if (rounds === undefined) throw new RangeError(`there is no Poseidon of ${inputs} elements here`);
  const { operations, elements, constants, input, output } = yield* poseidonProgram(inputs, rounds);
  yield* fieldModule();
  const machine = createFieldMachine({ order: FIELD_ORDER, elements, operations });
  yield;
  let written = 0;
  for (const [element, value] of constants) {
    machine.write(element, [value, value]);
    written += 1;
    if (written % CONSTANTS_PER_STEP === 0) yield;
  }
  const hash = { machine, input, output };
  known.set(inputs, hash);
  return hash;
}
