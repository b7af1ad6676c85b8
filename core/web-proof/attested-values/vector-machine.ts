import { instantiate, PAGE_BYTES } from '../wasm-module.ts';
import {
  CONSTANT_BYTES,
  ELEMENT_BYTES,
  fieldConstants,
  LIMB_BITS,
  LIMBS,
  MONTGOMERY_BITS,
  writeLimbs,
} from './field-limbs.ts';
import { fieldModule, STEP_BYTES } from './field-procedures.ts';
import type { FieldMachine, FieldProgram, Pair } from './field-program.ts';
import { atOnce } from './steps.ts';

/**
 * A `FieldMachine` in WebAssembly. Null if the engine has no relaxed vector instructions, or if the processor rounds between the
 * multiplication and the addition of one.
 */
export function createVectorMachine(
  { order, elements, operations }: FieldProgram,
  module = atOnce(fieldModule()),
): FieldMachine | null {
  if (module === null) return null;
  // Three more than the program has: R^2 and 1, with which values come and go, and one in between.
  const [square, one, between] = [addressOf(elements), addressOf(elements + 1), addressOf(elements + 2)];
  const programStart = addressOf(elements + 3);
  const programEnd = programStart + operations.length * STEP_BYTES;
  const { memory, run, product } = instantiate(module) as Exports;
  memory.grow(Math.ceil(programEnd / PAGE_BYTES));
  const numbers = new Float64Array(memory.buffer);
  numbers.set(fieldConstants(order));
  const words = new Uint32Array(memory.buffer);
  for (const [index, step] of operations.entries()) {
    const count = step.kind === 'dot' ? step.count : 0;
    const addresses = [step.out, step.left, step.right].map(addressOf);
    words.set([...addresses, count], (programStart + index * STEP_BYTES) / 4);
  }
  const put = (address: number, values: Pair) => {
    writeLimbs(numbers, address / 8, values[0]);
    writeLimbs(numbers, address / 8 + 1, values[1]);
  };
  const valueAt = (address: number, lane: number) => {
    let value = 0n;
    for (let limb = LIMBS - 1; limb >= 0; limb -= 1) {
      value = (value << BigInt(LIMB_BITS)) + BigInt(numbers[address / 8 + 2 * limb + lane] ?? 0);
    }
    const rest = value % order;
    return rest < 0n ? rest + order : rest;
  };
  const montgomerySquare = (1n << BigInt(2 * MONTGOMERY_BITS)) % order;
  put(square, [montgomerySquare, montgomerySquare]);
  put(one, [1n, 1n]);
  const machine: FieldMachine = {
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
  // Numbers whose products need every bit.
  const probe = [order - 1n, order / 3n] as const;
  machine.write(0, probe);
  return machine.read(0).every((value, lane) => value === probe[lane]) ? machine : null;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  run(from: number, to: number): void;
  product(out: number, left: number, right: number): void;
}

const addressOf = (element: number) => CONSTANT_BYTES + element * ELEMENT_BYTES;
