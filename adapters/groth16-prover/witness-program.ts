/**
 * Runs the WebAssembly program of a circuit, as circom 2 compiles it. snarkjs compiles it again for every witness; here the
 * instance is kept, whose code is optimized by then.
 */

import { WitnessCalculatorBuilder } from 'circom_runtime';
import type { Signals } from './witness-input.ts';

/** The statement is false, or the signals are not those of the circuit. */
export class UnsatisfiedError extends Error {}

/** Only programs of circom 1 use memory from outside. */
const compile = (bytes: Uint8Array) => WitnessCalculatorBuilder(bytes, { memorySize: 1 });

/** A circuit's program. One witness at a time. */
export class WitnessProgram {
  readonly #bytes: Uint8Array;
  #calculator: ReturnType<typeof compile> | undefined;

  private constructor(bytes: Uint8Array, calculator: ReturnType<typeof compile>) {
    this.#bytes = bytes;
    this.#calculator = calculator;
  }

  /** Compiles a program. Rejects if it is none of circom. */
  static async load(bytes: Uint8Array): Promise<WitnessProgram> {
    const calculator = compile(bytes);
    await calculator;
    return new WitnessProgram(bytes, calculator);
  }

  /**
   * The witness in the format of snarkjs (`.wtns`). Rejects with an `UnsatisfiedError` if a constraint does not hold or the signals
   * are not those of the circuit.
   */
  async calculate(input: Signals): Promise<Uint8Array> {
    const calculator = this.#calculator ?? compile(this.#bytes);
    // One that failed midway is in no known state.
    this.#calculator = undefined;
    const program = await calculator;
    try {
      const witness = await program.calculateWTNSBin(input);
      this.#calculator = calculator;
      return witness;
    } catch (cause) {
      throw new UnsatisfiedError((cause as Error).message, { cause });
    }
  }
}
