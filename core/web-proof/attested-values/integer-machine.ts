import type { FieldMachine, FieldProgram, Operation, Pair } from './field-program.ts';

/** A `FieldMachine` by `BigInt`, for every engine. Ten times as slow as the other one. */
export function createIntegerMachine({ order, elements, operations }: FieldProgram): FieldMachine {
  const lanes = [0, 1].map(() => new Array<bigint>(elements).fill(0n));
  const results = (make: (lane: bigint[]) => bigint): Pair => [make(lanes[0] ?? []), make(lanes[1] ?? [])];
  return {
    write(element, values) {
      for (const [index, value] of values.entries()) lanes[index]?.splice(element, 1, value);
    },
    read: (element) => results((lane) => lane[element] ?? 0n),
    run() {
      for (const step of operations) for (const lane of lanes) lane[step.out] = resultOf(step, lane) % order;
    },
  };
}

function resultOf(step: Operation, lane: readonly bigint[]): bigint {
  const at = (element: number) => lane[element] ?? 0n;
  if (step.kind === 'add') return at(step.left) + at(step.right);
  let sum = 0n;
  for (let i = 0; i < step.count; i += 1) sum += at(step.left + i) * at(step.right + i);
  return sum;
}
