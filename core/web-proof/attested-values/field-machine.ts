import type { FieldMachine, FieldProgram } from './field-program.ts';
import { createIntegerMachine } from './integer-machine.ts';
import { createVectorMachine } from './vector-machine.ts';

/** Makes a machine for one program: of vectors, or many times as slow if the engine or the processor cannot compute with those. */
export function createFieldMachine(program: FieldProgram): FieldMachine {
  return createVectorMachine(program) ?? createIntegerMachine(program);
}
